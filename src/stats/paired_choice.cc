#include "stats/paired_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/positive_definite.h"

namespace assay {
namespace {

constexpr int kMostSteps = 200;
constexpr double kLongestStep = 5;
// Where the likelihood keeps rising for ever, the information vanishes on the way. Standard errors of real
// strengths stay near 1 even for one loss in a million.
constexpr double kFlat = 30;

// Probabilities of the three outcomes at predictor x and log tie parameter eta (-infinity: no ties).
struct Chances {
  double a = 0;
  double b = 0;
  double tie = 0;
  double log_total = 0;

  Chances(double x, double eta) {
    const double top = std::max(std::fabs(x) / 2, eta);
    a = std::exp(x / 2 - top);
    b = std::exp(-x / 2 - top);
    tie = std::exp(eta - top);
    const double total = a + b + tie;
    a /= total;
    b /= total;
    tie /= total;
    log_total = top + std::log(total);
  }
};

constexpr double kNoTies = -std::numeric_limits<double>::infinity();

}  // namespace

PairedChoice::PairedChoice(std::vector<Match> matches, std::size_t players, std::size_t covariates, Seat seat,
                           Tie tie)
    : matches_(std::move(matches)),
      players_(players),
      covariates_(covariates),
      seat_(seat),
      tie_(tie),
      size_(players - 1 + (seat == Seat::estimated ? 1 : 0) + covariates + (tie == Tie::parameter ? 1 : 0)) {}

template <class Visit>
void PairedChoice::terms(const Match& match, Visit visit) const {
  if (match.a > 0) visit(match.a - 1, 1.0);
  if (match.b > 0) visit(match.b - 1, -1.0);
  if (seat_ == Seat::estimated && match.seat != 0) visit(seat_at(), match.seat);
  for (std::size_t i = 0; i < covariates_; ++i) visit(covariate_at(i), match.covariates[i]);
}

double PairedChoice::predictor(const Match& match, std::span<const double> parameters) const {
  double x = 0;
  terms(match, [&](std::size_t at, double coefficient) { x += coefficient * parameters[at]; });
  return x;
}

// With s = ½, −½ or 0 for a win, a loss or a tie, log P = s·x + [tie]·eta − log(e^{x/2} + e^{−x/2} + e^eta):
// an exponential family, whose information is the covariance of (s, [tie]).
PairedChoice::State PairedChoice::evaluate(std::span<const double> parameters,
                                           std::span<const double> weights, Prior prior) const {
  State state;
  state.gradient.resize(size_);
  state.information.resize(size_ * size_);
  const double eta = tie_ == Tie::parameter ? parameters[tie_at()] : kNoTies;
  std::vector<std::pair<std::size_t, double>> row;
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    if (weights[i] == 0) continue;
    const Match& match = matches_[i];
    row.clear();
    double x = 0;
    terms(match, [&](std::size_t at, double coefficient) {
      row.emplace_back(at, coefficient);
      x += coefficient * parameters[at];
    });
    const Chances chances(x, eta);
    const bool tied = match.outcome == 0 && tie_ == Tie::parameter;
    const double s = match.outcome / 2.0;
    const double mean = (chances.a - chances.b) / 2;
    const double variance = (chances.a + chances.b) / 4 - mean * mean;
    state.log_likelihood += weights[i] * (s * x + (tied ? eta : 0) - chances.log_total);
    for (const auto& [at, coefficient] : row) {
      state.gradient[at] += weights[i] * coefficient * (s - mean);
      for (const auto& [other, factor] : row) {
        state.information[at * size_ + other] += weights[i] * coefficient * factor * variance;
      }
    }
    if (tie_ != Tie::parameter) continue;
    state.gradient[tie_at()] += weights[i] * ((tied ? 1 : 0) - chances.tie);
    state.information[tie_at() * size_ + tie_at()] += weights[i] * chances.tie * (1 - chances.tie);
    for (const auto& [at, coefficient] : row) {
      const double shared = -weights[i] * coefficient * mean * chances.tie;
      state.information[at * size_ + tie_at()] += shared;
      state.information[tie_at() * size_ + at] += shared;
    }
  }
  if (prior == Prior::weak) add_prior(state, parameters);
  return state;
}

// Half a win and half a loss against strength 0: log p = u/2 − log(1 + e^u), slope −tanh(u/2)/2, curvature
// −1/(4·cosh²(u/2)). A player's u is the distance from the mean of all, which moves with every strength.
void PairedChoice::add_prior(State& state, std::span<const double> parameters) const {
  const auto p = static_cast<double>(players_);
  double mean = 0;
  for (std::size_t i = 0; i + 1 < players_; ++i) mean += parameters[i] / p;
  const auto value = [](double u) { return -std::fabs(u) / 2 - std::log1p(std::exp(-std::fabs(u))); };
  const auto slope = [](double u) { return -std::tanh(u / 2) / 2; };
  const auto curvature = [](double u) { return 1 / (4 * std::cosh(u / 2) * std::cosh(u / 2)); };

  std::vector<double> slopes(players_);
  std::vector<double> curvatures(players_);
  double slope_sum = 0;
  double curvature_sum = 0;
  for (std::size_t player = 0; player < players_; ++player) {
    const double u = (player == 0 ? 0 : parameters[player - 1]) - mean;
    state.penalty += value(u);
    slopes[player] = slope(u);
    curvatures[player] = curvature(u);
    slope_sum += slopes[player];
    curvature_sum += curvatures[player];
  }
  for (std::size_t i = 1; i < players_; ++i) {
    state.gradient[i - 1] += slopes[i] - slope_sum / p;
    for (std::size_t j = 1; j < players_; ++j) {
      const double own = i == j ? curvatures[i] : 0;
      state.information[(i - 1) * size_ + (j - 1)] +=
          own - (curvatures[i] + curvatures[j]) / p + curvature_sum / (p * p);
    }
  }
  const std::size_t end = size_ - (tie_ == Tie::parameter ? 1 : 0);
  for (std::size_t at = players_ - 1; at < end; ++at) {
    state.penalty += value(parameters[at]);
    state.gradient[at] += slope(parameters[at]);
    state.information[at * size_ + at] += curvature(parameters[at]);
  }
}

PairedChoice::Fit PairedChoice::fit(std::span<const double> weights, Prior prior) const {
  Fit fit;
  fit.parameters.assign(size_, 0);
  if (tie_ == Tie::parameter) {
    double tied = 0;
    double all = 0;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      all += weights[i];
      if (matches_[i].outcome == 0) tied += weights[i];
    }
    if (!(tied > 0 && tied < all)) return fit;
    fit.parameters[tie_at()] = std::log(2 * tied / (all - tied));
  }
  State state = evaluate(fit.parameters, weights, prior);
  bool settled = false;
  for (int step = 0; step < kMostSteps && !settled; ++step) {
    const Cholesky information(state.information, size_);
    if (information.dependent_row()) return fit;
    std::vector<double> move = information.solve(state.gradient);
    double longest = 0;
    double gain = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      longest = std::max(longest, std::fabs(move[i]));
      gain += move[i] * state.gradient[i];
    }
    // Newton's error squares with each step, so the last one leaves nothing but rounding.
    settled = longest < 1e-7 || gain < 1e-14;
    double share = longest > kLongestStep ? kLongestStep / longest : 1;
    const double before = state.log_likelihood + state.penalty;
    const double rounding = 1e-12 * (1 + std::fabs(before));
    bool moved = false;
    for (int halving = 0; halving < 30 && !moved; ++halving, share /= 2) {
      std::vector<double> next = fit.parameters;
      for (std::size_t i = 0; i < size_; ++i) next[i] += share * move[i];
      State there = evaluate(next, weights, prior);
      if (there.log_likelihood + there.penalty < before - rounding) continue;
      fit.parameters = std::move(next);
      state = std::move(there);
      moved = true;
    }
    if (!moved) return fit;
  }
  const Cholesky information(state.information, size_);
  if (!settled || information.dependent_row()) return fit;
  fit.covariance = information.inverse();
  fit.log_likelihood = state.log_likelihood;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!(fit.covariance[i * size_ + i] < kFlat * kFlat)) return fit;
  }
  fit.found = true;
  return fit;
}

std::vector<double> PairedChoice::score(std::size_t match, std::span<const double> parameters) const {
  std::vector<double> gradient(size_);
  const Match& own = matches_[match];
  const Chances chances(predictor(own, parameters), tie_ == Tie::parameter ? parameters[tie_at()] : kNoTies);
  const double residual = own.outcome / 2.0 - (chances.a - chances.b) / 2;
  terms(own, [&](std::size_t at, double coefficient) { gradient[at] += coefficient * residual; });
  if (tie_ == Tie::parameter) gradient[tie_at()] = (own.outcome == 0 ? 1 : 0) - chances.tie;
  return gradient;
}

std::vector<double> PairedChoice::information_at_zero(std::span<const double> weights) const {
  return evaluate(std::vector<double>(size_), weights, Prior::none).information;
}

}  // namespace assay
