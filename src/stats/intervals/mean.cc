#include "stats/intervals/mean.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace assay {
namespace {

constexpr const char* kNone = "no observations";

// mean ± t·error with `freedom` degrees of freedom; an absent error says why in `no_error`.
Estimate t_estimate(const Moments& moments, std::optional<double> error, std::int64_t freedom, double level,
                    std::string method, std::string no_error) {
  Estimate estimate;
  estimate.value = moments.mean();
  estimate.n = moments.n();
  estimate.method = std::move(method);
  estimate.level = level;
  if (moments.not_finite() > 0) estimate.missing["not_finite"] = moments.not_finite();
  if (!estimate.value) {
    estimate.undefined = kNone;
  } else if (!(level > 0 && level < 1)) {
    estimate.undefined = "an interval's level must lie between 0 and 1";
  } else if (!error) {
    estimate.undefined = std::move(no_error);
  } else if (*error <= 0) {
    estimate.undefined =
        "no interval: all observations are equal (or the means of all clusters), which says nothing about "
        "the "
        "error of the mean";
  } else {
    const boost::math::students_t distribution(static_cast<double>(freedom));
    const double half = boost::math::quantile(distribution, 0.5 + level / 2) * *error;
    estimate.ci = Interval{*estimate.value - half, *estimate.value + half};
  }
  return estimate;
}

Estimate description(std::optional<double> value, const Moments& moments, const char* reason) {
  if (!value) return undefined_figure(moments.n() == 0 ? kNone : reason, moments.n());
  return plain_figure(*value, moments.n());
}

}  // namespace

void Moments::add(double value) {
  if (!std::isfinite(value)) {
    ++not_finite_;
    return;
  }
  minimum_ = n_ == 0 ? value : std::min(minimum_, value);
  maximum_ = n_ == 0 ? value : std::max(maximum_, value);
  ++n_;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(n_);
  squares_ += before * (value - mean_);
}

void Moments::merge(const Moments& other) {
  not_finite_ += other.not_finite_;
  if (other.n_ == 0) return;
  if (n_ == 0) {
    const std::int64_t not_finite = not_finite_;
    *this = other;
    not_finite_ = not_finite;
    return;
  }
  const double size = static_cast<double>(n_);
  const double other_size = static_cast<double>(other.n_);
  const double distance = other.mean_ - mean_;
  squares_ += other.squares_ + distance * distance * size * other_size / (size + other_size);
  mean_ += distance * other_size / (size + other_size);
  n_ += other.n_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
}

std::optional<double> Moments::mean() const {
  if (n_ == 0) return std::nullopt;
  return mean_;
}

std::optional<double> Moments::minimum() const {
  if (n_ == 0) return std::nullopt;
  return minimum_;
}

std::optional<double> Moments::maximum() const {
  if (n_ == 0) return std::nullopt;
  return maximum_;
}

std::optional<double> Moments::sample_deviation() const {
  if (n_ < 2) return std::nullopt;
  return minimum_ == maximum_ ? 0 : std::sqrt(squares_ / static_cast<double>(n_ - 1));
}

std::optional<double> Moments::population_deviation() const {
  if (n_ == 0) return std::nullopt;
  return minimum_ == maximum_ ? 0 : std::sqrt(squares_ / static_cast<double>(n_));
}

std::optional<double> Moments::standard_error() const {
  const auto deviation = sample_deviation();
  if (!deviation) return std::nullopt;
  return *deviation / std::sqrt(static_cast<double>(n_));
}

void ClusteredMoments::add(std::string_view cluster, double value) {
  add(names_.of(cluster), value);
}

void ClusteredMoments::add(std::uint32_t cluster, double value) {
  all_.add(value);
  if (!std::isfinite(value)) return;
  if (cluster >= places_.size()) places_.resize(std::size_t{cluster} + 1);
  if (places_[cluster] == 0) {
    sums_.emplace_back();
    places_[cluster] = static_cast<std::uint32_t>(sums_.size());
  }
  Cluster& sum = sums_[places_[cluster] - 1];
  ++sum.n;
  sum.mean += (value - sum.mean) / static_cast<double>(sum.n);
}

std::optional<double> ClusteredMoments::standard_error() const {
  if (sums_.size() < 2) return std::nullopt;
  // All equal: exactly 0, where rounding in the running means would leave a trace.
  if (*all_.minimum() == *all_.maximum()) return 0;
  double squares = 0;
  for (const Cluster& cluster : sums_) {
    const double deviation = static_cast<double>(cluster.n) * (cluster.mean - *all_.mean());
    squares += deviation * deviation;
  }
  const double count = static_cast<double>(sums_.size());
  const double error = std::sqrt(squares * count / (count - 1)) / static_cast<double>(all_.n());
  // Clusters whose means agree leave nothing but rounding, which depends on the order of the rows.
  return error > 1e-13 * (*all_.maximum() - *all_.minimum()) ? error : 0;
}

Estimate estimate_mean(const Moments& moments, double level) {
  return t_estimate(moments, moments.standard_error(), moments.n() - 1, level, "t",
                    "no interval: one observation has no spread");
}

Estimate estimate_mean(const ClusteredMoments& moments, double level) {
  return t_estimate(moments.all(), moments.standard_error(), moments.clusters() - 1, level, "t_clustered",
                    "no interval: one cluster shows no spread between clusters");
}

Estimate estimate_mean(std::span<const double> values, double level) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return estimate_mean(moments, level);
}

Estimate estimate_mean(std::span<const double> values, std::span<const std::string> clusters, double level) {
  if (values.size() != clusters.size()) return undefined_figure("not every value has its cluster");
  ClusteredMoments moments;
  for (std::size_t i = 0; i < values.size(); ++i) moments.add(clusters[i], values[i]);
  return estimate_mean(moments, level);
}

Estimate within_range(Estimate estimate, Interval range) {
  if (!estimate.ci || estimate.ci->low > range.high || estimate.ci->high < range.low) return estimate;
  estimate.ci->low = std::max(estimate.ci->low, range.low);
  estimate.ci->high = std::min(estimate.ci->high, range.high);
  return estimate;
}

Estimate estimate_maximum(const Moments& moments) {
  return description(moments.maximum(), moments, kNone);
}

Estimate estimate_sample_deviation(const Moments& moments) {
  return description(moments.sample_deviation(), moments, "one observation has no spread");
}

Estimate estimate_population_deviation(const Moments& moments) {
  return description(moments.population_deviation(), moments, kNone);
}

}  // namespace assay
