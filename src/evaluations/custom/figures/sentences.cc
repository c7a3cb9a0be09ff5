#include "evaluations/custom/figures/sentences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/figures/measures.h"
#include "evaluations/figures.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay::custom {
namespace {

using Verdict = Comparison::Verdict;

constexpr std::size_t kMostMetrics = 6;  // in one sentence
constexpr std::size_t kMostFailures = 4;
constexpr double kWorthSeeing = 0.05;  // of the scale: what planning asks for

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

// "a; b; and 3 more"
std::string listed(const std::vector<std::string>& parts) {
  const std::size_t shown = std::min(parts.size(), kMostMetrics);
  std::string words = join(std::span(parts).first(shown), "; ");
  if (parts.size() > shown) words += fmt::format("; and {} more in the table", parts.size() - shown);
  return words;
}

std::string interval_part(const Comparison& comparison) {
  const Estimate& difference = comparison.difference;
  if (!difference.ci) return "no interval";
  return fmt::format("{} interval {}", level_words(difference.level),
                     difference_range(*difference.ci, comparison.form));
}

std::string p_part(const Comparison& comparison, bool looked) {
  if (looked || !comparison.p_holm) return "";
  return fmt::format(", p after Holm {}", p_words(comparison.p_holm));
}

// "correct by +6.0 points (95% interval +2.1 points to +9.9 points, n = 200, p after Holm 0.0040)"
std::string measured(const Comparison& comparison, bool looked) {
  const std::string what =
      comparison.pairwise ? comparison.metric + " (wins beyond one half)" : comparison.metric;
  return fmt::format(
      "{} by {} ({}, n = {}{})", what, difference_words(*comparison.difference.value, comparison.form),
      interval_part(comparison), count_words(comparison.difference.n), p_part(comparison, looked));
}

bool apart(const Comparison& comparison) {
  const auto& ci = comparison.difference.ci;
  return ci && (ci->low > 0 || ci->high < 0);
}

double worth_seeing(const Comparison& comparison) {
  const Interval scale = comparison.scale.value_or(Interval{0, 1});
  return kWorthSeeing * (scale.high - scale.low);
}

std::string open_part(const Comparison& comparison, bool looked) {
  std::string words =
      fmt::format("{}: difference {}, {}, n = {}{}", comparison.metric,
                  difference_words(*comparison.difference.value, comparison.form), interval_part(comparison),
                  count_words(comparison.difference.n), p_part(comparison, looked));
  const double delta = worth_seeing(comparison);
  if (const auto needed = cases_needed(comparison, delta); needed && *needed > comparison.difference.n) {
    std::string size = difference_words(delta, comparison.form);
    if (size.starts_with('+')) size.erase(0, 1);
    words += fmt::format("; about {} cases would show {}", count_words(*needed), size);
  }
  return words;
}

class VariantSentences {
 public:
  VariantSentences(const Design& design, const Summary& summary, const std::vector<Comparison>& comparisons)
      : design_(design), summary_(summary), looked_(looked_while_running(summary)) {
    for (const Comparison& one : comparisons) {
      if (one.family) all_.push_back(final_comparison(one, summary));
    }
    // What `stop_when` asks was chosen before the data came: it is a family of its own.
    asked_first_ = std::ranges::any_of(all_, [this](const Comparison& one) { return in_stop_when(one); });
    family_ = asked_first_ ? static_cast<std::size_t>(std::ranges::count_if(
                                 all_, [this](const Comparison& one) { return in_stop_when(one); }))
                           : all_.size();
  }

  void add(std::vector<std::string>& sentences) {
    const std::string& base = design_.variants[*design_.baseline];
    for (std::size_t v = 0; v < design_.variants.size(); ++v) {
      if (v == *design_.baseline) continue;
      const std::string& variant = design_.variants[v];
      add_found(variant, base, Verdict::better, "better", sentences);
      add_found(variant, base, Verdict::worse, "worse", sentences);
    }
    for (std::size_t v = 0; v < design_.variants.size(); ++v) {
      if (v == *design_.baseline) continue;
      add_undecided(design_.variants[v], base, sentences);
    }
    add_choice(base, sentences);
    if (looked_ && family_ > 0)
      sentences.push_back(fmt::format(
          "The run may stop at any case, so there are no p-values; each interval of a difference holds "
          "however often one looks{}.",
          all_.size() > 1 ? ", by itself, not for all of them together" : ""));
  }

 private:
  bool in_stop_when(const Comparison& one) const {
    if (!looked_) return false;
    return std::ranges::any_of(summary_.stopping->conditions, [&one](const StopVerdict& condition) {
      const std::string_view text = condition.condition;
      return text.starts_with(one.name) && text.substr(one.name.size()).find_first_of(" <>=") == 0;
    });
  }
  Verdict verdict(const Comparison& one) const {
    if (!looked_) return one.verdict();
    // Without p-values only a single question can be decided, by an interval that holds at all times.
    Comparison sequential = one;
    const bool decides = family_ == 1 && (!asked_first_ || in_stop_when(one));
    sequential.p_holm = decides && apart(one) ? 0 : 1;
    return sequential.verdict();
  }

  std::vector<const Comparison*> of(const std::string& variant, Verdict wanted) const {
    std::vector<const Comparison*> list;
    for (const Comparison& one : all_) {
      if (one.variant == variant && verdict(one) == wanted) list.push_back(&one);
    }
    return list;
  }

  void add_found(const std::string& variant, const std::string& base, Verdict wanted, std::string_view word,
                 std::vector<std::string>& sentences) const {
    std::vector<std::string> parts;
    for (const Comparison* one : of(variant, wanted)) parts.push_back(measured(*one, looked_));
    if (!parts.empty())
      sentences.push_back(fmt::format("{} is {} than {} on {}.", variant, word, base, listed(parts)));
  }

  void add_undecided(const std::string& variant, const std::string& base,
                     std::vector<std::string>& sentences) const {
    for (const Comparison* one : of(variant, Verdict::hangs)) {
      sentences.push_back(
          fmt::format("On {} {} differs from {} by {} ({}) where both have a mark, but what is missing ({}) "
                      "could make that "
                      "anything from {}: nothing is decided.",
                      one->metric, variant, base, difference_words(*one->difference.value, one->form),
                      interval_part(*one), missing_words(one->difference),
                      difference_range(*one->with_missing, one->form)));
    }
    std::vector<std::string> parts;
    std::vector<std::string> alone;
    for (const Comparison* one : of(variant, Verdict::open)) {
      (apart(*one) ? alone : parts).push_back(open_part(*one, looked_));
    }
    if (!alone.empty())
      sentences.push_back(fmt::format(
          "Taken alone, {} and {} would differ on {}; allowing for all {} comparisons, nothing is "
          "shown.",
          variant, base, listed(alone), all_.size()));
    if (!parts.empty())
      sentences.push_back(fmt::format("{} and {} cannot be told apart on {}.", variant, base, listed(parts)));
    std::vector<std::string> same;
    std::int64_t cases = 0;
    for (const Comparison* one : of(variant, Verdict::same)) {
      same.push_back(one->metric);
      cases = std::max(cases, one->difference.n);
    }
    if (!same.empty())
      sentences.push_back(fmt::format("{} and {} are equal on every case ({} at most) on {}.", variant, base,
                                      count_words(cases), join(same, ", ")));
  }

  // Which to ship, only if the data say so.
  void add_choice(const std::string& base, std::vector<std::string>& sentences) const {
    std::vector<std::string> better;
    std::size_t worse = 0;
    std::size_t others = 0;
    for (std::size_t v = 0; v < design_.variants.size(); ++v) {
      if (v == *design_.baseline) continue;
      const std::string& variant = design_.variants[v];
      ++others;
      const bool gains = !of(variant, Verdict::better).empty();
      const bool loses = !of(variant, Verdict::worse).empty();
      if (gains && !loses) better.push_back(variant);
      if (loses && !gains) ++worse;
    }
    if (others == 0 || family_ == 0) return;
    if (better.size() == 1) {
      sentences.push_back(
          fmt::format("The data speak for {}: nothing that was compared is shown to be worse{}.",
                      better.front(), failing_more(better.front())));
    } else if (better.size() > 1) {
      sentences.push_back(
          fmt::format("{} are each better than {} on something and shown to be worse on nothing; they were "
                      "not compared with "
                      "each other.",
                      join(better, " and "), base));
    } else if (worse == others) {
      sentences.push_back(fmt::format("The data speak for {}: nothing is shown to be better.", base));
    } else {
      sentences.push_back("The data do not say which to ship.");
    }
  }

  std::string failing_more(const std::string& variant) const {
    const Metric* failed = find_metric(summary_, "failed.difference." + variant);
    if (failed == nullptr || !failed->estimate.ci || failed->estimate.ci->low <= 0) return "";
    return fmt::format(", but it leaves more answers out ({}, {} interval {})",
                       difference_words(*failed->estimate.value, Metric::Form::share),
                       level_words(failed->estimate.level),
                       difference_range(*failed->estimate.ci, Metric::Form::share));
  }

  const Design& design_;
  const Summary& summary_;
  bool looked_;
  bool asked_first_ = false;
  std::size_t family_ = 0;
  std::vector<Comparison> all_;
};

// "correct: old 71.0% (…), new 78.0% (…)"; "" if no variant has it.
std::string by_variant(const Design& design, const Summary& summary, std::string_view stem,
                       std::string_view word) {
  std::string words;
  for (std::size_t v = 0; v < design.variants.size(); ++v) {
    const Metric* metric = find_metric(summary, figure_name(design, stem, word, v));
    if (metric == nullptr || (!metric->estimate.value && metric->estimate.missing.empty())) continue;
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ",
                         design.has_variants() ? design.variants[v] + " " : std::string(),
                         figure_with_interval(*metric));
  }
  return words;
}

void add_figures(const Design& design, const Summary& summary, bool compared,
                 std::vector<std::string>& sentences) {
  const Measures measures(design);
  const bool one_is_enough = std::ranges::any_of(
      measures.list(), [](const Measure& measure) { return measure.reading == Reading::case_passed; });
  if (one_is_enough) {
    const std::string passed = by_variant(design, summary, "case_passed", "rate");
    if (!passed.empty())
      sentences.push_back(fmt::format("Answers that pass everything they must: {}.", passed));
  }
  if (compared) return;
  std::size_t told = 0;
  for (const Measure& measure : measures.list()) {
    if (!measure.headline || !measure.metric || measure.variant.value_or(0) != 0 || told == kMostMetrics)
      continue;
    const std::string words = by_variant(design, summary, measure.stem, measure.word);
    if (words.empty()) continue;
    ++told;
    sentences.push_back(fmt::format("{} {}: {}.", measure.stem, plain_words(measure.word), words));
  }
  if (design.variants.size() > 1)
    sentences.push_back("No baseline is named, so the variants are not compared with each other.");
}

std::string first_reason(const FailureCount& failures) {
  Estimate counted;
  counted.missing = failures.reasons;
  return missing_words(counted) +
         (failures.first.empty() ? "" : fmt::format("; first: “{}”", failures.first));
}

void add_failures(const Design& design, const Summary& summary, const Failures& failures,
                  std::vector<std::string>& sentences) {
  for (std::size_t v = 0; v < design.variants.size(); ++v) {
    if (failures.answers[v].count == 0) continue;
    const Metric* rate = find_metric(summary, figure_name(design, "failed", "rate", v));
    const std::string interval =
        rate != nullptr && rate->estimate.ci
            ? fmt::format(", {} interval {}", level_words(rate->estimate.level), interval_words(*rate))
            : std::string();
    sentences.push_back(fmt::format("{}{} of {} did not come ({}{}): {}.",
                                    design.has_variants() ? design.variants[v] + ": " : std::string(),
                                    count_words(failures.answers[v].count),
                                    counted_words(failures.asked[v], "answer", "answers"),
                                    rate != nullptr ? value_words(*rate) : std::string(kNotAvailable),
                                    interval, first_reason(failures.answers[v])));
  }
  struct Lacking {
    std::int64_t count;
    std::size_t order;
    std::string sentence;
  };
  std::vector<Lacking> marks;
  for (std::size_t v = 0; v < design.variants.size(); ++v) {
    for (std::size_t m = 0; m < design.metrics.size(); ++m) {
      const FailureCount& failed = failures.marks[v][m];
      if (failed.count == 0) continue;
      marks.push_back({failed.count, marks.size(),
                       fmt::format("{} has no mark for {}{} ({}).", design.metrics[m].name,
                                   counted_words(failed.count, "answer", "answers"),
                                   design.has_variants() ? " of " + design.variants[v] : std::string(),
                                   first_reason(failed))});
    }
  }
  // Those that lack most first; of equals in the order of the metrics.
  std::ranges::sort(marks, [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.order < b.order;
  });
  for (std::size_t i = 0; i < std::min(marks.size(), kMostFailures); ++i)
    sentences.push_back(marks[i].sentence);
  if (marks.size() > kMostFailures)
    sentences.push_back(
        fmt::format("{} more pairs of metric and variant lack marks.", marks.size() - kMostFailures));
}

std::string with_interval(const Metric& metric, std::string (*words)(double)) {
  const Estimate& estimate = metric.estimate;
  return estimate.ci ? fmt::format("{} ({} – {})", words(*estimate.value), words(estimate.ci->low),
                                   words(estimate.ci->high))
                     : fmt::format("{} (no interval)", words(*estimate.value));
}

void add_expenses(const Design& design, const Summary& summary, std::vector<std::string>& sentences) {
  const auto dollars = [](double usd) { return cost_words(usd); };
  std::vector<std::string> parts;
  for (std::size_t v = 0; v < design.variants.size(); ++v) {
    std::vector<std::string> words;
    const Metric* cost = figures::find_defined(summary, figure_name(design, "cost", "mean", v));
    if (cost != nullptr) words.push_back("costs " + with_interval(*cost, dollars));
    const Metric* half = figures::find_defined(summary, figure_name(design, "latency", "p50", v));
    if (half != nullptr) words.push_back("half come within " + with_interval(*half, milliseconds_words));
    const Metric* most = figures::find_defined(summary, figure_name(design, "latency", "p95", v));
    if (most != nullptr) words.push_back("95% within " + with_interval(*most, milliseconds_words));
    if (words.empty()) continue;
    parts.push_back((design.has_variants() ? design.variants[v] + " " : std::string()) + join(words, ", "));
  }
  if (!parts.empty())
    sentences.push_back(fmt::format("An answer, with 95% intervals: {}.", join(parts, "; ")));
}

void add_seats(const Design& design, const Summary& summary, std::vector<std::string>& sentences) {
  for (const MetricShape& shape : design.metrics) {
    if (shape.value != MetricShape::Value::pair) continue;
    const Metric* seat = figures::find_defined(summary, shape.name + ".seat_effect");
    if (seat == nullptr || !seat->estimate.ci) continue;
    const Interval ci = *seat->estimate.ci;
    if (ci.low <= 0 && ci.high >= 0) continue;
    sentences.push_back(fmt::format(
        "The judge of {} leans to the {} answer it reads: {} ({} interval {}); both orders were asked, so it "
        "favours no variant.",
        shape.name, ci.low > 0 ? "first" : "second",
        difference_words(*seat->estimate.value, Metric::Form::share), level_words(seat->estimate.level),
        difference_range(ci, Metric::Form::share)));
  }
}

}  // namespace

bool looked_while_running(const Summary& summary) {
  return summary.stopping.has_value();
}

Comparison final_comparison(const Comparison& comparison, const Summary& summary) {
  Comparison final = comparison;
  const Metric* metric = find_metric(summary, comparison.name);
  if (metric == nullptr) return final;
  // A win rate is read against one half.
  const double shift = comparison.pairwise ? 0.5 : 0;
  if (metric->estimate.ci && !comparison.pairwise)
    final.difference.ci = metric->estimate.ci;
  else if (looked_while_running(summary))
    final.difference.ci =
        metric->estimate.ci
            ? std::optional(Interval{metric->estimate.ci->low - shift, metric->estimate.ci->high - shift})
            : std::nullopt;
  return final;
}

std::string difference_words(double difference, Metric::Form form) {
  // The last bits of a mean are no difference.
  if (std::fabs(difference) < 1e-12) difference = 0;
  const std::string_view sign = difference < 0 ? "−" : "+";
  const double size = std::fabs(difference);
  if (form != Metric::Form::share) return fmt::format("{}{}", sign, number_words(size));
  const double points = 100 * size;
  const int decimals = points > 0 && points < 0.1 ? 2 : 1;
  const std::string digits = fmt::format("{:.{}f}", points, decimals);
  return fmt::format("{}{} {}", sign, digits, digits == "1.0" ? "point" : "points");
}

std::string difference_range(const Interval& interval, Metric::Form form) {
  std::string low = difference_words(interval.low, form);
  // The unit is said once.
  if (const std::size_t unit = low.find(' '); unit != std::string::npos) low.resize(unit);
  return fmt::format("{} to {}", low, difference_words(interval.high, form));
}

std::string milliseconds_words(double milliseconds) {
  if (milliseconds < 1000) return fmt::format("{:.3g} ms", milliseconds);
  return fmt::format("{:.1f} s", milliseconds / 1000);
}

std::vector<std::string> deciding_sentences(const Design& design, const Summary& summary,
                                            const std::vector<Comparison>& comparisons,
                                            const Failures& failures) {
  std::vector<std::string> sentences;
  const bool compared = design.baseline.has_value() && !comparisons.empty();
  if (compared) VariantSentences(design, summary, comparisons).add(sentences);
  add_figures(design, summary, compared, sentences);
  add_failures(design, summary, failures, sentences);
  add_seats(design, summary, sentences);
  add_expenses(design, summary, sentences);
  return sentences;
}

}  // namespace assay::custom
