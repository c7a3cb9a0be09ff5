#include "stats/sequential/sequential.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "stats/comparisons/crossing.h"
#include "stats/quiet.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of what a gambler has, at most this share is staked.
constexpr double kLargestStake = 0.5;
// The mean of what is left of a population may miss 0 or 1 by this much before it is impossible.
constexpr double kRounding = 1e-9;
constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr const char* kOutside = "a score lies outside the range, which the interval relies on";

bool is_level(double level) {
  return level > 0 && level < 1;
}

double log_beta(double a, double b) {
  return boost::math::lgamma(a, Quiet()) + boost::math::lgamma(b, Quiet()) -
         boost::math::lgamma(a + b, Quiet());
}

// ln of Beta(a, b)'s mass above p.
double log_mass_above(double a, double b, double p) {
  return std::log(boost::math::ibetac(a, b, p, Quiet()));
}

double kept_within(double value, double low, double high) {
  return std::min(std::max(value, low), high);
}

}  // namespace

BettingSequence::BettingSequence(BettingPlan plan) : plan_(plan) {
  plan_.cells = std::clamp<std::size_t>(plan_.cells, 10, 100'000);
  higher_.assign(plan_.cells + 1, 1.0);
  lower_.assign(plan_.cells + 1, 1.0);
  last_ = plan_.cells;
  if (!is_level(plan_.level)) {
    broken_ = kBadLevel;
  } else if (!(plan_.range.low < plan_.range.high) || !std::isfinite(plan_.range.high - plan_.range.low)) {
    broken_ = "the range of the scores is empty or unbounded";
  } else if (plan_.population && *plan_.population < 1) {
    broken_ = "the population is empty";
  }
}

void BettingSequence::add(double score, double weight) {
  const bool known = std::isfinite(score);
  if (known && (score < plan_.range.low || score > plan_.range.high)) broken_ = kOutside;
  if (plan_.population && n_ + missing_ >= *plan_.population && broken_.empty()) {
    broken_ = "there are more scores than the population has";
  }
  if (!(weight > 0 && weight <= 1) || (plan_.population && weight != 1))
    broken_ = "a weight lies outside what the interval allows";
  if (!known) {
    if (plan_.population && broken_.empty()) {
      bet(0, 1, 1);
      exclude();
    }
    ++missing_;
    return;
  }
  const double share = (score - plan_.range.low) / (plan_.range.high - plan_.range.low);
  if (broken_.empty()) bet(share, share, weight);
  ++n_;
  sum_ += weight * share;
  weights_ += weight;
  const double running = (0.5 + sum_) / (1 + weights_);
  spread_ += weight * weight * (share - running) * (share - running);
  if (broken_.empty()) exclude();
}

// The first gambler wins by high scores, so the least possible one counts for him; the second by low ones.
void BettingSequence::bet(double least_score, double most_score, double weight) {
  const double t = static_cast<double>(n_ + 1);
  const double variance = spread_ / t;  // of the n_ scores before, with the prior's one
  const double stake = std::sqrt(2 * std::log(2 / (1 - plan_.level)) / (variance * t * std::log(1 + t)));
  const double step = 1 / static_cast<double>(plan_.cells);
  for (std::size_t i = first_; i <= last_; ++i) {
    const double m = static_cast<double>(i) * step;
    // What the next score is on average, if m is the mean; missing scores leave it open between two values,
    // and each gambler takes the one that is worse for him.
    double most = m;
    double least = m;
    if (plan_.population) {
      const double total = static_cast<double>(*plan_.population);
      const double left = total - static_cast<double>(n_ + missing_);
      most = (total * m - sum_) / left;
      least = (total * m - sum_ - static_cast<double>(missing_)) / left;
    }
    if (most < -kRounding) {
      higher_[i] = kInfinity;
    } else {
      most = kept_within(most, 0, 1);
      const double lambda = most > 0 ? std::min(stake, kLargestStake / most) : stake;
      higher_[i] *= 1 + lambda * weight * (least_score - most);
    }
    if (least > 1 + kRounding) {
      lower_[i] = kInfinity;
    } else {
      least = kept_within(least, 0, 1);
      const double lambda = least < 1 ? std::min(stake, kLargestStake / (1 - least)) : stake;
      lower_[i] *= 1 - lambda * weight * (most_score - least);
    }
  }
}

// Cell i lies between the points i and i + 1; its least wealth has the first product from its upper end and
// the second from its lower end.
void BettingSequence::exclude() {
  const double enough = 2 / (1 - plan_.level);
  const auto out = [&](std::size_t cell) { return higher_[cell + 1] + lower_[cell] >= enough; };
  while (first_ < last_ && out(first_)) ++first_;
  while (first_ < last_ && out(last_ - 1)) --last_;
  if (first_ == last_) {
    broken_ = "no mean agrees with all scores so far: they cannot have come in random order";
  }
}

Estimate BettingSequence::now() const {
  Estimate estimate;
  estimate.method = plan_.population ? "betting_without_replacement" : "betting";
  estimate.level = plan_.level;
  estimate.n = n_;
  if (missing_ > 0) estimate.missing["not_finite"] = missing_;
  const double width = plan_.range.high - plan_.range.low;
  if (n_ == 0) {
    estimate.undefined = broken_.empty() ? "no observations" : broken_;
    return estimate;
  }
  estimate.value = plan_.range.low + width * sum_ / weights_;
  if (!broken_.empty()) {
    estimate.undefined = broken_;
    return estimate;
  }
  const double cells = static_cast<double>(plan_.cells);
  double low = static_cast<double>(first_) / cells;
  double high = static_cast<double>(last_) / cells;
  if (plan_.population) {
    const double total = static_cast<double>(*plan_.population);
    const double possible_low = sum_ / total;
    const double possible_high = (sum_ + total - static_cast<double>(n_)) / total;
    low = kept_within(low, possible_low, possible_high);
    high = kept_within(high, possible_low, possible_high);
  }
  estimate.ci = Interval{plan_.range.low + width * low, plan_.range.low + width * high};
  return estimate;
}

double fixed_bet_e_value(std::span<const double> scores, double m, double bet) {
  if (!(m > 0 && m < 1 && bet <= 1 / m && bet >= -1 / (1 - m))) return kNaN;
  double wealth = 1;
  for (const double score : scores) {
    if (!(score >= 0 && score <= 1)) return kNaN;
    wealth *= 1 + bet * (score - m);
  }
  return wealth;
}

double normal_mixture_boundary(double v, double rho, double alpha) {
  if (!(v >= 0 && rho > 0 && alpha > 0 && alpha < 1)) return kNaN;
  return std::sqrt((v + rho) * (std::log1p(v / rho) - 2 * std::log(alpha)));
}

double normal_mixture_boundary_above(double v, double rho, double alpha) {
  if (!(v >= 0 && rho > 0 && alpha > 0 && alpha < 1) || !std::isfinite(v + rho)) return kNaN;
  const double scale = std::sqrt(v + rho);
  const boost::math::normal_distribution<double, Quiet> normal;
  const auto short_of = [&](double s) {
    return 0.5 * std::log(4 * rho / (v + rho)) + s * s / (2 * (v + rho)) +
           std::log(boost::math::cdf(normal, s / scale)) + std::log(alpha);
  };
  // The two-sided boundary is reached later, as its mixture puts half of its weight on the other side. With a
  // large α the boundary may lie below 0.
  return crossing(-30 * scale, normal_mixture_boundary(v, rho, alpha), short_of);
}

double normal_mixture_log_wealth(double s, double v, double rho) {
  if (!(v >= 0 && rho > 0)) return kNaN;
  return -0.5 * std::log1p(v / rho) + s * s / (2 * (v + rho));
}

double best_rho(double v, double alpha) {
  if (!(v > 0 && alpha > 0 && alpha < 1)) return kNaN;
  const double twice = -2 * std::log(alpha);
  return v / (twice + std::log1p(twice));
}

NormalMixtureSequence::NormalMixtureSequence(NormalMixturePlan plan) : plan_(plan) {
  if (!is_level(plan_.level)) {
    broken_ = kBadLevel;
  } else if (!(plan_.tuned_for > 0) || !std::isfinite(plan_.tuned_for)) {
    broken_ = "the number of observations that the interval is tuned for must be positive";
  } else if (plan_.range && (!(plan_.range->low < plan_.range->high) ||
                             !std::isfinite(plan_.range->high - plan_.range->low))) {
    broken_ = "the range of the scores is empty or unbounded";
  }
}

void NormalMixtureSequence::add(double value) {
  if (!std::isfinite(value)) {
    ++missing_;
    return;
  }
  if (plan_.range && (value < plan_.range->low || value > plan_.range->high)) broken_ = kOutside;
  ++n_;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(n_);
  squares_ += before * (value - mean_);
}

Estimate NormalMixtureSequence::now() const {
  Estimate estimate;
  estimate.method = plan_.range ? "normal_mixture" : "normal_mixture_asymptotic";
  estimate.level = plan_.level;
  estimate.n = n_;
  if (missing_ > 0) estimate.missing["not_finite"] = missing_;
  if (n_ == 0) {
    estimate.undefined = broken_.empty() ? "no observations" : broken_;
    return estimate;
  }
  estimate.value = mean_;
  if (!broken_.empty()) {
    estimate.undefined = broken_;
    return estimate;
  }
  const double n = static_cast<double>(n_);
  const double deviation = plan_.range ? (plan_.range->high - plan_.range->low) / 2 : std::sqrt(squares_ / n);
  if (!plan_.range && n_ < 2) {
    estimate.undefined = "no interval: one observation has no spread";
    return estimate;
  }
  if (!plan_.range && n_ < plan_.first_look) {
    estimate.undefined = fmt::format(
        "no interval before {} observations: until then their spread is known too badly", plan_.first_look);
    return estimate;
  }
  if (deviation <= 1e-13 * std::fabs(mean_) || deviation == 0) {
    estimate.undefined =
        "no interval: all observations are equal, which says nothing about the error of the mean";
    return estimate;
  }
  const double alpha = 1 - plan_.level;
  const double half = deviation * normal_mixture_boundary(n, best_rho(plan_.tuned_for, alpha), alpha) / n;
  estimate.ci = Interval{mean_ - half, mean_ + half};
  if (plan_.range) {
    estimate.ci->low = kept_within(estimate.ci->low, plan_.range->low, plan_.range->high);
    estimate.ci->high = kept_within(estimate.ci->high, plan_.range->low, plan_.range->high);
  }
  return estimate;
}

double beta_mixture_log_wealth(double successes, double failures, double p, double a, double b, BetsOn side) {
  if (!(successes >= 0 && failures >= 0 && p > 0 && p < 1 && a > 0 && b > 0)) return kNaN;
  double wealth = log_beta(a + successes, b + failures) - log_beta(a, b) - successes * std::log(p) -
                  failures * std::log1p(-p);
  if (side == BetsOn::larger) {
    wealth += log_mass_above(a + successes, b + failures, p) - log_mass_above(a, b, p);
  }
  return wealth;
}

Estimate bernoulli_sequence(std::int64_t successes, std::int64_t n, double level, double tuned_for) {
  if (n <= 0) return undefined_figure(n == 0 ? "no observations" : "a negative number of observations");
  if (successes < 0 || successes > n) return undefined_figure("the count lies outside 0 to n", n);
  Estimate estimate;
  estimate.n = n;
  estimate.count = successes;
  estimate.method = "beta_binomial";
  estimate.level = level;
  const double rate = static_cast<double>(successes) / static_cast<double>(n);
  estimate.value = rate;
  if (!is_level(level)) {
    estimate.undefined = kBadLevel;
    return estimate;
  }
  if (!(tuned_for > 0) || !std::isfinite(tuned_for)) {
    estimate.undefined = "the number of observations that the interval is tuned for must be positive";
    return estimate;
  }
  const double alpha = 1 - level;
  const double weight = std::max(best_rho(tuned_for, alpha) - 1, 1e-3);
  const double hits = static_cast<double>(successes);
  const double misses = static_cast<double>(n - successes);
  // Above 0: excluded. Written for a rate above the observed one; the other side is its mirror image.
  const auto excess = [&](double p, double s, double f) {
    return beta_mixture_log_wealth(s, f, p, weight * p, weight * (1 - p)) + std::log(alpha);
  };
  const auto upper = [&](double s, double f, double from) {
    constexpr double kNearOne = 1 - 1e-12;
    if (f == 0 || from >= kNearOne || !(excess(kNearOne, s, f) > 0)) return 1.0;
    return crossing(std::max(from, 1 - kNearOne), kNearOne, [&](double p) { return excess(p, s, f); });
  };
  estimate.ci = Interval{1 - upper(misses, hits, 1 - rate), upper(hits, misses, rate)};
  return estimate;
}

EValue paired_e_value(std::int64_t a_only, std::int64_t b_only, double a, double b, BetsOn side) {
  EValue value;
  value.method = "beta_mixture";
  if (a_only < 0 || b_only < 0) {
    value.undefined = "a count is negative";
    return value;
  }
  value.n = a_only + b_only;
  value.log_e =
      beta_mixture_log_wealth(static_cast<double>(a_only), static_cast<double>(b_only), 0.5, a, b, side);
  if (std::isnan(value.log_e)) {
    value.undefined = "the mixture's two parameters must be positive";
    value.log_e = 0;
    return value;
  }
  value.e = std::exp(value.log_e);
  value.p = std::min(1.0, std::exp(-value.log_e));
  return value;
}

void PairedEvidence::add(bool a_passed, bool b_passed) {
  if (a_passed == b_passed) return;
  ++(a_passed ? a_only_ : b_only_);
  largest_log_e_ = std::max(largest_log_e_, paired_e_value(a_only_, b_only_, 1, 1, side_).log_e);
}

EValue PairedEvidence::now() const {
  EValue value = paired_e_value(a_only_, b_only_, 1, 1, side_);
  value.p = std::exp(-largest_log_e_);
  return value;
}

std::vector<double> e_bh_adjusted(std::span<const double> e_values) {
  std::vector<double> adjusted(e_values.size(), kNaN);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < e_values.size(); ++i) {
    if (e_values[i] >= 0) order.push_back(i);
  }
  std::ranges::sort(order, [&](std::size_t x, std::size_t y) {
    return e_values[x] != e_values[y] ? e_values[x] > e_values[y] : x < y;
  });
  const double m = static_cast<double>(e_values.size());
  double least = 1;
  for (std::size_t k = order.size(); k > 0; --k) {
    least = std::min(least, m / (static_cast<double>(k) * e_values[order[k - 1]]));
    adjusted[order[k - 1]] = least;
  }
  return adjusted;
}

std::vector<bool> e_bh(std::span<const double> e_values, double rate) {
  std::vector<bool> rejected;
  for (const double adjusted : e_bh_adjusted(e_values)) rejected.push_back(adjusted <= rate);
  return rejected;
}

}  // namespace assay
