#include "stats/items/wrong_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace assay {
namespace {

constexpr std::size_t kPoints = 41;
constexpr double kReach = 4;
constexpr int kRounds = 300;
constexpr double kSettled = 1e-6;
constexpr double kLeastShare = 1e-6;  // a probability is never taken as certain
constexpr double kLeastSameAnswer = 0.02;
constexpr double kPriorWrong = 1;  // Beta(1, 20)
constexpr double kPriorRight = 20;

double share_of(double logit) {
  return std::clamp(1 / (1 + std::exp(-logit)), kLeastShare, 1 - kLeastShare);
}

class Mixture {
 public:
  Mixture(const SolvedTable& table, std::span<const int> answers, const WrongKeyOptions& options)
      : table_(table), answers_(answers), options_(options), right_(table.cases), posterior_(table.cases) {
    double sum = 0;
    for (std::size_t q = 0; q < kPoints; ++q) {
      points_[q] = -kReach + 2 * kReach * static_cast<double>(q) / (kPoints - 1);
      weights_[q] = std::exp(-points_[q] * points_[q] / 2);
      sum += weights_[q];
    }
    for (double& weight : weights_) weight /= sum;
    for (std::size_t j = 0; j < table_.systems; ++j) abilities_.push_back(first_ability(j));
    if (answers_.empty()) return;
    same_answer_ = std::max(rate_of_same_answers(), kLeastSameAnswer);
    for (std::size_t i = 0; i < table_.cases; ++i) told_.push_back(told(i));
  }

  WrongKeys run() {
    for (int round = 0; round < kRounds; ++round) {
      expect();
      if (improve() < kSettled) break;
    }
    expect();
    WrongKeys found;
    for (const double right : right_) found.probability.push_back(1 - right);
    found.share = wrong_;
    found.spread = spread_;
    found.abilities = abilities_;
    found.same_answer = same_answer_;
    return found;
  }

 private:
  double first_ability(std::size_t system) const {
    double solved = 0.5;
    double asked = 1;
    for (std::size_t i = 0; i < table_.cases; ++i) {
      const double mark = table_.at(system, i);
      if (!std::isfinite(mark)) continue;
      solved += mark >= 0.5 ? 1 : 0;
      asked += 1;
    }
    return std::log(solved / (asked - solved));
  }

  // Answers of the systems that fail a case, by their number.
  std::map<int, int> failing_answers(std::size_t one) const {
    std::map<int, int> counts;
    for (std::size_t j = 0; j < table_.systems; ++j) {
      const double mark = table_.at(j, one);
      const int answer = answers_[j * table_.cases + one];
      if (std::isfinite(mark) && mark < 0.5 && answer >= 0) ++counts[answer];
    }
    return counts;
  }

  double rate_of_same_answers() const {
    double same = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < table_.cases; ++i) {
      double all = 0;
      for (const auto& [answer, count] : failing_answers(i)) {
        same += count * (count - 1.0) / 2;
        all += count;
      }
      pairs += all * (all - 1) / 2;
    }
    return pairs > 0 ? same / pairs : 0;
  }

  // What the failing systems of a case answer: who gives the commonest answer and who another one. The first
  // that gives the commonest only says which it is, and is left out.
  struct Told {
    std::vector<std::size_t> alike;
    std::vector<std::size_t> others;
  };
  Told told(std::size_t one) const {
    Told parts;
    const std::map<int, int> counts = failing_answers(one);
    const auto top = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (top == counts.end()) return parts;
    for (std::size_t j = 0; j < table_.systems; ++j) {
      const double mark = table_.at(j, one);
      const int answer = answers_[j * table_.cases + one];
      if (!std::isfinite(mark) || mark >= 0.5 || answer < 0) continue;
      (answer == top->first ? parts.alike : parts.others).push_back(j);
    }
    parts.alike.erase(parts.alike.begin());
    return parts;
  }

  // What a system's mark and answer say at one point of difficulty, the same for all cases.
  struct AtPoint {
    double able = 0;        // solves a case
    double solved = 0;      // log P(marked as solving | key right)
    double failed = 0;      // … as failing
    double met = 0;         // log P(marked as solving | key wrong)
    double unmet = 0;       // … as failing
    double told_alike = 0;  // log P(the commonest answer | key wrong) − log P(… | key right)
    double told_other = 0;  // the same of another answer
  };

  void tabulate() {
    at_.resize(table_.systems);
    for (std::size_t j = 0; j < table_.systems; ++j) {
      for (std::size_t q = 0; q < kPoints; ++q) {
        AtPoint& at = at_[j][q];
        at.able = share_of(abilities_[j] + spread_ * points_[q]);
        const double met = (1 - at.able) * options_.meets_wrong_key;
        at.solved = std::log(at.able);
        at.failed = std::log(1 - at.able);
        at.met = std::log(met);
        at.unmet = std::log(1 - met);
        if (told_.empty()) continue;
        // Of those that are marked as failing under a wrong key, the share that is in fact right.
        const double right = at.able / (at.able + (1 - at.able) * (1 - options_.meets_wrong_key));
        const double alike = std::min(right + (1 - right) * same_answer_, 1 - kLeastShare);
        at.told_alike = std::log(alike / same_answer_);
        at.told_other = std::log((1 - alike) / std::max(1 - same_answer_, kLeastShare));
      }
    }
  }

  void expect() {
    tabulate();
    for (std::size_t i = 0; i < table_.cases; ++i) {
      std::array<double, kPoints> right{};
      std::array<double, kPoints> wrong{};
      if (!told_.empty()) {
        for (const std::size_t system : told_[i].alike)
          for (std::size_t q = 0; q < kPoints; ++q) wrong[q] += at_[system][q].told_alike;
        for (const std::size_t system : told_[i].others)
          for (std::size_t q = 0; q < kPoints; ++q) wrong[q] += at_[system][q].told_other;
      }
      for (std::size_t j = 0; j < table_.systems; ++j) {
        const double mark = table_.at(j, i);
        if (!std::isfinite(mark)) continue;
        for (std::size_t q = 0; q < kPoints; ++q) {
          const AtPoint& at = at_[j][q];
          right[q] += mark >= 0.5 ? at.solved : at.failed;
          wrong[q] += mark >= 0.5 ? at.met : at.unmet;
        }
      }
      const double top = std::max(*std::ranges::max_element(right), *std::ranges::max_element(wrong));
      double sum_right = 0;
      double sum_wrong = 0;
      for (std::size_t q = 0; q < kPoints; ++q) {
        right[q] = (1 - wrong_) * weights_[q] * std::exp(right[q] - top);
        sum_right += right[q];
        sum_wrong += wrong_ * weights_[q] * std::exp(wrong[q] - top);
      }
      for (double& share : right) share /= sum_right + sum_wrong;
      posterior_[i] = right;  // of the point and the key being right
      right_[i] = sum_right / (sum_right + sum_wrong);
    }
  }

  // One Newton step for each ability and for the spread, over the cases as far as their keys are right.
  double improve() {
    double moved = 0;
    double to_spread = 0;
    double spread_curvature = 1e-9;
    for (std::size_t j = 0; j < table_.systems; ++j) {
      // A weak prior keeps a system that solves everything, or nothing, at a finite place.
      double slope = -abilities_[j] / 25;
      double curvature = 1.0 / 25;
      for (std::size_t i = 0; i < table_.cases; ++i) {
        const double mark = table_.at(j, i);
        if (!std::isfinite(mark)) continue;
        for (std::size_t q = 0; q < kPoints; ++q) {
          const double able = at_[j][q].able;  // as before this round
          const double rest = posterior_[i][q] * ((mark >= 0.5 ? 1 : 0) - able);
          const double weight = posterior_[i][q] * able * (1 - able);
          slope += rest;
          curvature += weight;
          to_spread += rest * points_[q];
          spread_curvature += weight * points_[q] * points_[q];
        }
      }
      const double by = std::clamp(slope / curvature, -1.0, 1.0);
      abilities_[j] += by;
      moved = std::max(moved, std::abs(by));
    }
    const double spread = std::clamp(spread_ + std::clamp(to_spread / spread_curvature, -0.5, 0.5), 0.0, 8.0);
    moved = std::max(moved, std::abs(spread - spread_));
    spread_ = spread;
    double wrong = 0;
    for (const double right : right_) wrong += 1 - right;
    const double share = (wrong + kPriorWrong - 1 + kLeastShare) /
                         (static_cast<double>(table_.cases) + kPriorWrong + kPriorRight - 2);
    moved = std::max(moved, std::abs(share - wrong_));
    wrong_ = std::clamp(share, kLeastShare, 0.5);
    return moved;
  }

  const SolvedTable& table_;
  std::span<const int> answers_;
  WrongKeyOptions options_;
  std::vector<double> abilities_;
  double spread_ = 1;
  double wrong_ = 0.02;
  double same_answer_ = 0;
  std::vector<Told> told_;                        // by case; empty if no answers are known
  std::vector<std::array<AtPoint, kPoints>> at_;  // by system
  std::array<double, kPoints> points_{};
  std::array<double, kPoints> weights_{};
  std::vector<double> right_;  // by case: the probability that its key is right
  std::vector<std::array<double, kPoints>> posterior_;
};

}  // namespace

WrongKeys suspect_keys(const SolvedTable& table, std::span<const int> answers,
                       const WrongKeyOptions& options) {
  WrongKeys none;
  if (table.cells.size() != table.systems * table.cases ||
      (!answers.empty() && answers.size() != table.cells.size())) {
    none.undefined = "not every system has a place for every case";
  } else if (table.systems < 2 || table.cases < 2) {
    none.undefined = "two systems and two cases are the least that say something about a key";
  } else {
    return Mixture(table, answers, options).run();
  }
  return none;
}

}  // namespace assay
