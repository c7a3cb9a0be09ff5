#include "stats/sequential/drift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "stats/intervals/mean.h"

namespace assay {
namespace {

constexpr std::array kExponents = {0.05, 0.2, 0.5, 0.8};
// A smaller p-value brings no more: wealth stays a number.
constexpr double kLeastP = 1e-12;
// Scores are rounded to so many levels, which a p-value may do: it is exact for the rounded scores. Halves,
// thirds, quarters and fifths stay what they are.
constexpr int kLevels = 60;
constexpr int kLevelsOfMany = 12;
constexpr std::size_t kMany = 300;  // items

double stake_factor(double exponent, double p) {
  return exponent * std::pow(std::max(p, kLeastP), exponent - 1);
}

// The wealth of who bets on small p-values from some look on.
class Wager {
 public:
  void add(double p) {
    p_.push_back(p);
    const auto look = static_cast<double>(p_.size());
    for (std::size_t j = 0; j < kExponents.size(); ++j)
      staked_[j] = (staked_[j] + 1 / (look * (look + 1))) * stake_factor(kExponents[j], p);
  }
  double wealth() const {
    // What is not staked yet: Σ 1/(k(k + 1)) over the looks to come.
    const double kept = 1 / (static_cast<double>(p_.size()) + 1);
    return std::accumulate(staked_.begin(), staked_.end(), 0.0) / static_cast<double>(staked_.size()) + kept;
  }
  // The look from which on staking all would have brought most.
  std::size_t best_start() const {
    std::array<double, kExponents.size()> product;
    product.fill(1);
    double best = 0;
    std::size_t start = 0;
    for (std::size_t look = p_.size(); look-- > 0;) {
      double sum = 0;
      for (std::size_t j = 0; j < kExponents.size(); ++j)
        sum += product[j] *= stake_factor(kExponents[j], p_[look]);
      if (sum < best) continue;
      best = sum;
      start = look;
    }
    return start;
  }

 private:
  std::vector<double> p_;
  std::array<double, kExponents.size()> staked_{};
};

using Scores = std::vector<std::vector<double>>;
using Times = RepeatedLevel::Times;

void count_level(std::vector<Times>& earlier, int level) {
  const auto at = std::ranges::lower_bound(earlier, level, {}, &Times::level);
  if (at != earlier.end() && at->level == level) {
    ++at->times;
  } else {
    earlier.insert(at, {level, 1});
  }
}

// What the items had in the runs that the next one is held against.
class Before {
 public:
  explicit Before(std::size_t items) : earlier_(items), levels_(items <= kMany ? kLevels : kLevelsOfMany) {}

  void add(std::span<const double> shares) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!std::isnan(shares[i])) count_level(earlier_[i], level(shares[i]));
    }
  }
  ExchangeTest test(std::span<const double> shares) const {
    std::vector<RepeatedLevel> items;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!std::isnan(shares[i]) && !earlier_[i].empty()) items.push_back({earlier_[i], level(shares[i])});
    }
    return exchange_test(items);
  }

 private:
  int level(double share) const { return static_cast<int>(std::lround(share * levels_)); }
  std::vector<std::vector<Times>> earlier_;
  int levels_;
};

// One family of figures: both ways in which it can move since some run.
class Watch {
 public:
  explicit Watch(std::size_t items) : before_(items) {}
  void base(std::span<const double> shares) { before_.add(shares); }
  void look(std::span<const double> shares) {
    const ExchangeTest test = before_.test(shares);
    higher_.add(test.p_higher);
    lower_.add(test.p_lower);
    before_.add(shares);
  }
  double wealth() const { return (higher_.wealth() + lower_.wealth()) / 2; }
  bool went_up() const { return higher_.wealth() >= lower_.wealth(); }
  std::size_t best_start() const { return (went_up() ? higher_ : lower_).best_start(); }

 private:
  Before before_;
  Wager higher_;
  Wager lower_;
};

// Of the runs from `begin` to `end`; NaN where there is none.
double mean_of_item(std::span<const std::vector<double>> runs, std::size_t item, std::size_t begin,
                    std::size_t end) {
  Moments moments;
  for (std::size_t t = begin; t < end; ++t) {
    if (!std::isnan(runs[t][item])) moments.add(runs[t][item]);
  }
  return moments.mean().value_or(std::nan(""));
}

Estimate shift_of(std::span<const std::vector<double>> runs, const Drift& drift) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    const double before = mean_of_item(runs, i, drift.from, drift.changed);
    const double after = mean_of_item(runs, i, drift.changed, drift.until);
    if (!std::isnan(before) && !std::isnan(after)) differences.push_back(after - before);
  }
  if (differences.empty()) return undefined_figure("no item has a score both before and after");
  return estimate_mean(differences);
}

struct Rescaled {
  Scores shares;     // of the range
  Scores closeness;  // to the labels
};
Rescaled on_one_scale(std::span<const std::vector<double>> runs, std::span<const double> labels,
                      const Interval& range) {
  const double width = range.high - range.low;
  const auto within = [](double share) { return std::isnan(share) ? share : std::clamp(share, 0.0, 1.0); };
  Rescaled all;
  for (const std::vector<double>& run : runs) {
    std::vector<double>& shares = all.shares.emplace_back();
    std::vector<double>& closeness = all.closeness.emplace_back();
    for (std::size_t i = 0; i < run.size(); ++i) {
      shares.push_back(within((run[i] - range.low) / width));
      closeness.push_back(within(1 - std::abs(run[i] - labels[i]) / width));
    }
  }
  return all;
}

}  // namespace

ExchangeTest exchange_test(std::span<const RepeatedLevel> items) {
  struct Varying {
    std::vector<std::pair<int, double>> chances;  // level above the least, and how likely
  };
  std::vector<Varying> varying;
  int seen = 0;
  int unit = 0;
  for (const RepeatedLevel& item : items) {
    std::vector<Times> all = item.earlier;
    count_level(all, item.now);
    if (all.size() == 1) continue;
    double runs = 0;
    for (const Times& one : all) runs += static_cast<double>(one.times);
    Varying one;
    for (const auto& [level, times] : all) {
      unit = std::gcd(unit, level - all.front().level);
      one.chances.emplace_back(level - all.front().level, static_cast<double>(times) / runs);
    }
    seen += item.now - all.front().level;
    varying.push_back(std::move(one));
  }
  ExchangeTest test;
  test.items = static_cast<std::int64_t>(varying.size());
  if (varying.empty()) return test;
  std::vector<double> sum = {1};
  for (const Varying& item : varying) {
    std::vector<double> next(sum.size() + static_cast<std::size_t>(item.chances.back().first / unit), 0.0);
    for (const auto& [above, chance] : item.chances) {
      const auto offset = static_cast<std::size_t>(above / unit);
      for (std::size_t s = 0; s < sum.size(); ++s) next[s + offset] += sum[s] * chance;
    }
    sum = std::move(next);
  }
  const auto at = static_cast<std::ptrdiff_t>(seen / unit);
  // From the far end, so that a small tail is not lost in a large sum.
  test.p_higher = std::min(1.0, std::accumulate(sum.rbegin(), sum.rend() - at, 0.0));
  test.p_lower = std::min(1.0, std::accumulate(sum.begin(), sum.begin() + at + 1, 0.0));
  return test;
}

DriftCourse watch_drift(std::span<const std::vector<double>> runs, std::span<const double> labels,
                        const DriftPlan& plan) {
  const auto [shares, closeness] = on_one_scale(runs, labels, plan.range);
  const bool labelled = std::ranges::any_of(labels, [](double label) { return !std::isnan(label); });
  DriftCourse course;
  std::size_t known = 0;  // the run that the next ones are held against, with those between
  for (std::size_t now = 0; now < runs.size();) {
    Watch scores(labels.size());
    Watch agreement(labels.size());
    scores.base(shares[known]);
    agreement.base(closeness[known]);
    if (course.evidence.size() <= known) course.evidence.push_back(1);
    bool found = false;
    for (now = known + 1; now < runs.size() && !found; ++now) {
      scores.look(shares[now]);
      agreement.look(closeness[now]);
      const double of_scores = scores.wealth();
      const double of_agreement = labelled ? agreement.wealth() : 0;
      const double evidence = labelled ? std::max(of_scores, of_agreement) / 2 : of_scores;
      course.evidence.push_back(evidence);
      if (evidence < 1 / plan.alpha) continue;
      found = true;
      const bool by_scores = of_scores >= of_agreement;
      const Watch& seen = by_scores ? scores : agreement;
      Drift drift;
      drift.way = by_scores ? (seen.went_up() ? Drift::Way::higher : Drift::Way::lower)
                            : (seen.went_up() ? Drift::Way::closer : Drift::Way::further);
      drift.from = course.drifts.empty() ? 0 : course.drifts.back().changed;
      drift.changed = known + 1 + seen.best_start();
      drift.found = now;
      drift.evidence = evidence;
      course.drifts.push_back(std::move(drift));
    }
    if (!found) break;
    // Which run was the first after it is a guess, and a run from before it would look like another change.
    known = course.drifts.back().found;
  }
  for (std::size_t i = 0; i < course.drifts.size(); ++i) {
    Drift& drift = course.drifts[i];
    drift.until = i + 1 < course.drifts.size() ? course.drifts[i + 1].changed : runs.size();
    drift.shift = shift_of(runs, drift);
    drift.closeness_shift =
        labelled ? shift_of(closeness, drift) : undefined_figure("the items have no labels");
  }
  return course;
}

}  // namespace assay
