#include "report/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/compare/compare_differences.h"
#include "report/compare/compare_words.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/missing_pairs.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

// The two cases of a pair and what each has of one figure.
struct PairedScores {
  const ScoredCase* base;
  const ScoredCase* fresh;
  std::optional<double> from;
  std::optional<double> to;
};

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

// Where a score of this figure can lie: one of the two scales that scores have. Nothing if it is neither.
std::optional<Interval> range_of(Metric::Form form, const std::vector<PairedScores>& scores) {
  double least = 1;
  double most = 0;
  for (const PairedScores& one : scores) {
    for (const auto& score : {one.from, one.to}) {
      least = std::min(least, score.value_or(least));
      most = std::max(most, score.value_or(most));
    }
  }
  if (form == Metric::Form::share || (least >= 0 && most <= 1)) return Interval{0, 1};
  if (least >= 1 && most <= 5) return Interval{1, 5};
  return std::nullopt;
}

// Why a case has no score: how it ended, or that it was scored and has none of this figure.
std::string reason_of(std::string_view run, const ScoredCase& one) {
  return fmt::format("{}_{}", run, one.outcome == "scored" ? "no_score" : one.outcome);
}

FigureChange compare_figure(std::string name, const std::vector<PairedScores>& scores, bool clustered,
                            const Metric* metric) {
  FigureChange change;
  change.figure = std::move(name);
  if (metric != nullptr) {
    change.better = metric->better;
    change.form = metric->form;
  }
  if (change.figure == kFailedRate) {
    change.better = Metric::Better::lower;
    change.form = Metric::Form::share;
  }
  Moments base;
  Moments fresh;
  std::vector<double> from;
  std::vector<double> to;
  std::vector<double> differences;
  std::vector<std::string> clusters;
  MissingPairs missing(range_of(change.form, scores));
  for (const PairedScores& one : scores) {
    if (!one.from && !one.to) {
      ++change.neither;
    } else if (!one.from) {
      missing.lacks_second(*one.to, reason_of("base", *one.base), one.fresh->cluster);
    } else if (!one.to) {
      missing.lacks_first(*one.from, reason_of("new", *one.fresh), one.fresh->cluster);
    } else {
      from.push_back(*one.from);
      to.push_back(*one.to);
      differences.push_back(*one.to - *one.from);
      base.add(*one.from);
      fresh.add(*one.to);
      if (clustered) clusters.push_back(one.fresh->cluster);
      ++(*one.to > *one.from ? change.rose : *one.to < *one.from ? change.fell : change.equal);
    }
  }
  change.unpaired = missing.count();
  change.base = base.mean();
  change.fresh = fresh.mean();
  const Contrast contrast = paired_difference(to, from, clusters);
  change.difference = missing.added_to(contrast.difference);
  change.with_missing = missing.interval(differences, clusters);
  change.p = contrast.test.p;
  change.test = contrast.test.method;
  change.effect = cohen_dz(to, from);
  if (change.effect.value && contrast.difference.value == 0) change.effect.value = 0;
  return change;
}

// As "how much better"; worse is negative.
std::optional<Interval> gain(const FigureChange& change, const std::optional<Interval>& difference) {
  if (!difference || change.better == Metric::Better::neither) return std::nullopt;
  return change.better == Metric::Better::higher ? *difference
                                                 : Interval{-difference->high, -difference->low};
}

void judge(FigureChange& change, double margin) {
  if (change.rose + change.fell == 0 && change.equal > 0) {
    change.change = Change::same;
    return;
  }
  if (!change.difference.value || !change.difference.ci) return;
  const auto apart = [](const Interval& ci) { return ci.low > 0 || ci.high < 0; };
  const Interval& held = change.with_missing ? *change.with_missing : *change.difference.ci;
  // Pairs that lack a side and a scale that is not known leave nothing to hold the finding against.
  const bool unbounded = change.unpaired > 0 && !change.with_missing;
  change.hangs = apart(*change.difference.ci) && (unbounded || !apart(held));
  change.change = Change::undecided;
  if (!apart(*change.difference.ci) || change.hangs || change.better == Metric::Better::neither) return;
  change.change =
      (held.low > 0) == (change.better == Metric::Better::higher) ? Change::better : Change::worse;
  change.regression = gain(change, held)->high < -margin;
}

void add_most_changed(std::vector<ChangedCase> all, std::size_t most, RunComparison& comparison) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    const double one = std::abs(a.fresh - a.base);
    const double other = std::abs(b.fresh - b.base);
    return one != other ? one > other : std::tie(a.figure, a.id) < std::tie(b.figure, b.id);
  });
  comparison.changed_scores = static_cast<std::int64_t>(all.size());
  // Out of all of them: where many gain much, those that lose are not among the most changed.
  for (const ChangedCase& one : all) {
    if (!one.worse) continue;
    ++comparison.worse_scores;
    if (comparison.worst.size() < most) comparison.worst.push_back(one);
  }
  if (all.size() > most) all.resize(most);
  comparison.changed = std::move(all);
}

bool is_worse(double from, double to, Metric::Better better) {
  return better == Metric::Better::higher ? to < from : better == Metric::Better::lower && to > from;
}

// 1 if the case failed; nothing if it was left out by design, or by a judge that the other run does not have.
std::optional<double> failure_of(const ScoredCase& one, bool judged_alike) {
  if (one.outcome == "skipped" || (one.outcome == "judge_failed" && !judged_alike)) return std::nullopt;
  return one.outcome == "scored" || one.outcome.empty() ? 0 : 1;
}

// Not there if no case failed.
std::optional<FigureChange> compare_failures(const Pairing& pairing, RunComparison& comparison) {
  const bool alike = comparison.judged_differently.empty();
  std::vector<PairedScores> failures;
  bool any = false;
  for (const auto& [before, after] : pairing.pairs) {
    failures.push_back({before, after, failure_of(*before, alike), failure_of(*after, alike)});
    const auto& [base, fresh, from, to] = failures.back();
    any = any || from.value_or(0) + to.value_or(0) > 0;
    if (from == 0 && to == 1)
      comparison.new_failures.push_back({after->id, after->outcome, after->error, after->text});
    if (from == 1 && to == 0) comparison.mended.push_back(after->id);
    if (!alike || from != 0 || to != 0 || !before->passed || !after->passed) continue;
    if (*before->passed && !*after->passed) comparison.no_longer_pass.push_back(after->id);
    if (!*before->passed && *after->passed) comparison.pass_now.push_back(after->id);
  }
  if (!any) return std::nullopt;
  return compare_figure(std::string(kFailedRate), failures, pairing.clustered, nullptr);
}

// Every figure that both runs have.
void compare_scores(const RunScores& base, const RunScores& fresh, const Pairing& pairing,
                    const CompareOptions& options, RunComparison& comparison) {
  const bool alike = comparison.judged_differently.empty();
  std::vector<ChangedCase> changed;
  for (std::size_t f = 0; f < fresh.figures.size(); ++f) {
    const std::string& name = fresh.figures[f];
    const auto before = std::ranges::find(base.figures, name);
    if (before == base.figures.end()) continue;
    const auto b = static_cast<std::size_t>(before - base.figures.begin());
    const Metric* metric = find_metric(fresh.summary, name);
    const auto better = !alike              ? Metric::Better::neither
                        : metric != nullptr ? metric->better
                                            : Metric::Better::higher;
    std::vector<PairedScores> scores;
    scores.reserve(pairing.pairs.size());
    for (const auto& [one, other] : pairing.pairs) {
      const auto from = b < one->scores.size() ? one->scores[b] : std::nullopt;
      const auto to = f < other->scores.size() ? other->scores[f] : std::nullopt;
      scores.push_back({one, other, from, to});
      if (from && to && *from != *to)
        changed.push_back({other->id, name, *from, *to, other->text, is_worse(*from, *to, better)});
    }
    comparison.figures.push_back(compare_figure(name, scores, pairing.clustered, metric));
  }
  add_most_changed(std::move(changed), options.most_changed, comparison);
}

void add_asides(const RunScores& base, const RunScores& fresh, RunComparison& comparison) {
  for (const Metric& metric : fresh.summary.metrics) {
    if (std::ranges::find(comparison.figures, metric.name, &FigureChange::figure) != comparison.figures.end())
      continue;
    if (metric.form == Metric::Form::count) continue;
    const Metric* before = find_metric(base.summary, metric.name);
    if (before != nullptr)
      comparison.asides.push_back({metric.name, before->estimate.value, metric.estimate.value});
  }
}

}  // namespace

bool RunComparison::regressed() const {
  return std::ranges::any_of(figures, &FigureChange::regression);
}

bool RunComparison::undecided() const {
  return std::ranges::any_of(figures, [this](const FigureChange& change) {
    if (change.change == Change::not_comparable) return false;
    const auto gained = gain(change, change.with_missing ? change.with_missing : change.difference.ci);
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
  comparison.judged_differently = judging_differences(base, fresh);
  std::ranges::set_union(base.summary.simulated, fresh.summary.simulated,
                         std::back_inserter(comparison.simulated));
  const Pairing pairing = pair_cases(base, fresh, comparison);
  comparison.pairs = static_cast<std::int64_t>(pairing.pairs.size());
  if (pairing.pairs.empty())
    return fail(ErrorKind::data, "the runs have no case in common: no id of one is in the other");

  if (auto failures = compare_failures(pairing, comparison))
    comparison.figures.push_back(std::move(*failures));
  compare_scores(base, fresh, pairing, options, comparison);
  if (comparison.figures.empty())
    return fail(ErrorKind::data, "the runs have no figure in common that is a mean over cases");

  std::vector<std::optional<double>> p;
  p.reserve(comparison.figures.size());
  for (const FigureChange& change : comparison.figures) p.push_back(change.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < comparison.figures.size(); ++i) {
    FigureChange& change = comparison.figures[i];
    change.p_holm = adjusted[i];
    if (!comparison.judged_differently.empty() && change.figure != kFailedRate) {
      change.change = Change::not_comparable;
    } else {
      judge(change, options.margin);
    }
    change.sentence = change_sentence(change, comparison);
  }
  add_asides(base, fresh, comparison);
  comparison.conclusions = comparison_conclusions(comparison);
  return comparison;
}

}  // namespace assay
