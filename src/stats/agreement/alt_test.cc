#include "stats/agreement/alt_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "stats/comparisons/adjust.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-9;  // of a sum of squares

// What a unit says about a human: nothing, or d.
enum class Verdict : std::int8_t { candidate = -1, equal = 0, human = 1, absent = 2 };

Verdict verdict_of(std::span<const double> unit, std::size_t left_out, double candidate,
                   Alignment alignment) {
  double of_human = 0;  // the less the better
  double of_candidate = 0;
  for (std::size_t rater = 0; rater < unit.size(); ++rater) {
    if (rater == left_out || std::isnan(unit[rater])) continue;
    if (alignment == Alignment::accuracy) {
      of_human += unit[rater] == unit[left_out] ? 0 : 1;
      of_candidate += unit[rater] == candidate ? 0 : 1;
    } else {
      of_human += (unit[rater] - unit[left_out]) * (unit[rater] - unit[left_out]);
      of_candidate += (unit[rater] - candidate) * (unit[rater] - candidate);
    }
  }
  if (of_human == of_candidate ||
      std::fabs(of_human - of_candidate) <= kRounding * std::max(of_human, of_candidate)) {
    return Verdict::equal;
  }
  return of_human < of_candidate ? Verdict::human : Verdict::candidate;
}

struct JudgedUnit {
  std::vector<Verdict> verdicts;  // one a human
  std::string cluster;
};

// All d of one human in integers, so that no order of summation matters.
struct Differences {
  struct Cluster {
    std::int64_t n = 0;
    std::int64_t sum = 0;
  };
  std::int64_t n = 0;
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  std::map<std::string, Cluster> clusters;

  double mean() const { return static_cast<double>(sum) / static_cast<double>(n); }
  bool constant() const { return squares * n == sum * sum; }
};

Differences differences_of(const std::vector<JudgedUnit>& units, std::size_t rater) {
  Differences differences;
  for (const JudgedUnit& unit : units) {
    if (unit.verdicts[rater] == Verdict::absent) continue;
    const auto d = static_cast<std::int64_t>(unit.verdicts[rater]);
    ++differences.n;
    differences.sum += d;
    differences.squares += d * d;
    Differences::Cluster& cluster = differences.clusters[unit.cluster];
    ++cluster.n;
    cluster.sum += d;
  }
  return differences;
}

TestResult test_of(const Differences& differences, double epsilon, Drawn unit) {
  const bool clustered = unit == Drawn::clusters;
  const auto n = static_cast<double>(differences.n);
  const double units = clustered ? static_cast<double>(differences.clusters.size()) : n;
  const double mean = differences.mean();
  if (differences.constant()) {
    TestResult result;
    result.method = "alt_test_constant";
    result.p = mean > 0 ? 1 : std::pow(mean < 0 ? (1 - epsilon) / 2 : 1 - epsilon, units);
    return result;
  }
  if (!clustered) {
    const double variance = (static_cast<double>(differences.squares) - n * mean * mean) / (n - 1);
    return t_result((mean - epsilon) / std::sqrt(variance / n), n - 1, Alternative::less, "alt_test_t");
  }
  if (units < 2) return no_result("one cluster shows no spread between clusters", "alt_test_t_clustered");
  double squares = 0;
  for (const auto& [name, cluster] : differences.clusters) {
    const double excess = static_cast<double>(cluster.sum) - static_cast<double>(cluster.n) * mean;
    squares += excess * excess;
  }
  const double error = std::sqrt(units / (units - 1) * squares) / n;
  if (!(error > kRounding)) {
    return no_result("all clusters have the same mean, which says nothing about its error",
                     "alt_test_t_clustered");
  }
  return t_result((mean - epsilon) / error, units - 1, Alternative::less, "alt_test_t_clustered");
}

// Why the test cannot be made at all; empty if it can.
std::string unusable(const Ratings& humans, std::span<const double> candidate, const AltTestOptions& options,
                     std::span<const std::string> clusters) {
  if (humans.ragged()) return "a unit has not one rating per human";
  if (humans.raters() < 2) return "the test needs at least two humans";
  if (candidate.size() != humans.units()) return "the candidate has not one rating per unit";
  if (!clusters.empty() && clusters.size() != humans.units()) return "not every unit has its cluster";
  if (!(options.epsilon >= 0 && options.epsilon < 1)) return "epsilon must be at least 0 and below 1";
  if (!(options.rate > 0 && options.rate < 1)) return "the rate must lie between 0 and 1";
  if (humans.units() == 0) return "no units";
  return "";
}

// Units in an order of their own: alike ones are counted together, so the order of rows plays no part.
struct Patterns {
  std::vector<std::vector<Verdict>> verdicts;
  std::vector<std::int64_t> counts;
  std::vector<ClusterCells> clusters;  // by name; empty without
};

Patterns patterns_of(const std::vector<JudgedUnit>& units, Drawn drawn) {
  std::map<std::vector<Verdict>, std::int64_t> counts;
  std::map<std::string, std::map<std::vector<Verdict>, std::int64_t>> by_cluster;
  for (const JudgedUnit& unit : units) {
    ++counts[unit.verdicts];
    if (drawn == Drawn::clusters) ++by_cluster[unit.cluster][unit.verdicts];
  }
  Patterns patterns;
  std::map<std::vector<Verdict>, std::size_t> place;
  for (const auto& [verdicts, count] : counts) {
    place.emplace(verdicts, patterns.counts.size());
    patterns.verdicts.push_back(verdicts);
    patterns.counts.push_back(count);
  }
  for (const auto& [name, own] : by_cluster) {
    ClusterCells& cells = patterns.clusters.emplace_back();
    for (const auto& [verdicts, count] : own) cells.emplace_back(place.at(verdicts), count);
  }
  return patterns;
}

// The candidate's advantage over each of the humans, and last their mean; NaN without units.
void advantages(const Patterns& patterns, std::span<const std::int64_t> counts,
                std::span<const std::size_t> raters, std::span<double> figures) {
  double sum = 0;
  for (std::size_t i = 0; i < raters.size(); ++i) {
    std::int64_t n = 0;
    std::int64_t reached = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      const Verdict verdict = patterns.verdicts[cell][raters[i]];
      if (verdict == Verdict::absent) continue;
      n += counts[cell];
      if (verdict != Verdict::human) reached += counts[cell];
    }
    figures[i] = n > 0 ? static_cast<double>(reached) / static_cast<double>(n) : kNaN;
    sum += figures[i];
  }
  figures[raters.size()] = sum / static_cast<double>(raters.size());
}

void estimate_advantages(AltTest& result, const std::vector<JudgedUnit>& units,
                         const std::vector<std::size_t>& raters, const Resampling& resampling, Drawn drawn) {
  const Patterns patterns = patterns_of(units, drawn);
  std::vector<double> values(raters.size() + 1);
  advantages(patterns, patterns.counts, raters, values);
  const auto intervals = resample_cells(
      patterns.counts, values.size(),
      [&](std::span<const std::int64_t> counts, std::span<double> figures) {
        advantages(patterns, counts, raters, figures);
      },
      resampling, patterns.clusters);
  for (std::size_t i = 0; i < raters.size(); ++i) {
    Estimate& advantage = result.humans[raters[i]].advantage;
    advantage.value = values[i];
    attach(advantage, intervals[i], resampling.level, drawn);
  }
  result.advantage.n = static_cast<std::int64_t>(units.size());
  result.advantage.value = values.back();
  attach(result.advantage, intervals.back(), resampling.level, drawn);
}

}  // namespace

AltTest alt_test(const Ratings& humans, std::span<const double> candidate, const AltTestOptions& options,
                 std::span<const std::string> clusters) {
  AltTest result;
  const auto say = [&](const std::string& reason) {
    result.winning_rate.undefined = result.advantage.undefined = reason;
    return result;
  };
  if (const std::string reason = unusable(humans, candidate, options, clusters); !reason.empty()) {
    return say(reason);
  }
  const Drawn drawn = clusters.empty() ? Drawn::cases : Drawn::clusters;
  std::map<std::string, std::int64_t> missing;
  std::vector<JudgedUnit> units;
  for (std::size_t i = 0; i < humans.units(); ++i) {
    const std::span<const double> unit = humans.unit(i);
    if (std::ranges::count_if(unit, [](double rating) { return !std::isnan(rating); }) < 2) {
      ++missing["units_with_fewer_than_two_ratings"];
    } else if (!std::isfinite(candidate[i])) {
      ++missing["units_not_rated_by_the_candidate"];
    } else {
      JudgedUnit& judged = units.emplace_back();
      if (drawn == Drawn::clusters) judged.cluster = clusters[i];
      for (std::size_t rater = 0; rater < unit.size(); ++rater) {
        judged.verdicts.push_back(std::isnan(unit[rater])
                                      ? Verdict::absent
                                      : verdict_of(unit, rater, candidate[i], options.alignment));
      }
    }
  }

  std::vector<std::size_t> tested;
  std::vector<std::optional<double>> p;
  for (std::size_t rater = 0; rater < humans.raters(); ++rater) {
    AltTest::Human& human = result.humans.emplace_back();
    human.rater = rater;
    const Differences differences = differences_of(units, rater);
    human.advantage.n = differences.n;
    if (differences.n == 0 || differences.n < options.fewest_units) {
      ++missing["humans_with_too_few_units"];
      const std::string reason =
          fmt::format("{} units are too few, {} are needed", differences.n, options.fewest_units);
      human.test = no_result(reason, "alt_test_t");
      human.advantage.undefined = reason;
    } else {
      tested.push_back(rater);
      human.difference = differences.mean();
      human.test = test_of(differences, options.epsilon, drawn);
    }
    p.push_back(human.test.p);
  }
  result.winning_rate.missing = result.advantage.missing = missing;
  if (tested.empty()) return say("no human has enough units to be tested");
  estimate_advantages(result, units, tested, options.resampling, drawn);

  const std::vector<std::optional<double>> adjusted = benjamini_yekutieli(p);
  std::int64_t won = 0;
  for (std::size_t rater = 0; rater < humans.raters(); ++rater) {
    AltTest::Human& human = result.humans[rater];
    human.p_adjusted = adjusted[rater];
    human.won = human.p_adjusted && *human.p_adjusted <= options.rate;
    won += human.won ? 1 : 0;
    result.winning_rate.n += human.test.p ? 1 : 0;
  }
  if (result.winning_rate.n == 0) {
    result.winning_rate.undefined = "no human can be tested: " + result.humans[tested.front()].test.undefined;
    return result;
  }
  result.winning_rate.count = won;
  result.winning_rate.value = static_cast<double>(won) / static_cast<double>(result.winning_rate.n);
  if (humans.raters() >= kFewestHumans) result.passed = 2 * won >= result.winning_rate.n;
  return result;
}

}  // namespace assay
