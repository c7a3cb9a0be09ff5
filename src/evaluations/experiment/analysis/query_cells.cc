#include "evaluations/experiment/analysis/query_cells.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "evaluations/experiment/analysis/by_query.h"
#include "stats/intervals/proportion.h"

namespace assay::experiment {
namespace {

// Of numbers, one a query.
Estimate mean_over_queries(const std::vector<double>& means, double level, const std::string& method) {
  Moments moments;
  for (const double mean : means) moments.add(mean);
  Estimate estimate = estimate_mean(moments, level);
  if (estimate.ci) estimate.method = method;
  return estimate;
}

// Whether values that stand for whole queries all lie at one end of [0, 1].
bool all_at_an_end(const std::vector<double>& means) {
  return !means.empty() && (std::ranges::all_of(means, [](double one) { return one == 0; }) ||
                            std::ranges::all_of(means, [](double one) { return one == 1; }));
}

constexpr Interval kUnit{0, 1};

bool is_unit(const Interval& scale) {
  return scale.low == kUnit.low && scale.high == kUnit.high;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// What the figure says is not said any more by `worst`.
TestResult worst_test(double seen, const std::vector<double>& worst, double neutral,
                      const std::string& method) {
  const double left = mean_of(worst) - neutral;
  if ((seen > neutral && left > 0) || (seen < neutral && left < 0)) return query_test(worst, neutral);
  TestResult gone;
  gone.statistic = 0;
  gone.p = 1;
  gone.method = method;
  return gone;
}

}  // namespace

std::optional<double> QueryCells::Cell::filled(double value) const {
  const std::int64_t all = came.n() + absent();
  if (all == 0) return std::nullopt;
  const double sum = came.n() > 0 ? *came.mean() * static_cast<double>(came.n()) : 0;
  return (sum + static_cast<double>(absent()) * value) / static_cast<double>(all);
}

std::string QueryCells::Cell::why_missing() const {
  std::string reason = kNoJudgement;
  std::int64_t most = absent();
  for (const auto& [why, count] : lacking) most -= count;
  for (const auto& [why, count] : lacking) {
    if (count > most) reason = why, most = count;
  }
  return reason;
}

void QueryCells::expect(std::size_t query, std::int64_t judgements) {
  cells_[query].expected += judgements;
}

void QueryCells::lack(std::size_t query, std::int64_t judgements, const char* reason) {
  if (judgements > 0) cells_[query].lacking[reason] += judgements;
}

void QueryCells::add(std::size_t query, double value) {
  cells_[query].came.add(value);
}

bool QueryCells::empty() const {
  return judgements() == 0;
}

std::int64_t QueryCells::judgements() const {
  std::int64_t sum = 0;
  for (const auto& [query, cell] : cells_) sum += cell.came.n();
  return sum;
}

std::optional<double> QueryCells::mean_of(std::size_t query) const {
  const auto found = cells_.find(query);
  return found == cells_.end() ? std::nullopt : found->second.came.mean();
}

Estimate mean_figure(const QueryCells& cells, double level) {
  std::vector<double> means;
  std::vector<double> low;
  std::vector<double> high;
  std::map<std::string, std::int64_t> missing;
  bool complete = true;
  for (const auto& [query, cell] : cells.cells_) {
    if (const auto mean = cell.came.mean()) {
      means.push_back(*mean);
    } else if (cell.expected > 0) {
      ++missing[cell.why_missing()];
    }
    complete &= cell.absent() == 0;
    if (const auto worst = cell.filled(cells.scale_.low)) low.push_back(*worst);
    if (const auto best = cell.filled(cells.scale_.high)) high.push_back(*best);
  }
  Estimate estimate;
  if (is_unit(cells.scale_) && all_at_an_end(means)) {
    estimate = wilson(std::ranges::count(means, 1.0), static_cast<std::int64_t>(means.size()), level);
    estimate.count = std::nullopt;  // of queries, not of judgements
    if (means.size() == 1) {
      estimate.ci = std::nullopt;
      estimate.method.clear();
      estimate.undefined = "one query shows no spread between queries";
    }
  } else {
    estimate = within_range(mean_over_queries(means, level, "t_over_queries"), cells.scale_);
  }
  estimate.missing = std::move(missing);
  if (!complete && !low.empty()) estimate.bounds = Interval{mean_of(low), mean_of(high)};
  return estimate;
}

Estimate share_figure(const QueryCells& cells, double level) {
  // Decisions are whole, so their counts can be had back from the moments.
  ClusteredMoments decisions;
  std::map<std::string, std::int64_t> missing;
  double yes = 0;
  double absent = 0;
  double all = 0;
  for (const auto& [query, cell] : cells.cells_) {
    const std::int64_t n = cell.came.n();
    const auto own = n > 0 ? std::llround(*cell.came.mean() * static_cast<double>(n)) : 0;
    for (std::int64_t i = 0; i < n; ++i) decisions.add(cluster_of(query), i < own ? 1 : 0);
    if (n == 0 && cell.expected > 0) ++missing[cell.why_missing()];
    yes += static_cast<double>(own);
    absent += static_cast<double>(cell.absent());
    all += static_cast<double>(n + cell.absent());
  }
  Estimate estimate = wilson_clustered(decisions, level);
  estimate.n = decisions.clusters();
  estimate.count = std::nullopt;
  estimate.missing = std::move(missing);
  if (absent > 0) estimate.bounds = Interval{yes / all, (yes + absent) / all};
  return estimate;
}

Finding against_neutral(const QueryCells& cells, double neutral, double level) {
  Finding finding;
  finding.neutral = neutral;
  finding.figure = mean_figure(cells, level);
  if (finding.figure.value) finding.figure.value = without_rounding(*finding.figure.value, neutral);
  std::vector<double> means;
  for (const auto& [query, cell] : cells.cells_) {
    if (const auto mean = cell.came.mean()) means.push_back(*mean);
  }
  finding.standard_error = query_error(means);
  finding.test = query_test(means, neutral);
  finding.worst = finding.test;
  if (!finding.figure.value || !finding.figure.bounds) return finding;
  const double fill = *finding.figure.value > neutral ? cells.scale_.low : cells.scale_.high;
  std::vector<double> worst;
  for (const auto& [query, cell] : cells.cells_) {
    if (const auto mean = cell.filled(fill)) worst.push_back(*mean);
  }
  finding.worst = worst_test(*finding.figure.value, worst, neutral, finding.test.method);
  return finding;
}

Finding paired_difference(const QueryCells& a, const QueryCells& b, double level) {
  std::set<std::size_t> queries;
  for (const auto& [query, cell] : a.cells_) queries.insert(query);
  for (const auto& [query, cell] : b.cells_) queries.insert(query);
  static const QueryCells::Cell kNone;
  const auto cell_of = [](const QueryCells& cells, std::size_t query) -> const QueryCells::Cell& {
    const auto found = cells.cells_.find(query);
    return found == cells.cells_.end() ? kNone : found->second;
  };
  std::vector<double> differences;
  std::vector<double> low;
  std::vector<double> high;
  std::map<std::string, std::int64_t> missing;
  bool complete = true;
  for (const std::size_t query : queries) {
    const QueryCells::Cell& own = cell_of(a, query);
    const QueryCells::Cell& other = cell_of(b, query);
    const auto mean = own.came.mean();
    const auto other_mean = other.came.mean();
    if (mean && other_mean) {
      differences.push_back(without_rounding(*mean - *other_mean, 0));
    } else {
      ++missing[(mean ? other : own).why_missing()];
    }
    complete &= mean.has_value() == other_mean.has_value() && own.absent() == 0 && other.absent() == 0;
    // A query that an arm was never asked about says nothing, missing or not.
    const auto least = own.filled(a.scale_.low);
    const auto least_other = other.filled(b.scale_.high);
    if (!least || !least_other) continue;
    low.push_back(*least - *least_other);
    high.push_back(*own.filled(a.scale_.high) - *other.filled(b.scale_.low));
  }
  Finding finding;
  finding.figure = mean_over_queries(differences, level, "paired_t");
  if (finding.figure.value) finding.figure.value = without_rounding(*finding.figure.value, finding.neutral);
  if (differences.empty()) finding.figure.undefined = "no query has judgements of both";
  finding.figure.missing = std::move(missing);
  finding.standard_error = query_error(differences);
  finding.test = query_test(differences, 0);
  finding.worst = finding.test;
  if (complete || low.empty()) return finding;
  finding.figure.bounds = Interval{mean_of(low), mean_of(high)};
  if (finding.figure.value)
    finding.worst =
        worst_test(*finding.figure.value, *finding.figure.value > 0 ? low : high, 0, finding.test.method);
  return finding;
}

}  // namespace assay::experiment
