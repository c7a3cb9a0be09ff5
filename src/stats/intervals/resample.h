// How sure is a figure that has no formula? The percentile bootstrap over a table of counts: cases that fall
// into the same cell are interchangeable, so drawing n cases again is one multinomial draw of the cells,
// whose cost does not grow with n. Draw d uses the d-th sequence of the key: the same counts give the same
// interval on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "stats/estimate.h"

namespace assay {

struct Resampling {
  std::int64_t draws = 10'000;
  double level = 0.95;
  Random random = Random::keyed("resampling");  // callers key it by run and metric
};

// An interval, or the reason why there is none.
struct ResampledInterval {
  std::optional<Interval> ci;
  std::string undefined;
};

// The value below which `share` (0 to 1) of the values lie, linear between neighbours; at least one value.
// Reorders them.
double quantile_of(std::span<double> values, double share);

// The middle `level` of the draws (quantiles interpolated linearly between neighbours). NaN is a draw where
// the figure is undefined: left out, and more than half of them leave no interval. Draws that are all equal
// leave none either: a point would claim certainty.
ResampledInterval percentile_interval(std::vector<double> draws, double level);

// The level whose percentiles hold as much as `level` promises when few units are drawn again: draws vary
// less than the data by (n − 1)/n, and the normal's quantiles are short of Student's. Both are made up for
// (Hesterberg, What Teachers Should Know about the Bootstrap, The American Statistician 69, 2015).
double expanded_level(double level, std::int64_t units);

// How often each cell occurs in one cluster; cells that it does not have are left out.
using ClusterCells = std::vector<std::pair<std::size_t, std::int64_t>>;
// With fewer clusters the percentiles are too narrow to be called what they claim.
inline constexpr std::size_t kFewestClusters = 10;

// Writes the figures of one resampled table; NaN where undefined.
using CellFigures = std::function<void(std::span<const std::int64_t> counts, std::span<double> figures)>;

// One interval per figure, all from the same draws. Work is bounded: a table with very many cells gets fewer
// draws, and below a thousand none, with the reason. With `clusters`, which together make up the counts,
// whole clusters are drawn again instead of cases; very many of them in groups, put together at random.
std::vector<ResampledInterval> resample_cells(std::span<const std::int64_t> counts, std::size_t figures,
                                              const CellFigures& evaluate, const Resampling& resampling,
                                              std::span<const ClusterCells> clusters = {});

// What was drawn again. The method says so: "bootstrap_percentile" or "bootstrap_clusters".
enum class Drawn { cases, clusters };
// Puts the interval or its reason into an estimate that has a value.
void attach(Estimate& estimate, const ResampledInterval& interval, double level, Drawn drawn = Drawn::cases);

}  // namespace assay
