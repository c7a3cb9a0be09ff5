#include "stats/ranking/bradley_terry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "stats/comparisons/paired_choice.h"
#include "stats/quiet.h"
#include "stats/ranking/comparison_graph.h"
#include "stats/ranking/positive_definite.h"
#include "stats/ranking/prepared_comparisons.h"

namespace assay {
namespace {

using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostWork = 2'000'000'000;  // elementary steps of a bootstrap: some seconds
constexpr std::int64_t kFewestDraws = 1'000;
constexpr std::size_t kMostNamed = 20;  // players in a message

using Match = PairedChoice::Match;
using Prior = PairedChoice::Prior;

std::string named_groups(const std::vector<std::vector<std::size_t>>& groups,
                         const std::vector<std::string>& players) {
  std::string text;
  std::size_t named = 0;
  for (const std::vector<std::size_t>& group : groups) {
    if (named > kMostNamed) return text + ", …";
    text += text.empty() ? "{" : ", {";
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (i > 0) text += ", ";
      if (++named > kMostNamed) {
        text += "…";
        break;
      }
      text += players[group[i]];
    }
    text += "}";
  }
  return text;
}

struct Solution {
  PairedChoice::Fit fit;
  Prior prior = Prior::none;
};

Solution solve(const PairedChoice& model, std::span<const double> weights) {
  Solution solution;
  if (everyone_reaches_everyone(model.matches(), weights, model.players())) {
    solution.fit = model.fit(weights, Prior::none);
  }
  if (!solution.fit.found) {
    solution.prior = Prior::weak;
    solution.fit = model.fit(weights, Prior::weak);
  }
  return solution;
}

// The sandwich: what the units' scores really vary, between two inverses of the information.
std::vector<double> clustered_covariance(const PreparedComparisons& prepared, const PairedChoice& model,
                                         const PairedChoice::Fit& fit) {
  const std::size_t size = model.size();
  std::vector<double> meat(size * size);
  const auto add = [&](std::span<const double> score, double copies) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) meat[i * size + j] += copies * score[i] * score[j];
    }
  };
  for (const PreparedComparisons::Unit& unit : prepared.units) {
    std::vector<double> sum(size);
    for (std::size_t match = unit.begin; match < unit.end; ++match) {
      const std::vector<double> score = model.score(match, fit.parameters);
      if (!unit.named) add(score, prepared.weights[match]);
      for (std::size_t i = 0; i < size; ++i) sum[i] += prepared.weights[match] * score[i];
    }
    if (unit.named) add(sum, 1);
  }
  const auto times = [&](const std::vector<double>& left, const std::vector<double>& right) {
    std::vector<double> product(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t j = 0; j < size; ++j) {
          product[i * size + j] += left[i * size + k] * right[k * size + j];
        }
      }
    }
    return product;
  };
  std::vector<double> covariance = times(times(fit.covariance, meat), fit.covariance);
  const auto clusters = static_cast<double>(prepared.clusters);
  for (double& value : covariance) value *= clusters / (clusters - 1);
  return covariance;
}

// How reported effects follow from the parameters: players (from the mean or the reference), the seat, the
// covariates, log ν. Each is a weighted sum.
class Report {
 public:
  Report(const PreparedComparisons& prepared, const PairedChoice& model, const BradleyTerryOptions& options) {
    const std::size_t players = model.players();
    const auto found = std::ranges::find(prepared.players, options.reference);
    for (std::size_t player = 0; player < players; ++player) {
      std::vector<double>& row = rows_.emplace_back(model.size());
      if (player > 0) row[player - 1] += 1;
      if (found != prepared.players.end()) {
        if (found != prepared.players.begin()) {
          row[static_cast<std::size_t>(found - prepared.players.begin()) - 1] -= 1;
        }
        continue;
      }
      for (std::size_t i = 0; i + 1 < players; ++i) row[i] -= 1 / static_cast<double>(players);
    }
    for (std::size_t at = players - 1; at < model.size(); ++at) rows_.emplace_back(model.size())[at] = 1;
    for (std::size_t i = 0; i < prepared.scales.size(); ++i) {
      const std::size_t at = model.covariate_at(i);
      rows_[at + 1][at] = 1 / prepared.scales[i];
    }
  }

  std::size_t effects() const { return rows_.size(); }

  double value(std::size_t effect, std::span<const double> parameters) const {
    const std::vector<double>& row = rows_[effect];
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * parameters[i];
    return sum;
  }

  std::optional<double> error(std::size_t effect, std::span<const double> covariance) const {
    if (covariance.empty()) return std::nullopt;
    const std::vector<double>& row = rows_[effect];
    double variance = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < row.size(); ++j)
        variance += row[i] * row[j] * covariance[i * row.size() + j];
    }
    return std::sqrt(std::max(variance, 0.0));
  }

 private:
  std::vector<std::vector<double>> rows_;  // one a player, then one for each further parameter
};

double quantile(double level, std::int64_t clusters) {
  const double share = 0.5 + level / 2;
  return clusters > 1 ? boost::math::quantile(StudentsT(static_cast<double>(clusters - 1)), share)
                      : boost::math::quantile(Normal(), share);
}

std::vector<ResampledInterval> resample(const PreparedComparisons& prepared, const PairedChoice& model,
                                        const Report& report, bool ties, Resampling resampling) {
  std::vector<std::int64_t> counts;
  std::vector<std::pair<std::size_t, bool>> cells;  // of units with a name the unit, else the match
  for (std::size_t u = 0; u < prepared.units.size(); ++u) {
    const PreparedComparisons::Unit& unit = prepared.units[u];
    if (unit.named) {
      cells.emplace_back(u, true);
      counts.push_back(1);
      continue;
    }
    for (std::size_t match = unit.begin; match < unit.end; ++match) {
      cells.emplace_back(match, false);
      counts.push_back(static_cast<std::int64_t>(prepared.weights[match]));
    }
  }
  const auto size = static_cast<std::int64_t>(model.size());
  const std::int64_t cost =
      8 * (static_cast<std::int64_t>(prepared.matches.size()) * 20 + size * size * size);
  const std::int64_t asked = resampling.draws;
  resampling.draws = std::min(asked, kMostWork / cost);
  if (resampling.draws < std::min(kFewestDraws, asked)) {
    return std::vector<ResampledInterval>(
        report.effects(),
        {std::nullopt, "no interval: there are too many comparisons or players to resample"});
  }
  std::vector<double> weights(prepared.matches.size());
  return resample_cells(
      counts, report.effects(),
      [&](std::span<const std::int64_t> drawn, std::span<double> figures) {
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
          const auto copies = static_cast<double>(drawn[cell]);
          const auto& [at, named] = cells[cell];
          if (!named) {
            weights[at] = copies;
            continue;
          }
          const PreparedComparisons::Unit& unit = prepared.units[at];
          for (std::size_t match = unit.begin; match < unit.end; ++match) {
            weights[match] = copies * prepared.weights[match];
          }
        }
        std::ranges::fill(figures, kNaN);
        if (connected_groups(model.matches(), weights, model.players()).size() > 1) return;
        const Solution solution = solve(model, weights);
        if (!solution.fit.found) return;
        for (std::size_t effect = 0; effect < figures.size(); ++effect) {
          figures[effect] = report.value(effect, solution.fit.parameters);
        }
        if (ties) figures.back() = std::exp(figures.back());
      },
      resampling);
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

void count_outcomes(BradleyTerry& result, const PreparedComparisons& prepared) {
  for (std::size_t i = 0; i < prepared.matches.size(); ++i) {
    const Match& match = prepared.matches[i];
    const auto count = static_cast<std::int64_t>(prepared.weights[i]);
    Strength& a = result.players[match.a];
    Strength& b = result.players[match.b];
    if (match.outcome == 0) {
      a.ties += count;
      b.ties += count;
    } else {
      (match.outcome > 0 ? a : b).wins += count;
      (match.outcome > 0 ? b : a).losses += count;
    }
  }
  for (Strength& player : result.players) {
    player.log_strength.estimate.n = player.wins + player.losses + player.ties;
  }
}

// Why the model cannot be fitted to these comparisons; empty if it can.
std::string misfit(const PreparedComparisons& prepared, const BradleyTerryOptions& options) {
  const std::vector<std::string>& players = prepared.players;
  if (!options.reference.empty() && !std::ranges::binary_search(players, options.reference)) {
    return fmt::format("the reference {} is in no comparison", options.reference);
  }
  const auto groups = connected_groups(prepared.matches, prepared.weights, players.size());
  if (groups.size() > 1) {
    return fmt::format("no chain of comparisons connects the groups {}", named_groups(groups, players));
  }
  if (options.ties != Ties::half_win &&
      std::ranges::all_of(prepared.matches, [](const Match& match) { return match.outcome == 0; })) {
    return "every comparison is a tie";
  }
  if (options.seat == SeatEffect::estimated &&
      std::ranges::all_of(prepared.matches, [](const Match& match) { return match.seat == 0; })) {
    return "no comparison says who was first";
  }
  return "";
}

// Why an effect cannot be told from the strengths and the effects before it; empty if all can.
std::string aliased(const PreparedComparisons& prepared, const PairedChoice& model,
                    const BradleyTerryOptions& options) {
  const auto row = Cholesky(model.information_at_zero(prepared.weights), model.size()).dependent_row();
  if (!row) return "";
  if (options.seat == SeatEffect::estimated && *row == model.seat_at()) {
    return "the seat effect cannot be told from the strengths: too few pairs were seen in both orders";
  }
  for (std::size_t i = 0; i < options.covariates.size(); ++i) {
    if (*row == model.covariate_at(i)) {
      return fmt::format("the covariate {} cannot be told from the strengths and the effects before it",
                         options.covariates[i]);
    }
  }
  return "the strengths cannot be told apart";
}

// Which covariance the intervals use, or why there are none.
struct Errors {
  std::vector<double> information;
  std::vector<double> clustered;
  std::string no_interval;
  std::string method = "normal";
  std::int64_t clusters = 0;  // 0: normal

  const std::vector<double>& used() const { return clusters > 0 ? clustered : information; }
};

Errors errors_of(const PreparedComparisons& prepared, const PairedChoice& model, const Solution& solution,
                 double level) {
  Errors errors;
  errors.information = solution.fit.covariance;
  if (!(level > 0 && level < 1)) errors.no_interval = "an interval's level must lie between 0 and 1";
  if (prepared.any_named) {
    errors.method = "t_clustered";
    errors.clusters = prepared.clusters;
    if (prepared.clusters < 2) {
      errors.no_interval = "no interval: one cluster shows no spread between clusters";
    } else if (prepared.clusters - 1 < static_cast<std::int64_t>(model.size())) {
      errors.no_interval = fmt::format("no interval: {} clusters say too little of {} parameters",
                                       prepared.clusters, model.size());
    } else {
      errors.clustered = clustered_covariance(prepared, model, solution.fit);
    }
  }
  if (solution.prior == Prior::weak) errors.method += ", weak prior";
  return errors;
}

enum class Shown { as_it_is, exponential };

FittedEffect effect_of(std::size_t index, const Report& report, const Solution& solution,
                       const Errors& errors, double level, Shown shown) {
  const auto show = [&](double x) { return shown == Shown::exponential ? std::exp(x) : x; };
  FittedEffect effect;
  const double value = report.value(index, solution.fit.parameters);
  effect.information_error = report.error(index, errors.information);
  effect.clustered_error = report.error(index, errors.clustered);
  Estimate& estimate = effect.estimate;
  estimate.value = show(value);
  estimate.method = errors.method;
  estimate.level = level;
  estimate.undefined = errors.no_interval;
  if (!estimate.undefined.empty()) return effect;
  const double error = report.error(index, errors.used()).value_or(0);
  if (!(error > 1e-10)) {
    estimate.undefined = "no interval: the comparisons show no spread around this figure";
    return effect;
  }
  const double half = quantile(level, errors.clusters) * error;
  estimate.ci = Interval{show(value - half), show(value + half)};
  return effect;
}

void attach_resampled(FittedEffect& effect, const std::vector<ResampledInterval>& intervals,
                      std::size_t index, const Solution& solution, double level) {
  effect.resampled = effect.estimate;
  effect.resampled.ci = std::nullopt;
  if (intervals.empty()) {
    effect.resampled.undefined = "no interval: no bootstrap was asked for";
    return;
  }
  attach(effect.resampled, intervals[index], level);
  if (solution.prior == Prior::weak) effect.resampled.method += ", weak prior";
}

// ln(1 + e^x)
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

// a's log strength less b's.
struct Lead {
  double value = 0;
  double error = 0;
};

Lead lead_of(const BradleyTerry& fit, std::size_t a, std::size_t b) {
  const std::size_t players = fit.players.size();
  const auto at = [&](std::size_t i, std::size_t j) { return fit.covariance[i * players + j]; };
  Lead lead;
  lead.value = *fit.players[a].log_strength.estimate.value - *fit.players[b].log_strength.estimate.value;
  if (!fit.covariance.empty()) lead.error = std::sqrt(std::max(at(a, a) + at(b, b) - 2 * at(a, b), 0.0));
  return lead;
}

// The log odds of a's win given no tie. In Davidson's model they are the lead itself; in Rao and Kupper's
// they move with the threshold, too.
Lead decided(const BradleyTerry& fit, std::size_t a, std::size_t b) {
  const Lead lead = lead_of(fit, a, b);
  if (fit.ties != Ties::rao_kupper || !fit.tie) return lead;
  const double threshold = std::log(*fit.tie->estimate.value);
  const double by_lead = logistic(lead.value + threshold) + logistic(threshold - lead.value);
  const double by_threshold = logistic(lead.value + threshold) - logistic(threshold - lead.value);
  Lead odds;
  odds.value = softplus(lead.value + threshold) - softplus(threshold - lead.value);
  if (fit.threshold_covariance.empty()) return odds;
  const double shared = fit.threshold_covariance[a] - fit.threshold_covariance[b];
  const double variance = by_lead * by_lead * lead.error * lead.error + 2 * by_lead * by_threshold * shared +
                          by_threshold * by_threshold * fit.threshold_covariance.back();
  odds.error = std::sqrt(std::max(variance, 0.0));
  return odds;
}

void rank(BradleyTerry& fit) {
  const std::size_t players = fit.players.size();
  if (fit.covariance.empty()) return;
  const double pairs = static_cast<double>(players * (players - 1)) / 2;
  const double factor = quantile(1 - (1 - fit.level) / pairs, fit.clusters);
  for (std::size_t i = 0; i < players; ++i) {
    std::int64_t above = 0;
    std::int64_t below = 0;
    for (std::size_t j = 0; j < players; ++j) {
      if (i == j) continue;
      const Lead lead = lead_of(fit, i, j);
      if (!(lead.error > 1e-10)) continue;
      if (lead.value + factor * lead.error < 0) ++above;
      if (lead.value - factor * lead.error > 0) ++below;
    }
    fit.players[i].ranks = std::pair(1 + above, static_cast<std::int64_t>(players) - below);
  }
}

void say_undefined(BradleyTerry& result, const std::string& reason) {
  result.undefined = reason;
  for (Strength& player : result.players) {
    player.log_strength.estimate.undefined = player.log_strength.resampled.undefined = reason;
  }
}

}  // namespace

BradleyTerry bradley_terry(std::span<const Comparison> comparisons, const BradleyTerryOptions& options) {
  const PreparedComparisons prepared = prepare_comparisons(comparisons, options);
  BradleyTerry result;
  result.n = prepared.n;
  result.clusters = prepared.any_named ? prepared.clusters : 0;
  result.missing = prepared.missing;
  result.level = options.level;
  result.ties = options.ties;
  for (const std::string& name : prepared.players) result.players.emplace_back().name = name;
  count_outcomes(result, prepared);
  std::string reason = prepared.undefined;
  if (reason.empty()) reason = misfit(prepared, options);
  if (!reason.empty()) {
    say_undefined(result, reason);
    return result;
  }

  const bool ties =
      options.ties != Ties::half_win &&
      std::ranges::any_of(prepared.matches, [](const Match& match) { return match.outcome == 0; });
  const PairedChoice model(
      prepared.matches, prepared.players.size(), options.covariates.size(),
      options.seat == SeatEffect::estimated ? PairedChoice::Seat::estimated : PairedChoice::Seat::ignored,
      !ties                              ? PairedChoice::Tie::half
      : options.ties == Ties::rao_kupper ? PairedChoice::Tie::rao_kupper
                                         : PairedChoice::Tie::davidson);
  reason = aliased(prepared, model, options);
  const Solution solution = reason.empty() ? solve(model, prepared.weights) : Solution();
  if (reason.empty() && !solution.fit.found) reason = "the fit did not settle";
  if (!reason.empty()) {
    say_undefined(result, reason);
    return result;
  }
  result.method = solution.prior == Prior::weak ? "maximum_likelihood, weak prior" : "maximum_likelihood";
  result.log_likelihood = solution.fit.log_likelihood;

  const Report report(prepared, model, options);
  const Errors errors = errors_of(prepared, model, solution, options.level);
  result.no_interval = errors.no_interval;
  std::vector<ResampledInterval> intervals;
  if (options.bootstrap) {
    Resampling resampling = *options.bootstrap;
    resampling.level = options.level;
    intervals = resample(prepared, model, report, ties, resampling);
  }
  const auto effect = [&](std::size_t index, Shown shown) {
    FittedEffect made = effect_of(index, report, solution, errors, options.level, shown);
    attach_resampled(made, intervals, index, solution, options.level);
    made.estimate.n = made.resampled.n = result.n;
    return made;
  };
  const std::size_t players = model.players();
  for (std::size_t player = 0; player < players; ++player) {
    Strength& strength = result.players[player];
    const std::int64_t n = strength.log_strength.estimate.n;
    strength.log_strength = effect(player, Shown::as_it_is);
    strength.log_strength.estimate.n = strength.log_strength.resampled.n = n;
    if (strength.name == options.reference && !options.reference.empty()) {
      for (Estimate* estimate : {&strength.log_strength.estimate, &strength.log_strength.resampled}) {
        estimate->value = 0;
        estimate->ci = std::nullopt;
        estimate->undefined = "no interval: the reference is 0 by definition";
      }
    }
  }
  if (options.seat == SeatEffect::estimated) result.seat = effect(players, Shown::as_it_is);
  for (std::size_t i = 0; i < options.covariates.size(); ++i) {
    result.covariates.push_back(effect(model.covariate_at(i) + 1, Shown::as_it_is));
  }
  if (ties) result.tie = effect(model.tie_at() + 1, Shown::exponential);
  if (ties && options.ties == Ties::rao_kupper && result.tie->estimate.ci) {
    result.tie->estimate.ci->low = std::max(result.tie->estimate.ci->low, 1.0);
  }

  if (errors.no_interval.empty()) {
    const std::vector<double>& used = errors.used();
    result.covariance.assign(players * players, 0);
    for (std::size_t i = 1; i < players; ++i) {
      for (std::size_t j = 1; j < players; ++j) {
        result.covariance[i * players + j] = used[(i - 1) * model.size() + (j - 1)];
      }
    }
    if (ties && options.ties == Ties::rao_kupper) {
      const std::size_t row = model.tie_at() * model.size();
      result.threshold_covariance.assign(players + 1, 0);
      for (std::size_t i = 1; i < players; ++i) result.threshold_covariance[i] = used[row + i - 1];
      result.threshold_covariance[players] = used[row + model.tie_at()];
    }
    rank(result);
  }
  return result;
}

Estimate win_probability(const BradleyTerry& fit, std::string_view a, std::string_view b,
                         std::optional<double> level) {
  Estimate estimate;
  estimate.n = fit.n;
  estimate.level = level.value_or(fit.level);
  estimate.undefined = fit.undefined;
  if (!estimate.undefined.empty()) return estimate;
  const auto first = std::ranges::find(fit.players, a, &Strength::name);
  const auto second = std::ranges::find(fit.players, b, &Strength::name);
  if (first == fit.players.end() || second == fit.players.end()) {
    estimate.undefined = fmt::format("{} is in no comparison", first == fit.players.end() ? a : b);
    return estimate;
  }
  if (first == second) {
    estimate.undefined = "a player does not play itself";
    return estimate;
  }
  const Lead lead = decided(fit, static_cast<std::size_t>(first - fit.players.begin()),
                            static_cast<std::size_t>(second - fit.players.begin()));
  estimate.value = logistic(lead.value);
  estimate.method = first->log_strength.estimate.method;
  if (!(estimate.level > 0 && estimate.level < 1)) {
    estimate.undefined = "an interval's level must lie between 0 and 1";
  } else if (fit.covariance.empty()) {
    estimate.undefined = fit.no_interval;
  } else if (!(lead.error > 1e-10)) {
    estimate.undefined = "no interval: the comparisons show no spread around this figure";
  } else {
    const double half = quantile(estimate.level, fit.clusters) * lead.error;
    estimate.ci = Interval{logistic(lead.value - half), logistic(lead.value + half)};
  }
  return estimate;
}

double elo_rating(double log_strength, double base) {
  return base + log_strength * 400 / std::log(10.0);
}

double elo_win_probability(double points_ahead) {
  return logistic(points_ahead * std::log(10.0) / 400);
}

}  // namespace assay
