// How large is the mean, and how sure is it? t intervals, for independent observations or for observations
// that come in clusters (several answers to one query). Nothing is kept but running sums, so a stream of any
// length fits. One observation or one cluster has a mean but no interval; so have observations that are all
// equal, since their spread says nothing about the error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/cluster_numbers.h"

namespace assay {

// Count, mean, spread, minimum and maximum of a stream (Welford's update; merging is Chan's). A value that is
// not finite never spoils the rest: it is counted and left out.
class Moments {
 public:
  void add(double value);
  void merge(const Moments& other);

  std::int64_t n() const { return n_; }
  std::int64_t not_finite() const { return not_finite_; }
  std::optional<double> mean() const;
  std::optional<double> minimum() const;
  std::optional<double> maximum() const;
  std::optional<double> sample_deviation() const;      // divides by n - 1; needs two
  std::optional<double> population_deviation() const;  // divides by n
  std::optional<double> standard_error() const;        // of the mean; needs two

 private:
  std::int64_t n_ = 0;
  std::int64_t not_finite_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared deviations from the mean
  double minimum_ = 0;
  double maximum_ = 0;
};

// The same for observations that belong to clusters; memory grows with the number of clusters only. They are
// told by their names, or by numbers that several of these share (cluster_numbers.h); never by both.
class ClusteredMoments {
 public:
  void add(std::string_view cluster, double value);
  void add(std::uint32_t cluster, double value);

  const Moments& all() const { return all_; }
  std::int64_t clusters() const { return static_cast<std::int64_t>(sums_.size()); }
  // (1/n)·sqrt(C/(C-1)·Σ_c(Σ_{i∈c}(s_i - s̄))²), Miller 2024, arXiv:2411.00640; needs two clusters.
  std::optional<double> standard_error() const;

 private:
  struct Cluster {
    std::int64_t n = 0;
    double mean = 0;
  };
  Moments all_;
  std::vector<Cluster>
      sums_;  // in order of first sight, so that the sum over clusters does not depend on hashing
  std::vector<std::uint32_t> places_;  // in sums_, from 1, by the clusters' numbers; 0: not seen
  ClusterNumbers names_;
};

Estimate estimate_mean(const Moments& moments, double level = 0.95);           // method "t"
Estimate estimate_mean(const ClusteredMoments& moments, double level = 0.95);  // method "t_clustered"
Estimate estimate_mean(std::span<const double> values, double level = 0.95);
// clusters[i] names the cluster of values[i]; lists of different length are undefined.
Estimate estimate_mean(std::span<const double> values, std::span<const std::string> clusters,
                       double level = 0.95);

// For observations that cannot lie outside `range` (a score in [0, 1]): neither can their mean, so the
// interval is cut there, which costs no coverage. An interval that touches nothing of the range stays as it
// is.
Estimate within_range(Estimate estimate, Interval range = {0, 1});

// Descriptions of the data at hand, without interval; undefined without enough data.
Estimate estimate_maximum(const Moments& moments);
Estimate estimate_sample_deviation(const Moments& moments);
Estimate estimate_population_deviation(const Moments& moments);

}  // namespace assay
