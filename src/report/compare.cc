#include "report/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/words.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

constexpr std::size_t kMostDifferences = 40;

void add_config_differences(const Json* base, const Json* fresh, const std::string& path,
                            std::vector<std::string>& out) {
  if (out.size() >= kMostDifferences) return;
  if (base != nullptr && fresh != nullptr && base->is_object() && fresh->is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : base->get_object()) keys.emplace(key);
    for (const auto& [key, value] : fresh->get_object()) keys.emplace(key);
    for (const std::string& key : keys) {
      add_config_differences(find_member(*base, key), find_member(*fresh, key),
                             path.empty() ? key : fmt::format("{}.{}", path, key), out);
    }
    return;
  }
  const std::string before = base != nullptr ? excerpt(*base) : "not set";
  const std::string after = fresh != nullptr ? excerpt(*fresh) : "not set";
  if (base != nullptr && fresh != nullptr && *base == *fresh) return;
  out.push_back(fmt::format("{}: {} → {}", path, before, after));
}

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

// The paired scores of one figure.
struct Paired {
  std::vector<double> base;
  std::vector<double> fresh;
  std::vector<std::string> clusters;  // empty unless every case has one
};

std::string_view direction(Metric::Better better, double difference) {
  if (better == Metric::Better::neither) return difference > 0 ? "is higher" : "is lower";
  const bool improved = (difference > 0) == (better == Metric::Better::higher);
  return improved ? "is better" : "is worse";
}

std::string signed_words(double value, Metric::Form form) {
  return (value < 0 ? "−" : "+") + figure_words(std::abs(value), form);
}

// One sentence, saying no more than the figures do.
std::string sentence_of(const FigureChange& change, double margin, Metric::Form form) {
  const Estimate& difference = change.difference;
  if (change.rose + change.fell + change.equal == 0)
    return fmt::format("{}: no case has it in both runs.", change.figure);
  if (change.change == Change::same)
    return fmt::format("{} is the same on all {}.", change.figure,
                       counted_words(change.equal, "paired case", "paired cases"));
  if (!difference.value || !difference.ci) {
    return fmt::format("{}: nothing can be said about the difference ({}).", change.figure,
                       difference.undefined.empty() ? "no interval" : difference.undefined);
  }
  const std::string figures = fmt::format(
      "{} changed by {} ({} interval {} to {}, n = {})", change.figure, signed_words(*difference.value, form),
      level_words(difference.level), signed_words(difference.ci->low, form),
      signed_words(difference.ci->high, form), count_words(difference.n));
  if (change.change == Change::undecided) return figures + ": these cases do not tell the two runs apart.";
  std::string text = fmt::format("{}: the new run {}.", figures, direction(change.better, *difference.value));
  if (change.p_holm && *change.p_holm >= 1 - difference.level)
    text += fmt::format(" Among all figures compared it may still be chance (p after Holm {:.2g}).",
                        *change.p_holm);
  if (change.change == Change::worse && margin > 0) {
    text += change.regression
                ? fmt::format(" It is worse by more than the margin of {}.", figure_words(margin, form))
                : fmt::format(" Whether by more than the margin of {} is open.", figure_words(margin, form));
  }
  return text;
}

// The end of the interval on the good side, as "how much better"; worse is negative.
std::optional<Interval> gain(const FigureChange& change) {
  if (!change.difference.ci || change.better == Metric::Better::neither) return std::nullopt;
  const Interval& ci = *change.difference.ci;
  return change.better == Metric::Better::higher ? ci : Interval{-ci.high, -ci.low};
}

void judge(FigureChange& change, double margin) {
  if (change.rose + change.fell == 0 && change.equal > 0) {
    change.change = Change::same;
    return;
  }
  if (!change.difference.value || !change.difference.ci) return;
  const Interval& ci = *change.difference.ci;
  if ((ci.low <= 0 && ci.high >= 0) || change.better == Metric::Better::neither) {
    change.change = Change::undecided;
  } else {
    change.change =
        (ci.low > 0) == (change.better == Metric::Better::higher) ? Change::better : Change::worse;
  }
  if (const auto gained = gain(change)) change.regression = gained->high < -margin;
}

FigureChange compare_figure(const std::string& name, const Paired& paired, std::int64_t unpaired,
                            const Metric* metric) {
  FigureChange change;
  change.figure = name;
  change.unpaired = unpaired;
  if (metric != nullptr) change.better = metric->better;
  Moments base;
  Moments fresh;
  for (std::size_t i = 0; i < paired.base.size(); ++i) {
    base.add(paired.base[i]);
    fresh.add(paired.fresh[i]);
    const double difference = paired.fresh[i] - paired.base[i];
    ++(difference > 0 ? change.rose : difference < 0 ? change.fell : change.equal);
  }
  change.base = base.mean();
  change.fresh = fresh.mean();
  const Contrast contrast = paired.clusters.empty() ? paired_t(paired.fresh, paired.base)
                                                    : paired_t(paired.fresh, paired.base, paired.clusters);
  change.difference = contrast.difference;
  change.p = contrast.test.p;
  change.test = contrast.test.method;
  change.effect = cohen_dz(paired.fresh, paired.base);
  return change;
}

// Which cases of the two runs belong together.
struct Pairing {
  std::vector<std::pair<const ScoredCase*, const ScoredCase*>> pairs;
  bool clustered = true;  // every pair has the same cluster on both sides
};

Pairing pair_cases(const RunScores& base, const RunScores& fresh, RunComparison& comparison) {
  std::unordered_map<std::string_view, const ScoredCase*> by_id;
  for (const ScoredCase& one : base.cases) by_id.emplace(one.id, &one);
  Pairing pairing;
  std::set<std::string_view> met;
  for (const ScoredCase& one : fresh.cases) {
    const auto found = by_id.find(one.id);
    if (found == by_id.end()) {
      comparison.only_fresh.push_back(one.id);
      continue;
    }
    met.insert(found->first);
    const ScoredCase& before = *found->second;
    pairing.pairs.emplace_back(&before, &one);
    pairing.clustered = pairing.clustered && !one.cluster.empty() && one.cluster == before.cluster;
    if (!one.text.empty() && !before.text.empty() && one.text != before.text) ++comparison.different_text;
  }
  for (const ScoredCase& one : base.cases) {
    if (!met.contains(one.id)) comparison.only_base.push_back(one.id);
  }
  return pairing;
}

void add_most_changed(const std::vector<ChangedCase>& all, std::size_t most, RunComparison& comparison) {
  comparison.changed = all;
  std::sort(comparison.changed.begin(), comparison.changed.end(), [](const auto& a, const auto& b) {
    const double one = std::abs(a.fresh - a.base);
    const double other = std::abs(b.fresh - b.base);
    return one != other ? one > other : std::tie(a.figure, a.id) < std::tie(b.figure, b.id);
  });
  if (comparison.changed.size() > most) comparison.changed.resize(most);
}

std::vector<std::string> differences_between(const RunScores& base, const RunScores& fresh) {
  std::vector<std::string> list;
  const Json before(base.config);
  const Json after(fresh.config);
  add_config_differences(&before, &after, "", list);
  for (const auto& [name, print] : fresh.summary.prompts) {
    const auto known = base.summary.prompts.find(name);
    if (known != base.summary.prompts.end() && known->second != print)
      list.push_back(fmt::format("prompt {}: its text differs", name));
  }
  if (base.summary.assay != fresh.summary.assay)
    list.push_back(fmt::format("program: {} → {}", base.summary.assay, fresh.summary.assay));
  return list;
}

}  // namespace

bool RunComparison::regressed() const {
  return std::ranges::any_of(figures, &FigureChange::regression);
}

bool RunComparison::undecided() const {
  return std::ranges::any_of(figures, [this](const FigureChange& change) {
    const auto gained = gain(change);
    return gained && gained->low < -margin && gained->high >= -margin;
  });
}

Result<RunComparison> compare_runs(const RunScores& base, const RunScores& fresh,
                                   const CompareOptions& options) {
  if (base.summary.evaluation != fresh.summary.evaluation) {
    return fail(ErrorKind::usage, fmt::format("the runs are of different evaluations: {} and {}",
                                              base.summary.evaluation, fresh.summary.evaluation));
  }
  RunComparison comparison;
  comparison.base = base.directory;
  comparison.fresh = fresh.directory;
  comparison.evaluation = fresh.summary.evaluation;
  comparison.margin = options.margin;
  comparison.differences = differences_between(base, fresh);
  const Pairing pairing = pair_cases(base, fresh, comparison);
  comparison.pairs = static_cast<std::int64_t>(pairing.pairs.size());
  if (pairing.pairs.empty())
    return fail(ErrorKind::data, "the runs have no case in common: no id of one is in the other");

  std::vector<ChangedCase> changed;
  for (std::size_t f = 0; f < fresh.figures.size(); ++f) {
    const std::string& name = fresh.figures[f];
    const auto before = std::ranges::find(base.figures, name);
    if (before == base.figures.end()) continue;
    const auto b = static_cast<std::size_t>(before - base.figures.begin());
    Paired paired;
    std::int64_t unpaired = 0;
    for (const auto& [one, other] : pairing.pairs) {
      const auto from = b < one->scores.size() ? one->scores[b] : std::nullopt;
      const auto to = f < other->scores.size() ? other->scores[f] : std::nullopt;
      if (!from || !to) {
        if (from || to) ++unpaired;
        continue;
      }
      paired.base.push_back(*from);
      paired.fresh.push_back(*to);
      if (pairing.clustered) paired.clusters.push_back(other->cluster);
      if (*from != *to) changed.push_back({other->id, name, *from, *to, other->text});
    }
    comparison.figures.push_back(compare_figure(name, paired, unpaired, find_metric(fresh.summary, name)));
  }
  if (comparison.figures.empty())
    return fail(ErrorKind::data, "the runs have no figure in common that is a mean over cases");

  std::vector<std::optional<double>> p;
  p.reserve(comparison.figures.size());
  for (const FigureChange& change : comparison.figures) p.push_back(change.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < comparison.figures.size(); ++i) {
    FigureChange& change = comparison.figures[i];
    change.p_holm = adjusted[i];
    judge(change, options.margin);
    const Metric* metric = find_metric(fresh.summary, change.figure);
    change.sentence =
        sentence_of(change, options.margin, metric != nullptr ? metric->form : Metric::Form::number);
  }
  add_most_changed(changed, options.most_changed, comparison);
  for (const Metric& metric : fresh.summary.metrics) {
    if (std::ranges::find(comparison.figures, metric.name, &FigureChange::figure) != comparison.figures.end())
      continue;
    if (metric.form == Metric::Form::count) continue;
    const Metric* before = find_metric(base.summary, metric.name);
    if (before != nullptr)
      comparison.asides.push_back({metric.name, before->estimate.value, metric.estimate.value});
  }
  return comparison;
}

}  // namespace assay
