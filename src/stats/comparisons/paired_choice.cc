#include "stats/comparisons/paired_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/ranking/positive_definite.h"

namespace assay {
namespace {

constexpr int kMostSteps = 200;
constexpr double kLongestStep = 5;
// Where the likelihood keeps rising for ever, the information vanishes on the way. Standard errors of real
// strengths stay near 1 even for one loss in a million.
constexpr double kFlat = 30;

// The log-likelihood of one outcome as a function of the predictor x and the tie parameter t: value, slopes
// and (negative) curvatures.
struct Outcome {
  double log_likelihood = 0;
  double slope_x = 0;
  double slope_t = 0;
  double curve_xx = 0;
  double curve_xt = 0;
  double curve_tt = 0;
};

// With s = ½, −½ or 0 for a win, a loss or a tie, log P = s·x + [tie]·t − log(e^{x/2} + e^{−x/2} + e^t): an
// exponential family, whose information is the covariance of (s, [tie]). Without ties t is −infinity, and a
// tie is half a win and half a loss.
Outcome davidson(int outcome, double x, double t) {
  const double top = std::max(std::fabs(x) / 2, t);
  const double weight_a = std::exp(x / 2 - top);
  const double weight_b = std::exp(-x / 2 - top);
  const double weight_tie = std::exp(t - top);
  const double total = weight_a + weight_b + weight_tie;
  const double tie = weight_tie / total;
  const bool tied = outcome == 0 && std::isfinite(t);
  const double s = outcome / 2.0;
  const double mean = (weight_a - weight_b) / total / 2;
  Outcome seen;
  seen.log_likelihood = s * x + (tied ? t : 0) - top - std::log(total);
  seen.slope_x = s - mean;
  seen.slope_t = (tied ? 1 : 0) - tie;
  seen.curve_xx = (weight_a + weight_b) / total / 4 - mean * mean;
  seen.curve_xt = -mean * tie;
  seen.curve_tt = tie * (1 - tie);
  return seen;
}

// P(a) = 1/(1 + e^{t−x}), P(b) = 1/(1 + e^{t+x}), P(tie) = (e^{2t} − 1)·P(a)·P(b) for t > 0: a tie is a win
// of both, and the logarithms of all factors are concave.
Outcome rao_kupper(int outcome, double x, double t) {
  Outcome seen;
  if (!(t > 0)) {
    seen.log_likelihood = -std::numeric_limits<double>::infinity();
    return seen;
  }
  const auto add_win = [&](double ahead, double sign) {
    const double lost = 1 / (1 + std::exp(ahead - t));
    const double curve = lost * (1 - lost);
    seen.log_likelihood -= std::max(t - ahead, 0.0) + std::log1p(std::exp(-std::fabs(t - ahead)));
    seen.slope_x += sign * lost;
    seen.slope_t -= lost;
    seen.curve_xx += curve;
    seen.curve_xt -= sign * curve;
    seen.curve_tt += curve;
  };
  if (outcome >= 0) add_win(x, 1);
  if (outcome <= 0) add_win(-x, -1);
  if (outcome == 0) {
    const double odds = 1 / std::expm1(2 * t);
    seen.log_likelihood += 2 * t + std::log(-std::expm1(-2 * t));
    seen.slope_t += 2 * (1 + odds);
    seen.curve_tt += 4 * odds * (1 + odds);
  }
  return seen;
}

constexpr double kNoTies = -std::numeric_limits<double>::infinity();

Outcome outcome_of(PairedChoice::Tie tie, int outcome, double x, double t) {
  return tie == PairedChoice::Tie::rao_kupper ? rao_kupper(outcome, x, t) : davidson(outcome, x, t);
}

}  // namespace

PairedChoice::PairedChoice(std::vector<Match> matches, std::size_t players, std::size_t covariates, Seat seat,
                           Tie tie)
    : matches_(std::move(matches)),
      players_(players),
      covariates_(covariates),
      seat_(seat),
      tie_(tie),
      size_(players - 1 + (seat == Seat::estimated ? 1 : 0) + covariates + (tie == Tie::half ? 0 : 1)) {}

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

PairedChoice::State PairedChoice::evaluate(std::span<const double> parameters,
                                           std::span<const double> weights, Prior prior) const {
  State state;
  state.gradient.resize(size_);
  state.information.resize(size_ * size_);
  const double tie = has_tie_parameter() ? parameters[tie_at()] : kNoTies;
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
    const Outcome seen = outcome_of(tie_, match.outcome, x, tie);
    state.log_likelihood += weights[i] * seen.log_likelihood;
    for (const auto& [at, coefficient] : row) {
      state.gradient[at] += weights[i] * coefficient * seen.slope_x;
      for (const auto& [other, factor] : row) {
        state.information[at * size_ + other] += weights[i] * coefficient * factor * seen.curve_xx;
      }
    }
    if (!has_tie_parameter()) continue;
    state.gradient[tie_at()] += weights[i] * seen.slope_t;
    state.information[tie_at() * size_ + tie_at()] += weights[i] * seen.curve_tt;
    for (const auto& [at, coefficient] : row) {
      const double shared = weights[i] * coefficient * seen.curve_xt;
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
  const std::size_t end = size_ - (has_tie_parameter() ? 1 : 0);
  for (std::size_t at = players_ - 1; at < end; ++at) {
    state.penalty += value(parameters[at]);
    state.gradient[at] += slope(parameters[at]);
    state.information[at * size_ + at] += curvature(parameters[at]);
  }
}

PairedChoice::Fit PairedChoice::fit(std::span<const double> weights, Prior prior) const {
  Fit fit;
  fit.parameters.assign(size_, 0);
  if (has_tie_parameter()) {
    double tied = 0;
    double all = 0;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      all += weights[i];
      if (matches_[i].outcome == 0) tied += weights[i];
    }
    if (!(tied > 0 && tied < all)) return fit;
    // What equal players would have.
    fit.parameters[tie_at()] =
        std::log(tie_ == Tie::davidson ? 2 * tied / (all - tied) : (all + tied) / (all - tied));
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
  const Outcome seen = outcome_of(tie_, own.outcome, predictor(own, parameters),
                                  has_tie_parameter() ? parameters[tie_at()] : kNoTies);
  terms(own, [&](std::size_t at, double coefficient) { gradient[at] += coefficient * seen.slope_x; });
  if (has_tie_parameter()) gradient[tie_at()] = seen.slope_t;
  return gradient;
}

std::vector<double> PairedChoice::information_at_zero(std::span<const double> weights) const {
  std::vector<double> parameters(size_);
  if (tie_ == Tie::rao_kupper) parameters[tie_at()] = 1;  // 0 would leave no room for ties
  return evaluate(parameters, weights, Prior::none).information;
}

}  // namespace assay
