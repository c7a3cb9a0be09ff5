#include "evaluations/custom/figures/case_table.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/median.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"
#include "stats/intervals/quantile.h"

namespace assay::custom {
namespace {

constexpr std::size_t kLongestValue = 80;  // of a slice, in bytes

// What the rows hold of one measure.
struct Tally {
  ClusteredMoments means;
  std::int64_t given = 0;
  double sum = 0;
  bool several = false;  // some case has more than one
  std::map<std::string, std::int64_t> missing;
  Moments worst;
  Moments best;
};

Tally tally(const CaseTable& table, std::size_t measure, Rows rows) {
  const auto& range = table.measures().list()[measure].range;
  const auto cells = table.column(measure);
  Tally tally;
  for (const std::uint32_t row : rows) {
    const Cell& cell = cells[row];
    if (const auto mean = cell.mean()) {
      tally.means.add(table.cluster(row), *mean);
      tally.given += cell.given;
      tally.sum += cell.sum;
      tally.several = tally.several || cell.given > 1;
    }
    if (cell.missing > 0) tally.missing[std::string(to_string(cell.reason))] += cell.missing;
    if (!range || cell.given + cell.missing == 0) continue;
    tally.worst.add(*cell.mean_with_missing_at(range->low));
    tally.best.add(*cell.mean_with_missing_at(range->high));
  }
  return tally;
}

Estimate mean_of(const CaseTable& table, const Tally& tally) {
  return table.clustered() ? estimate_mean(tally.means) : estimate_mean(tally.means.all());
}

// The deviation whose square was averaged.
Estimate root_of(Estimate estimate) {
  if (estimate.value) estimate.value = std::sqrt(*estimate.value);
  if (estimate.ci)
    estimate.ci = Interval{std::sqrt(std::max(0.0, estimate.ci->low)), std::sqrt(estimate.ci->high)};
  return estimate;
}

}  // namespace

std::uint32_t SliceValues::of(const std::string& value) {
  if (value.empty()) return 0;
  const std::string shown = shorten(value, kLongestValue);
  const auto found = numbers_.find(shown);
  if (found != numbers_.end()) return found->second;
  if (names_.size() > kMost) {
    ++beyond_;
    return 0;
  }
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(shown);
  numbers_.emplace(shown, number);
  return number;
}

CaseTable::CaseTable(const Measures& measures)
    : measures_(measures),
      columns_(measures.list().size()),
      slices_(measures.design().slices.size()),
      values_(measures.design().slices.size()),
      latencies_(measures.design().variants.size()) {}

void CaseTable::add(const Case& input, const CaseMarks& marks, OutcomeKind otherwise) {
  measures_.read(marks, otherwise, cells_);
  for (std::size_t i = 0; i < cells_.size(); ++i) columns_[i].push_back(cells_[i]);
  const auto row = static_cast<std::uint32_t>(clusters_.size());
  clustered_ = clustered_ || !input.cluster.empty();
  // A name that no cluster in the data has.
  clusters_.push_back(input.cluster.empty() ? numbers_.of(fmt::format("\x1f{}", row))
                                            : numbers_.of(input.cluster));
  rows_.push_back(row);
  for (std::size_t field = 0; field < slices_.size(); ++field) {
    slices_[field].push_back(field < marks.slices.size() ? values_[field].of(marks.slices[field]) : 0);
  }
  for (std::size_t v = 0; v < std::min(latencies_.size(), marks.answers.size()); ++v) {
    for (const AnswerMarks& answer : marks.answers[v]) {
      if (answer.answered && answer.latency_ms && std::isfinite(*answer.latency_ms))
        latencies_[v].push_back({static_cast<float>(*answer.latency_ms), row});
    }
  }
}

CaseTable::Latencies CaseTable::latencies(std::size_t variant) const {
  Latencies all;
  const bool grouped = clustered_ || measures_.design().repeats > 1;
  for (const Latency& one : latencies_[variant]) {
    all.milliseconds.push_back(one.milliseconds);
    if (grouped) all.clusters.push_back(clusters_[one.row]);
  }
  return all;
}

Estimate estimate_measure(const CaseTable& table, std::size_t measure, Rows rows) {
  const Measure& what = table.measures().list()[measure];
  const Tally all = tally(table, measure, rows);
  Estimate estimate;
  if (all.means.all().n() == 0) {
    estimate = undefined_figure(what.reading == Reading::cost ? "no answer has a known cost"
                                                              : "no answer has a mark");
  } else if (what.decisions && !table.clustered() && !all.several) {
    estimate = wilson(std::llround(all.sum), all.given);
  } else if (what.decisions) {
    estimate = wilson_shares(all.means, all.given);
    if (table.clustered()) estimate.method = "wilson_shares_clustered";
  } else if (what.reading == Reading::vote_spread) {
    estimate = root_of(mean_of(table, all));
  } else {
    estimate = mean_of(table, all);
    if (what.range) estimate = within_range(std::move(estimate), *what.range);
    // All won, all lost, no vote in the minority: nothing varies, and still is uncertain.
    const bool share = what.range && what.range->low == 0 && what.range->high == 1;
    if (!estimate.ci && estimate.value && share) {
      if (const auto equal = wilson_of_equal(*estimate.value, all.means.clusters())) {
        estimate.ci = equal;
        estimate.undefined.clear();
        estimate.method = table.clustered() ? "wilson_shares_clustered" : "wilson_shares";
      }
    }
  }
  if (all.missing.empty()) return estimate;
  estimate = count_missing(std::move(estimate), all.missing);
  if (what.range) estimate.bounds = Interval{*all.worst.mean(), *all.best.mean()};
  return estimate;
}

Estimate estimate_case_median(const CaseTable& table, std::size_t measure, Rows rows) {
  const Measure& what = table.measures().list()[measure];
  std::vector<double> means;
  std::vector<std::uint32_t> clusters;
  std::map<std::string, std::int64_t> missing;  // cases without any
  for (const std::uint32_t row : rows) {
    const Cell& cell = table.column(measure)[row];
    if (const auto mean = cell.mean()) {
      means.push_back(*mean);
      clusters.push_back(table.cluster(row));
    } else if (cell.missing > 0) {
      ++missing[std::string(to_string(cell.reason))];
    }
  }
  Estimate estimate = median_with_missing(means, missing, what.range.value_or(Interval{}));
  if (!table.clustered() || means.empty()) return estimate;
  Estimate clustered = estimate_quantile(means, 0.5, clusters);
  clustered.missing = std::move(estimate.missing);
  clustered.bounds = estimate.bounds;
  return clustered;
}

}  // namespace assay::custom
