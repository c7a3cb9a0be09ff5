#include "stats/variance/vote_spread.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/math/distributions/students_t.hpp>

#include "stats/comparisons/planning.h"

namespace assay {
namespace {

constexpr std::int64_t kMostCases = 10'000'000;
constexpr std::int64_t kLeastDraws = 1'000;
constexpr std::int64_t kMostDrawnUnits = 20'000'000;  // clusters drawn, over all draws

// Sums of one cluster; those of several add up.
struct Sums {
  double cases = 0, mean = 0, square = 0, one_over_answers = 0;  // of the cases' means
  double answer_squares = 0, answer_freedom = 0, answers = 0, one_over_votes = 0;
  double vote_squares = 0, vote_freedom = 0, votes = 0;

  void add(const Sums& other) {
    cases += other.cases;
    mean += other.mean;
    square += other.square;
    one_over_answers += other.one_over_answers;
    answer_squares += other.answer_squares;
    answer_freedom += other.answer_freedom;
    answers += other.answers;
    one_over_votes += other.one_over_votes;
    vote_squares += other.vote_squares;
    vote_freedom += other.vote_freedom;
    votes += other.votes;
  }
};

// Around the mean of all, so that squares stay small.
std::optional<Sums> sums_of(const VotedCase& one, double centre) {
  Sums sums;
  std::vector<double> means;
  for (const std::vector<double>& votes : one.answers) {
    if (votes.empty()) continue;
    double mean = 0;
    for (const double vote : votes) mean += (vote - centre) / static_cast<double>(votes.size());
    for (const double vote : votes) sums.vote_squares += std::pow(vote - centre - mean, 2);
    sums.vote_freedom += static_cast<double>(votes.size()) - 1;
    sums.votes += static_cast<double>(votes.size());
    sums.one_over_votes += 1 / static_cast<double>(votes.size());
    means.push_back(mean);
  }
  if (means.empty()) return std::nullopt;
  const auto count = static_cast<double>(means.size());
  double mean = 0;
  for (const double answer : means) mean += answer / count;
  for (const double answer : means) sums.answer_squares += std::pow(answer - mean, 2);
  sums.answer_freedom = count - 1;
  sums.answers = count;
  sums.cases = 1;
  sums.mean = mean;
  sums.square = mean * mean;
  sums.one_over_answers = 1 / count;
  return sums;
}

struct Components {
  double of_case = 0, of_answer = 0, of_vote = 0;
};

Components components(const Sums& sums) {
  const double vote = sums.vote_freedom > 0 ? sums.vote_squares / sums.vote_freedom : 0;
  const double within = sums.answer_freedom > 0 ? sums.answer_squares / sums.answer_freedom : 0;
  const double between =
      sums.cases > 1 ? (sums.square - sums.mean * sums.mean / sums.cases) / (sums.cases - 1) : 0;
  // With one answer a case what a vote adds is seen between cases.
  const double by_votes = vote * sums.one_over_votes / sums.answers;
  Components found;
  found.of_vote = vote;
  if (sums.answer_freedom > 0) {
    found.of_answer = std::max(0.0, within - by_votes);
    found.of_case = std::max(0.0, between - within * sums.one_over_answers / sums.cases);
  } else {
    found.of_case = std::max(0.0, between - by_votes);
  }
  return found;
}

void describe(Estimate& estimate, double value, std::vector<double> drawn, double level, std::int64_t units,
              std::int64_t n) {
  estimate.value = value;
  estimate.n = n;
  estimate.method = "bootstrap_clusters";
  estimate.level = level;
  if (units < static_cast<std::int64_t>(kFewestClusters)) {
    estimate.undefined = "no interval: fewer than ten cases or clusters";
    return;
  }
  if (drawn.empty()) {
    estimate.undefined = "no interval: too many cases to draw them again";
    return;
  }
  const ResampledInterval interval = percentile_interval(std::move(drawn), expanded_level(level, units));
  estimate.ci = interval.ci;
  estimate.undefined = interval.undefined;
}

}  // namespace

VoteSpread vote_spread(std::span<const VotedCase> cases, const Resampling& resampling) {
  VoteSpread spread;
  double centre = 0;
  double all = 0;
  for (const VotedCase& one : cases) {
    for (const auto& votes : one.answers) {
      for (const double vote : votes) {
        centre += vote;
        all += 1;
      }
    }
  }
  if (all > 0) centre /= all;
  Sums total;
  std::vector<Sums> units;
  std::map<std::string, std::size_t> places;
  std::vector<double> means;
  std::vector<std::string> clusters;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto sums = sums_of(cases[i], centre);
    if (!sums) continue;
    const std::string cluster = cases[i].cluster.empty() ? "\n" + std::to_string(i) : cases[i].cluster;
    const auto [at, fresh] = places.emplace(cluster, units.size());
    if (fresh) units.emplace_back();
    units[at->second].add(*sums);
    total.add(*sums);
    means.push_back(sums->mean);
    clusters.push_back(cluster);
  }
  if (total.cases < 2) {
    spread.undefined = "fewer than two cases have a score";
    return spread;
  }
  spread.mean = centre + total.mean / total.cases;
  spread.cases = static_cast<std::int64_t>(total.cases);
  spread.clusters = static_cast<std::int64_t>(units.size());
  spread.answers = total.answers / total.cases;
  spread.votes = total.votes / total.answers;
  spread.design_effect = std::max(1.0, observed_design_effect(means, clusters).value.value_or(1));
  const Components found = components(total);
  std::vector<double> of_case;
  std::vector<double> of_answer;
  std::vector<double> of_vote;
  const auto count = static_cast<std::int64_t>(units.size());
  const std::int64_t draws = std::min(resampling.draws, kMostDrawnUnits / std::max<std::int64_t>(count, 1));
  for (std::int64_t draw = 0; count > 1 && draws >= kLeastDraws && draw < draws; ++draw) {
    Random random = resampling.random.at(static_cast<std::uint64_t>(draw));
    Sums drawn;
    for (std::int64_t i = 0; i < count; ++i)
      drawn.add(units[random.below(static_cast<std::uint64_t>(count))]);
    const Components one = components(drawn);
    of_case.push_back(one.of_case);
    of_answer.push_back(one.of_answer);
    of_vote.push_back(one.of_vote);
  }
  const double level = resampling.level;
  describe(spread.of_case, found.of_case, std::move(of_case), level, count, spread.cases);
  const auto answers = static_cast<std::int64_t>(total.answers);
  if (total.answer_freedom > 0) {
    describe(spread.of_answer, found.of_answer, std::move(of_answer), level, count, answers);
  } else {
    spread.of_answer =
        undefined_figure("every case has one answer: what another would change is part of the case");
  }
  if (total.vote_freedom > 0) {
    describe(spread.of_vote, found.of_vote, std::move(of_vote), level, count,
             static_cast<std::int64_t>(total.votes));
  } else {
    spread.of_vote =
        undefined_figure("every answer has one vote: what another would change is part of the rest");
  }
  return spread;
}

VoteSpread verdict_spread(std::span<const VotedCase> cases, double votes, const Resampling& resampling) {
  VoteSpread spread = vote_spread(cases, resampling);
  spread.verdicts = true;
  spread.votes = votes;
  spread.of_vote =
      undefined_figure("most votes make one verdict: what another would change is part of the rest");
  return spread;
}

double expected_half_width(const VoteSpread& spread, const JudgingDesign& design, double level) {
  const auto answers = static_cast<double>(design.answers);
  const auto votes = static_cast<double>(design.votes);
  const auto cases = static_cast<double>(design.cases);
  double clusters = cases;
  double few_clusters = 1;
  if (spread.clusters < spread.cases) {
    clusters *= static_cast<double>(spread.clusters) / static_cast<double>(spread.cases);
    clusters = std::max(clusters, 2.0);
    few_clusters = clusters / (clusters - 1);
  }
  const double variance = few_clusters * spread.design_effect *
                          (spread.of_case.value.value_or(0) + spread.of_answer.value.value_or(0) / answers +
                           spread.of_vote.value.value_or(0) / (answers * votes)) /
                          cases;
  const double t = boost::math::quantile(boost::math::students_t(clusters - 1), 0.5 + level / 2);
  return t * std::sqrt(variance);
}

std::optional<std::int64_t> cases_for_half_width(const VoteSpread& spread, double half_width,
                                                 std::int64_t answers, std::int64_t votes, double level) {
  const auto reaches = [&](std::int64_t cases) {
    return expected_half_width(spread, {cases, answers, votes}, level) <= half_width;
  };
  if (!(half_width > 0) || !spread.undefined.empty() || !reaches(kMostCases)) return std::nullopt;
  std::int64_t low = 1;  // does not reach it, or cannot be asked
  std::int64_t high = kMostCases;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace assay
