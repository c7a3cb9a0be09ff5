#include "stats/variance/vote_spread.h"

#include <gtest/gtest.h>

#include "stats/intervals/mean.h"

namespace assay {
namespace {

// Calcium in turnip greens: two determinations of each of three leaves of four plants. Snedecor and Cochran,
// Statistical Methods, 6th edition (1967), table 10.16.1: mean squares 2.5201, 0.3288 and 0.0066, components
// 0.3652 (plants), 0.1611 (leaves) and 0.0066 (determinations).
std::vector<VotedCase> turnip_greens() {
  return {{"", {{3.28, 3.09}, {3.52, 3.48}, {2.88, 2.80}}},
          {"", {{2.46, 2.44}, {1.87, 1.92}, {2.19, 2.19}}},
          {"", {{2.77, 2.66}, {3.74, 3.44}, {2.55, 2.55}}},
          {"", {{3.78, 3.87}, {4.07, 4.12}, {3.31, 3.31}}}};
}

TEST(VoteSpread, GivesThePublishedComponentsOfANestedDesign) {
  const VoteSpread spread = vote_spread(turnip_greens());
  EXPECT_NEAR(*spread.of_vote.value, 0.0066, 1e-4);
  EXPECT_NEAR(*spread.of_answer.value, 0.1611, 1e-4);
  EXPECT_NEAR(*spread.of_case.value, 0.3652, 1e-4);
  EXPECT_NEAR(spread.mean, 3.012, 1e-3);
  EXPECT_DOUBLE_EQ(spread.answers, 3);
  EXPECT_DOUBLE_EQ(spread.votes, 2);
  EXPECT_EQ(spread.of_case.undefined, "no interval: fewer than ten cases or clusters");
}

// The mean of a balanced pilot has the variance MS_plants/24 = 2.5201/24: what the plan says of the pilot's
// own design is what the t interval over cases says.
TEST(VoteSpread, ThePlanOfThePilotsOwnDesignIsItsInterval) {
  const VoteSpread spread = vote_spread(turnip_greens());
  EXPECT_NEAR(expected_half_width(spread, {4, 3, 2}), 3.182446 * std::sqrt(2.5201 / 24), 1e-3);
  const auto cases = cases_for_half_width(spread, 0.2, 3, 2);
  ASSERT_TRUE(cases);
  EXPECT_LE(expected_half_width(spread, {*cases, 3, 2}), 0.2);
  EXPECT_GT(expected_half_width(spread, {*cases - 1, 3, 2}), 0.2);
}

// Six clusters of three: what the plan says of the pilot's own design is the interval over clusters.
TEST(VoteSpread, OfClustersItIsTheIntervalOverClusters) {
  std::vector<VotedCase> cases;
  ClusteredMoments moments;
  for (int i = 0; i < 18; ++i) {
    const std::string cluster = std::to_string(i / 3);
    const double score = 0.3 * (i / 3 % 4) + 0.05 * (i % 3);
    cases.push_back({cluster, {{score}}});
    moments.add(cluster, score);
  }
  const Estimate mean = estimate_mean(moments);
  const VoteSpread spread = vote_spread(cases);
  EXPECT_EQ(spread.clusters, 6);
  EXPECT_NEAR(expected_half_width(spread, {18, 1, 1}), (mean.ci->high - mean.ci->low) / 2, 1e-12);
}

TEST(VoteSpread, SaysWhatWasDoneOnceOnly) {
  const VoteSpread once = vote_spread(std::vector<VotedCase>{{"", {{1}}}, {"", {{0}}}, {"", {{1}}}});
  EXPECT_NE(once.of_vote.undefined, "");
  EXPECT_NE(once.of_answer.undefined, "");
  EXPECT_NEAR(*once.of_case.value, 1.0 / 3, 1e-12);
  // One answer a case, two votes: B = 1/2, W_v = 1/4, so a case has 1/2 − (1/4)/2.
  const VoteSpread votes =
      vote_spread(std::vector<VotedCase>{{"", {{1, 1}}}, {"", {{0, 0}}}, {"", {{0, 1}}}, {"", {}}});
  EXPECT_NEAR(*votes.of_vote.value, 0.5 / 3, 1e-12);
  EXPECT_NEAR(*votes.of_case.value, 0.25 - 0.5 / 6, 1e-12);
  EXPECT_EQ(votes.cases, 3);
  EXPECT_NE(vote_spread(std::vector<VotedCase>{{"", {{1}}}}).undefined, "");
  EXPECT_FALSE(cases_for_half_width(once, 0, 1, 1));
}

TEST(VoteSpread, ClustersThatAreAlikeMakeTheDesignEffect) {
  std::vector<VotedCase> cases;
  for (int i = 0; i < 12; ++i) cases.push_back({"c" + std::to_string(i / 4), {{i / 4 == 1 ? 1.0 : 0.0}}});
  const VoteSpread spread = vote_spread(cases);
  EXPECT_GT(spread.design_effect, 3);
}

}  // namespace
}  // namespace assay
