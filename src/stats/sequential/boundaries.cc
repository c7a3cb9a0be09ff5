#include "stats/sequential/boundaries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/special_functions/zeta.hpp>
#include <boost/math/tools/minima.hpp>

#include "stats/comparisons/crossing.h"
#include "stats/quiet.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Stands for the logarithm of a wealth of nothing: a search for a crossing needs finite values.
constexpr double kNothing = -1e6;
// Of sqrt(v + ρ). Below, the incomplete gamma functions would be asked for shapes above 1e10, where they lose
// their digits.
constexpr double kLeastScale = 1e-5;

bool is_positive(double x) {
  return x > 0 && std::isfinite(x);
}

bool is_probability(double alpha) {
  return alpha > 0 && alpha < 1;
}

// ln Γ(x) less Stirling's formula, (x - ½)·ln x - x + ½·ln 2π.
double stirling_remainder(double x) {
  if (x < 10) {
    return boost::math::lgamma(x, Quiet()) -
           ((x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi));
  }
  const double square = x * x;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / x;
}

// u - ln(1 + u)
double above_log(double u) {
  return -boost::math::log1pmx(u, Quiet());
}

// The gamma distributions behind both mixtures, in the terms of the header.
struct Shapes {
  double a = 0;
  double b = 0;
  double u = 0;
  double log_share = 0;  // ln(a/b)

  Shapes(double s, double v, double rho, double c) {
    const double scale = std::max(c, kLeastScale * std::sqrt(v + rho));
    a = rho / (scale * scale);
    b = (v + rho) / (scale * scale);
    u = scale * s / (v + rho);
    log_share = std::log(rho / (v + rho));
  }
  static bool possible(double v, double rho, double c) {
    return v >= 0 && is_positive(rho) && is_positive(c) && std::isfinite(v + rho);
  }
};

// Where a log wealth that rises in s reaches ln(1/α).
template <class LogWealth>
double reached(double v, double rho, double c, double alpha, const LogWealth& log_wealth) {
  const auto short_of = [&](double s) { return std::max(log_wealth(s) + std::log(alpha), kNothing); };
  const double scale = std::sqrt(v + rho);
  double high = scale;
  while (std::isfinite(high) && !(short_of(high) > 0)) high *= 2;
  if (!std::isfinite(high)) return kNaN;
  // With a large α the boundary may lie below 0.
  const double low = std::max(-30 * scale, -(1 - 1e-9) * (v + rho) / std::max(c, kLeastScale * scale));
  return crossing(low, high, short_of);
}

// The least ln of the error that `distribution_boundary` allows, over the ratio η of its epochs.
double log_error(double constant, double leading) {
  // γ² > 1 holds below this η.
  const double most = crossing(1, 2 * leading * leading, [&](double eta) {
    return std::sqrt(eta / 2) + std::sqrt(2 * (eta - 1) / constant) - leading;
  });
  const auto at = [&](double eta) {
    const double gamma = std::sqrt(2 / eta) * (leading - std::sqrt(2 * (eta - 1) / constant));
    const double excess = gamma * gamma - 1;
    if (!(excess > 0) || !(eta > 1)) return std::numeric_limits<double>::max();
    return std::log(4) - gamma * gamma * constant + std::log1p(1 / (excess * std::log(eta)));
  };
  return boost::math::tools::brent_find_minima(at, 1.0, most, std::numeric_limits<double>::digits / 2).second;
}

}  // namespace

double gamma_exponential_log_wealth(double s, double v, double rho, double c) {
  if (!Shapes::possible(v, rho, c)) return kNaN;
  const auto [a, b, u, log_share] = Shapes(s, v, rho, c);
  if (!(u > -1)) return kNaN;
  return log_share / 2 + b * above_log(u) + stirling_remainder(b) - stirling_remainder(a) +
         std::log(boost::math::gamma_p(b, b * (1 + u), Quiet())) -
         std::log(boost::math::gamma_p(a, a, Quiet()));
}

double gamma_exponential_boundary(double v, double rho, double c, double alpha) {
  if (!is_probability(alpha) || std::isnan(gamma_exponential_log_wealth(0, v, rho, c))) return kNaN;
  return reached(v, rho, c, alpha, [&](double s) { return gamma_exponential_log_wealth(s, v, rho, c); });
}

double gamma_poisson_log_wealth(double s, double v, double rho, double c) {
  if (!Shapes::possible(v, rho, c)) return kNaN;
  const auto [a, b, u, log_share] = Shapes(s, v, rho, c);
  if (!(u > -1)) return kNaN;
  const double y = b * (1 + u);
  return (log_share - std::log1p(u)) / 2 + b * (u * std::log1p(u) - above_log(u)) + stirling_remainder(y) -
         stirling_remainder(a) + std::log(boost::math::gamma_q(y, b, Quiet())) -
         std::log(boost::math::gamma_q(a, a, Quiet()));
}

double gamma_poisson_boundary(double v, double rho, double c, double alpha) {
  if (!is_probability(alpha) || std::isnan(gamma_poisson_log_wealth(0, v, rho, c))) return kNaN;
  return reached(v, rho, c, alpha, [&](double s) { return gamma_poisson_log_wealth(s, v, rho, c); });
}

double stitched_boundary(double v, double alpha, const Stitching& stitching) {
  const auto [first_v, c, power, ratio] = stitching;
  if (!(v >= 0 && is_positive(first_v) && c >= 0 && std::isfinite(c) && power > 1 && ratio > 1) ||
      !std::isfinite(v) || !std::isfinite(power + ratio) || !is_probability(alpha)) {
    return kNaN;
  }
  const double from = std::max(v, first_v);
  const double log_inverse_share = power * std::log(std::log(ratio) + std::log(from / first_v)) +
                                   std::log(boost::math::zeta(power, Quiet())) -
                                   power * std::log(std::log(ratio)) - std::log(alpha);
  const double k1 = (std::pow(ratio, 0.25) + std::pow(ratio, -0.25)) / std::numbers::sqrt2;
  const double k2 = (std::sqrt(ratio) + 1) / 2;
  const double tail = k2 * c * log_inverse_share;
  return std::hypot(k1 * std::sqrt(from * log_inverse_share), tail) + tail;
}

double distribution_boundary(double t, double first_t, double alpha, double leading) {
  if (!(t >= 0 && first_t >= 1 && leading > 1 / std::numbers::sqrt2) || !std::isfinite(t + leading) ||
      !is_probability(alpha)) {
    return kNaN;
  }
  if (t < first_t) return kInfinity;
  const auto kept = [&](double constant) { return std::log(alpha) - log_error(constant, leading); };
  double low = 1;
  double high = 1;
  while (kept(low) > 0 && low > 1e-6) low /= 2;
  while (kept(high) < 0 && high < 1e6) high *= 2;
  const double constant = crossing(low, high, kept);
  return leading * std::sqrt((std::log1p(std::log(t / first_t)) + constant) / t);
}

}  // namespace assay
