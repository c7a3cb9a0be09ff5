#include "stats/items/item_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <boost/math/distributions/normal.hpp>

#include "stats/ranking/positive_definite.h"

namespace assay {
namespace {

constexpr std::size_t kPoints = 121;
constexpr double kReach = 6;
constexpr int kMostRounds = 5'000;
constexpr double kSettled = 1e-7;      // the largest move of a parameter in one round
constexpr double kMostNewton = 4;      // one Newton step moves no parameter further
constexpr double kMostParameter = 40;  // where the likelihood has no maximum, it is left to grow no further
constexpr std::size_t kMostTogether = 60;

enum class Mark : char { failed, solved, absent };

struct Pattern {
  std::vector<Mark> marks;
  double count = 0;
};

struct Slope {
  double a = 1;
  double d = 0;
};

double log_of_share(double logit) {  // log(1/(1 + exp(−x))), without overflow
  return logit > 0 ? -std::log1p(std::exp(-logit)) : logit - std::log1p(std::exp(logit));
}

class Fit {
 public:
  Fit(const SolvedTable& table, const ItemOptions& options)
      : options_(options), cases_(table.cases), slopes_(table.cases) {
    // Systems that solved the same are one pattern.
    std::map<std::vector<Mark>, std::size_t> known;
    for (std::size_t system = 0; system < table.systems; ++system) {
      std::vector<Mark> marks(cases_, Mark::absent);
      for (std::size_t i = 0; i < cases_; ++i) {
        const double value = table.at(system, i);
        if (std::isfinite(value)) marks[i] = value >= 0.5 ? Mark::solved : Mark::failed;
      }
      const auto [at, fresh] = known.emplace(marks, patterns_.size());
      if (fresh) patterns_.push_back({std::move(marks), 0});
      patterns_[at->second].count += 1;
      pattern_of_.push_back(at->second);
    }
    double sum = 0;
    for (std::size_t q = 0; q < kPoints; ++q) {
      thetas_[q] = -kReach + 2 * kReach * static_cast<double>(q) / (kPoints - 1);
      weights_[q] = std::exp(-thetas_[q] * thetas_[q] / 2);
      sum += weights_[q];
    }
    for (double& weight : weights_) weight /= sum;
    posteriors_.resize(patterns_.size());
  }

  ItemFits run() {
    ItemFits fits;
    double moved = 1;
    while (moved > kSettled && fits.rounds < kMostRounds) {
      expect();
      moved = improve();
      ++fits.rounds;
    }
    if (moved > kSettled) {
      fits.undefined = "the fit did not settle";
      return fits;
    }
    fits.log_likelihood = expect();
    for (const std::size_t pattern : pattern_of_) {
      double ability = 0;
      for (std::size_t q = 0; q < kPoints; ++q) ability += posteriors_[pattern][q] * thetas_[q];
      fits.abilities.push_back(ability);
    }
    fits.cases = described();
    return fits;
  }

 private:
  using Points = std::array<double, kPoints>;

  // The posterior of each pattern's ability; returns the marginal log likelihood.
  double expect() {
    std::vector<Points> solved(cases_);
    std::vector<Points> failed(cases_);
    for (std::size_t i = 0; i < cases_; ++i) {
      for (std::size_t q = 0; q < kPoints; ++q) {
        const double logit = slopes_[i].a * thetas_[q] + slopes_[i].d;
        solved[i][q] = log_of_share(logit);
        failed[i][q] = log_of_share(-logit);
      }
    }
    double likelihood = 0;
    for (std::size_t p = 0; p < patterns_.size(); ++p) {
      Points logs{};
      for (std::size_t i = 0; i < cases_; ++i) {
        const Mark mark = patterns_[p].marks[i];
        if (mark == Mark::absent) continue;
        const Points& part = mark == Mark::solved ? solved[i] : failed[i];
        for (std::size_t q = 0; q < kPoints; ++q) logs[q] += part[q];
      }
      const double top = *std::ranges::max_element(logs);
      double sum = 0;
      for (std::size_t q = 0; q < kPoints; ++q) {
        posteriors_[p][q] = weights_[q] * std::exp(logs[q] - top);
        sum += posteriors_[p][q];
      }
      for (double& share : posteriors_[p]) share /= sum;
      likelihood += patterns_[p].count * (top + std::log(sum));
    }
    return likelihood;
  }

  struct Expected {
    Points asked{};   // systems at each point that have a score
    Points solved{};  // of them those that solved the case
  };
  Expected expected(std::size_t i) const {
    Expected counts;
    for (std::size_t p = 0; p < patterns_.size(); ++p) {
      const Mark mark = patterns_[p].marks[i];
      if (mark == Mark::absent) continue;
      for (std::size_t q = 0; q < kPoints; ++q) {
        const double share = patterns_[p].count * posteriors_[p][q];
        counts.asked[q] += share;
        if (mark == Mark::solved) counts.solved[q] += share;
      }
    }
    return counts;
  }

  // The negative second derivatives of the complete-data posterior of one case: aa, ad, dd.
  struct Curvature {
    double aa = 0;
    double ad = 0;
    double dd = 0;
  };
  Curvature curvature(const Expected& counts, Slope slope) const {
    Curvature c;
    if (options_.priors) {
      c.aa = 1 / (options_.priors->slope_deviation * options_.priors->slope_deviation);
      c.dd = 1 / (options_.priors->intercept_deviation * options_.priors->intercept_deviation);
    }
    for (std::size_t q = 0; q < kPoints; ++q) {
      const double share = 1 / (1 + std::exp(-(slope.a * thetas_[q] + slope.d)));
      const double weight = counts.asked[q] * share * (1 - share);
      c.aa += weight * thetas_[q] * thetas_[q];
      c.ad += weight * thetas_[q];
      c.dd += weight;
    }
    return c;
  }

  // One Newton step a case; returns the largest move.
  double improve() {
    double moved = 0;
    for (std::size_t i = 0; i < cases_; ++i) {
      const Expected counts = expected(i);
      Slope& slope = slopes_[i];
      double to_a = 0;
      double to_d = 0;
      if (options_.priors) {
        to_a = -(slope.a - options_.priors->slope_mean) /
               (options_.priors->slope_deviation * options_.priors->slope_deviation);
        to_d = -slope.d / (options_.priors->intercept_deviation * options_.priors->intercept_deviation);
      }
      for (std::size_t q = 0; q < kPoints; ++q) {
        const double share = 1 / (1 + std::exp(-(slope.a * thetas_[q] + slope.d)));
        const double rest = counts.solved[q] - counts.asked[q] * share;
        to_a += rest * thetas_[q];
        to_d += rest;
      }
      const Curvature c = curvature(counts, slope);
      const double determinant = c.aa * c.dd - c.ad * c.ad;
      if (!(determinant > 1e-12)) continue;
      const double by_a = std::clamp((c.dd * to_a - c.ad * to_d) / determinant, -kMostNewton, kMostNewton);
      const double by_d = std::clamp((c.aa * to_d - c.ad * to_a) / determinant, -kMostNewton, kMostNewton);
      const Slope before = slope;
      slope.a = std::clamp(slope.a + by_a, -kMostParameter, kMostParameter);
      slope.d = std::clamp(slope.d + by_d, -kMostParameter, kMostParameter);
      moved = std::max({moved, std::abs(slope.a - before.a), std::abs(slope.d - before.d)});
    }
    return moved;
  }

  // Observed information of the parameters of the cases [first, last): complete-data information less what
  // not knowing the abilities takes away, which is the posterior covariance of the score (Louis 1982).
  std::vector<double> information(std::size_t first, std::size_t last) const {
    const std::size_t size = 2 * (last - first);
    std::vector<double> matrix(size * size);
    for (std::size_t i = first; i < last; ++i) {
      const Curvature c = curvature(expected(i), slopes_[i]);
      const std::size_t at = 2 * (i - first);
      matrix[at * size + at] = c.aa;
      matrix[at * size + at + 1] = matrix[(at + 1) * size + at] = c.ad;
      matrix[(at + 1) * size + at + 1] = c.dd;
    }
    std::vector<double> score(size);
    std::vector<double> mean(size);
    for (std::size_t p = 0; p < patterns_.size(); ++p) {
      std::ranges::fill(mean, 0.0);
      for (std::size_t q = 0; q < kPoints; ++q) {
        const double posterior = posteriors_[p][q];
        if (posterior < 1e-12) continue;
        for (std::size_t i = first; i < last; ++i) {
          const Mark mark = patterns_[p].marks[i];
          const double share = 1 / (1 + std::exp(-(slopes_[i].a * thetas_[q] + slopes_[i].d)));
          const double rest = mark == Mark::absent ? 0 : (mark == Mark::solved ? 1 : 0) - share;
          score[2 * (i - first)] = rest * thetas_[q];
          score[2 * (i - first) + 1] = rest;
        }
        const double weight = patterns_[p].count * posterior;
        for (std::size_t row = 0; row < size; ++row) {
          mean[row] += posterior * score[row];
          for (std::size_t column = 0; column < size; ++column)
            matrix[row * size + column] -= weight * score[row] * score[column];
        }
      }
      for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column < size; ++column)
          matrix[row * size + column] += patterns_[p].count * mean[row] * mean[column];
      }
    }
    return matrix;
  }

  std::vector<ItemFit> described() const {
    std::vector<ItemFit> fits(cases_);
    const std::size_t together = cases_ <= kMostTogether ? cases_ : 1;
    for (std::size_t first = 0; first < cases_; first += together) {
      const std::size_t size = 2 * together;
      const Cholesky information_of(information(first, first + together), size);
      const std::vector<double> covariance =
          information_of.dependent_row() ? std::vector<double>() : information_of.inverse();
      for (std::size_t i = first; i < first + together; ++i) {
        const std::size_t at = 2 * (i - first);
        if (covariance.empty()) {
          fits[i] = described(i, std::nullopt);
        } else {
          fits[i] = described(i, Curvature{covariance[at * size + at], covariance[at * size + at + 1],
                                           covariance[(at + 1) * size + at + 1]});
        }
      }
    }
    return fits;
  }

  // `covariance` of a and d.
  ItemFit described(std::size_t i, const std::optional<Curvature>& covariance) const {
    const Slope slope = slopes_[i];
    ItemFit fit;
    fit.intercept = slope.d;
    std::int64_t n = 0;
    for (const Pattern& pattern : patterns_)
      n += pattern.marks[i] == Mark::absent ? 0 : static_cast<std::int64_t>(pattern.count);
    fit.discrimination = plain_figure(slope.a, n);
    fit.difficulty = plain_figure(-slope.d / slope.a, n);
    fit.discrimination.method = fit.difficulty.method = "normal";
    fit.discrimination.level = fit.difficulty.level = options_.level;
    if (!covariance || !(covariance->aa > 0)) {
      fit.discrimination.undefined = fit.difficulty.undefined = "these systems do not bound it";
      return fit;
    }
    const double z = boost::math::quantile(boost::math::normal(), 0.5 + options_.level / 2);
    fit.discrimination_error = std::sqrt(covariance->aa);
    fit.discrimination.ci =
        Interval{slope.a - z * *fit.discrimination_error, slope.a + z * *fit.discrimination_error};
    const double b = -slope.d / slope.a;
    const double spread = covariance->dd + b * b * covariance->aa + 2 * b * covariance->ad;
    fit.difficulty_error = std::sqrt(std::max(spread, 0.0)) / std::abs(slope.a);
    if (fit.discrimination.ci->low <= 0 && fit.discrimination.ci->high >= 0) {
      fit.difficulty.undefined = "the discrimination may be 0, and then no difficulty can be told";
    } else {
      fit.difficulty.ci = Interval{b - z * *fit.difficulty_error, b + z * *fit.difficulty_error};
    }
    return fit;
  }

  ItemOptions options_;
  std::size_t cases_;
  std::vector<Slope> slopes_;
  std::vector<Pattern> patterns_;
  std::vector<std::size_t> pattern_of_;  // by system
  Points thetas_{};
  Points weights_{};
  std::vector<Points> posteriors_;  // by pattern
};

}  // namespace

ItemFits fit_items(const SolvedTable& table, const ItemOptions& options) {
  ItemFits none;
  if (table.cells.size() != table.systems * table.cases) {
    none.undefined = "not every system has a place for every case";
  } else if (table.systems < 3) {
    none.undefined = "fewer than three systems tell nothing about what a case asks for";
  } else if (table.cases == 0) {
    none.undefined = "there is no case";
  } else {
    return Fit(table, options).run();
  }
  return none;
}

}  // namespace assay
