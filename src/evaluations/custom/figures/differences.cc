#include "evaluations/custom/figures/differences.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "stats/comparisons/adjust.h"
#include "stats/comparisons/pairs.h"
#include "stats/comparisons/planning.h"
#include "stats/intervals/mean.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kFewUnits = 10;

// The differences of all cases that have something on at least one side.
struct Pairs {
  std::vector<double> variant;  // where both have a mean
  std::vector<double> baseline;
  std::vector<std::string> clusters;
  // With what is missing at its worst and best; over the same cases and those that lack a side.
  std::vector<double> lowest;
  std::vector<double> highest;
  std::vector<std::string> all_clusters;
  std::map<std::string, std::int64_t> missing;
};

class PairReader {
 public:
  PairReader(const CaseTable& table, std::optional<Interval> range) : table_(table), range_(range) {}

  void add(std::uint32_t row, const Cell& variant, const Cell& baseline) {
    const auto first = variant.mean();
    const auto second = baseline.mean();
    if (!first && !second) return;
    // Not applicable on one side: no pair at all.
    if (variant.given + variant.missing == 0 || baseline.given + baseline.missing == 0) return;
    const std::string cluster = table_.clustered() ? std::to_string(table_.cluster(row)) : std::string();
    if (first && second) {
      pairs.variant.push_back(*first);
      pairs.baseline.push_back(*second);
      if (table_.clustered()) pairs.clusters.push_back(cluster);
    }
    if (variant.missing > 0) ++pairs.missing[std::string(to_string(variant.reason))];
    if (baseline.missing > 0 && variant.missing == 0)
      ++pairs.missing[std::string(to_string(baseline.reason))];
    if (!range_) return;
    pairs.lowest.push_back(*variant.mean_with_missing_at(range_->low) -
                           *baseline.mean_with_missing_at(range_->high));
    pairs.highest.push_back(*variant.mean_with_missing_at(range_->high) -
                            *baseline.mean_with_missing_at(range_->low));
    if (table_.clustered()) pairs.all_clusters.push_back(cluster);
  }

  Pairs pairs;

 private:
  const CaseTable& table_;
  std::optional<Interval> range_;
};

std::optional<double> mean_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments.mean();
}

std::optional<Interval> interval_of(const std::vector<double>& differences,
                                    const std::vector<std::string>& clusters) {
  const std::vector<double> nothing(differences.size(), 0);
  return paired_difference(differences, nothing, clusters).difference.ci;
}

void add_missing(const Pairs& pairs, Comparison& comparison) {
  if (pairs.missing.empty()) return;
  comparison.difference.missing = pairs.missing;
  if (pairs.lowest.empty()) return;
  comparison.difference.bounds = Interval{*mean_of(pairs.lowest), *mean_of(pairs.highest)};
  const auto low = interval_of(pairs.lowest, pairs.all_clusters);
  const auto high = interval_of(pairs.highest, pairs.all_clusters);
  // Without an interval at an end, at least the end itself.
  comparison.with_missing = Interval{low ? low->low : comparison.difference.bounds->low,
                                     high ? high->high : comparison.difference.bounds->high};
}

// Where no case differs there is no spread to make an interval from, and still something is left open: were a
// share q of the units otherwise, none of n would have shown it with probability (1 − q)ⁿ. So with 95 %
// confidence at most u = 1 − 0.05^(1/n) of them are (about 3/n), and the mean lies where those could bring
// it.
void bound_all_equal(const Pairs& pairs, Comparison& comparison) {
  Estimate& difference = comparison.difference;
  if (difference.ci || !comparison.scale || pairs.variant.empty() || pairs.variant != pairs.baseline) return;
  const double others = 1 - std::pow(1 - difference.level, 1.0 / static_cast<double>(comparison.units));
  const double span = (comparison.scale->high - comparison.scale->low) * (comparison.pairwise ? 0.5 : 1);
  difference.ci = Interval{-others * span, others * span};
  difference.method = pairs.clusters.empty() ? "all_equal" : "all_equal_clustered";
  difference.undefined.clear();
}

void decide(const Pairs& pairs, Comparison& comparison) {
  ClusteredMoments moments;
  for (std::size_t i = 0; i < pairs.variant.size(); ++i) {
    moments.add(pairs.clusters.empty() ? std::to_string(i) : pairs.clusters[i],
                pairs.variant[i] - pairs.baseline[i]);
  }
  comparison.units = moments.clusters();
  comparison.error = pairs.clusters.empty() ? moments.all().standard_error() : moments.standard_error();
  comparison.baseline_value = mean_of(pairs.baseline);
  comparison.variant_value = mean_of(pairs.variant);
  Contrast contrast = paired_difference(pairs.variant, pairs.baseline, pairs.clusters);
  comparison.difference = std::move(contrast.difference);
  if (comparison.scale) {
    const double span = (comparison.scale->high - comparison.scale->low) * (comparison.pairwise ? 0.5 : 1);
    comparison.difference = within_range(std::move(comparison.difference), {-span, span});
  }
  bound_all_equal(pairs, comparison);
  comparison.p = contrast.test.p;
  if (pairs.variant.empty()) {
    comparison.difference.undefined = "no case has a mark of both";
  } else if (comparison.units < kFewUnits || !comparison.p) {
    const TestResult flips = pairs.clusters.empty()
                                 ? sign_flip(pairs.variant, pairs.baseline)
                                 : sign_flip(pairs.variant, pairs.baseline, pairs.clusters);
    comparison.p = flips.p;
  }
  add_missing(pairs, comparison);
}

Comparison about(const CaseTable& table, std::size_t measure) {
  const Measure& what = table.measures().list()[measure];
  Comparison comparison;
  comparison.variant = table.measures().design().variants[*what.variant];
  comparison.metric = what.stem;
  comparison.family = what.family;
  comparison.form = what.form;
  comparison.better = what.better;
  comparison.scale = what.range;
  return comparison;
}

// A comparison that the judge made itself: the share won, against an even one.
Comparison compare_wins(const CaseTable& table, std::size_t measure, Rows rows) {
  Comparison comparison = about(table, measure);
  comparison.pairwise = true;
  comparison.name = table.measures().list()[measure].name;
  PairReader reader(table, Interval{0, 1});
  Cell even;
  even.give(0.5);
  for (const std::uint32_t row : rows) {
    const Cell& cell = table.column(measure)[row];
    reader.add(row, cell, even);
  }
  decide(reader.pairs, comparison);
  return comparison;
}

Comparison compare_means(const CaseTable& table, const Difference& what, Rows rows) {
  Comparison comparison = about(table, what.variant);
  comparison.name = what.name;
  PairReader reader(table, comparison.scale);
  for (const std::uint32_t row : rows)
    reader.add(row, table.column(what.variant)[row], table.column(what.baseline)[row]);
  decide(reader.pairs, comparison);
  return comparison;
}

}  // namespace

Comparison::Verdict Comparison::verdict(double level) const {
  if (difference.n == 0 || !difference.value) return Verdict::no_answer;
  const double alpha = 1 - level;
  const bool found = family && p_holm && *p_holm <= alpha && *difference.value != 0;
  if (!found) {
    const bool none = *difference.value == 0 && error && *error == 0 && difference.missing.empty();
    return none ? Verdict::same : Verdict::open;
  }
  const bool up = *difference.value > 0;
  if (with_missing && (up ? with_missing->low <= 0 : with_missing->high >= 0)) return Verdict::hangs;
  return up == (better != Metric::Better::lower) ? Verdict::better : Verdict::worse;
}

std::vector<Comparison> compare_variants(const CaseTable& table, Rows rows) {
  const auto& measures = table.measures().list();
  std::vector<Comparison> list;
  if (!table.measures().design().baseline) return list;
  for (const Difference& difference : table.measures().differences())
    list.push_back(compare_means(table, difference, rows));
  for (std::size_t i = 0; i < measures.size(); ++i) {
    if (measures[i].reading == Reading::win) list.push_back(compare_wins(table, i, rows));
  }
  // What has no p still is a question that was asked: it counts in the family.
  std::vector<std::optional<double>> family;
  for (const Comparison& comparison : list) {
    if (comparison.family) family.push_back(comparison.p.value_or(1));
  }
  const auto adjusted = holm(family);
  std::size_t next = 0;
  for (Comparison& comparison : list) {
    if (!comparison.family) continue;
    const auto p = adjusted[next++];
    if (comparison.p) comparison.p_holm = p;
  }
  return list;
}

std::optional<std::int64_t> cases_needed(const Comparison& comparison, double delta) {
  if (!comparison.error || *comparison.error <= 0 || comparison.difference.n < 2) return std::nullopt;
  // The error of the mean holds what clusters and repeats do to it.
  PairedSpread spread;
  spread.omega_squared = *comparison.error * *comparison.error * static_cast<double>(comparison.difference.n);
  return paired_sample_size(delta, spread).cases;
}

}  // namespace assay::custom
