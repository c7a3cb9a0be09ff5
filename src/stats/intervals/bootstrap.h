// How sure is any figure, when its rows come in clusters? The bootstrap draws clusters again (queries,
// conversations, tasks), or rows when there are no clusters, and looks how far the figure moves. The BCa
// interval (Efron 1987, "Better bootstrap confidence intervals") corrects the percentiles for bias and skew:
//
//   z0 = Φ⁻¹(share of draws below the figure; ties count half)
//   a  = Σ(θ̄ - θ_(i))³ / (6·(Σ(θ̄ - θ_(i))²)^(3/2)),  θ_(i) = the figure without cluster i
//   shares: Φ(z0 + (z0 + z)/(1 - a·(z0 + z))) for the z of both tails
//
// Assumes that clusters are drawn independently of each other. With fewer than about 20 clusters prefer the t
// interval of stats/mean.h; the bootstrap knows nothing beyond what it saw. Figures that do not move (all
// passed, one cluster) have no interval: use a proportion's (stats/proportion.h) or a betting interval
// (stats/sequential.h).
//
// Draw d uses sequence d of the key, so the result does not depend on the number of threads, and sums are
// taken in an order that does not depend on the order of the rows (where said).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

enum class BootstrapKind { bca, percentile };

struct Bootstrap {
  BootstrapKind kind = BootstrapKind::bca;
  std::int64_t draws = 10'000;
  double level = 0.95;
  Random random = Random::keyed("bootstrap");  // callers key it by run and metric
  unsigned threads = 0;                        // 0: one per core, if there is work for them
};

// The figure of the drawn rows (a row drawn twice stands there twice); NaN where it is undefined. Called from
// several threads at once: it must not change anything that they share.
using RowFigure = std::function<double(std::span<const std::size_t> rows)>;

// The figure of rows 0…rows-1 with its interval, method "bootstrap_bca" or "bootstrap_percentile"; `n` is the
// number of rows. clusters[i] names the cluster of row i; an empty list: every row stands for itself.
// Clusters are put in the order of their names and rows in theirs, so rows may come in any order if they have
// clusters. Draws where the figure is undefined are left out; more than half of them leave no interval. Work
// is bounded: very many rows get fewer draws, and below a thousand none, with the reason.
Estimate bootstrap(std::size_t rows, std::span<const std::string> clusters, const RowFigure& figure,
                   const Bootstrap& options = {});

// The same for Σ numerators / Σ denominators, which needs the sums of each cluster only: 10,000 draws take a
// fraction of a second, also of millions of rows (more than 10,000 clusters that are not alike are drawn in
// 10,000 groups, put together at random). Rows with a number that is not finite are left out and counted.
// Neither the order of the rows nor the names of the clusters matter. A sum of denominators of 0 is
// undefined.
Estimate bootstrap_ratio(std::span<const double> numerators, std::span<const double> denominators,
                         std::span<const std::string> clusters = {}, const Bootstrap& options = {});

// The ratio with all denominators 1.
Estimate bootstrap_mean(std::span<const double> values, std::span<const std::string> clusters = {},
                        const Bootstrap& options = {});

// The BCa formula by itself, for any bootstrap distribution. `draws` that are not finite are left out, as in
// percentile_interval. No interval where all draws lie on one side of `value` (z0 is infinite) or where the
// correction breaks down (a·(z0 + z) >= 1).
ResampledInterval bca_interval(double value, std::vector<double> draws, double acceleration, double level);

// z0; infinite where all draws lie on one side. Draws that are not finite do not count; none gives NaN.
double bca_bias(double value, std::span<const double> draws);

// a, from the figures without each cluster in turn; those that are not finite are left out. 0 where they are
// all equal: there is no skew to correct.
double bca_acceleration(std::span<const double> without_each);

// Which shares of the draws bound the interval; NaN where the correction breaks down.
Interval bca_shares(double bias, double acceleration, double level);

}  // namespace assay
