#include "report/judging_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

// σ² of 0.04 between cases, 0.02 between answers, 0.04 between votes.
JudgingPilot pilot() {
  JudgingPilot one;
  one.figure = "tone.mean";
  one.spread.of_case = plain_figure(0.04, 40);
  one.spread.of_answer = plain_figure(0.02, 80);
  one.spread.of_vote = plain_figure(0.04, 160);
  one.spread.cases = 40;
  one.spread.clusters = 40;
  one.spread.answers = one.spread.votes = 2;
  one.costs = {0.01, 0.002, 1, 1};
  return one;
}

// The cheapest K and V minimise (0.04 + 0.02/K + 0.04/(KV))·K·(0.01 + 0.002·V): by hand over K, V ≤ 3 that is
// K = 1, V = 2 with 0.08·0.014 = 0.00112 (V = 1: 0.0012, V = 3: 0.00117, K = 2 at V = 2: 0.00168).
TEST(JudgingPlan, TheCheapestDesignComesFirst) {
  const auto plan = plan_judging(pilot(), {.half_width = 0.03});
  ASSERT_TRUE(plan.has_value());
  const JudgingPlan::Row& best = plan->rows.front();
  EXPECT_EQ(best.design.answers, 1);
  EXPECT_EQ(best.design.votes, 2);
  // n = (1.968·√0.08/0.03)² ≈ 344.
  EXPECT_NEAR(static_cast<double>(best.design.cases), 344, 2);
  EXPECT_LE(best.half_width, 0.03);
  EXPECT_NEAR(*best.usd, static_cast<double>(best.design.cases) * 0.014, 1e-9);
  EXPECT_THAT(plan->sentences.front(), HasSubstr("2 votes of 1 judge on 1 answer of each of 34"));
  EXPECT_THAT(plan->sentences.front(), HasSubstr("5 votes would bring"));
}

// Miller 2024: n = (z_{α/2} + z_β)²·(ω² + σ_a²/K + σ_b²/K)/δ². One system: ω² = 2·0.04.
TEST(JudgingPlan, ADifferenceIsPlannedByThePairedFormula) {
  const auto plan = plan_judging(pilot(), {.half_width = std::nullopt, .detect = 0.05});
  ASSERT_TRUE(plan.has_value());
  const JudgingPlan::Row& best = plan->rows.front();
  const double votes = static_cast<double>(best.design.votes);
  const double answers = static_cast<double>(best.design.answers);
  const double variance = 0.08 + 2 * (0.02 + 0.04 / votes) / answers;
  EXPECT_NEAR(static_cast<double>(best.design.cases), 7.848880 * variance / 0.0025, 1.01);
  EXPECT_THAT(plan->sentences[1], HasSubstr("one system"));
  JudgingPilot two = pilot();
  two.difference_variance = 0.05;
  EXPECT_LT(plan_judging(two, {.half_width = std::nullopt, .detect = 0.05})->rows.front().design.cases,
            best.design.cases);
}

// A yes or no of most of three votes: σ² of 0.25 of the verdicts, n = (1.969·0.5/0.06)² ≈ 270, three votes
// each.
TEST(JudgingPlan, WhereMostVotesMakeAVerdictMoreVotesAreNotPlanned) {
  JudgingPilot verdicts;
  verdicts.figure = "correct.rate";
  std::vector<VotedCase> cases;
  for (int i = 0; i < 1'000; ++i) cases.push_back({"", {{i % 2 == 0 ? 1.0 : 0.0}}});
  verdicts.spread = verdict_spread(cases, 3, {.draws = 0});
  verdicts.costs = {0.01, 0.002, 1, 1};
  const auto plan = plan_judging(verdicts, {.half_width = 0.06});
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->rows.size(), 1U);
  EXPECT_EQ(plan->rows.front().design.votes, 3);
  EXPECT_NEAR(static_cast<double>(plan->rows.front().design.cases), 270, 2);
  EXPECT_NEAR(*plan->rows.front().usd, static_cast<double>(plan->rows.front().design.cases) * 0.016, 1e-9);
  EXPECT_FALSE(plan->more_votes);
  EXPECT_THAT(plan->sentences.back(), HasSubstr("more of them make it steadier, not the interval narrower"));
}

TEST(JudgingPlan, SaysWhereTheDataAreTooFewAndWhatWasNotSeen) {
  JudgingPilot few = pilot();
  few.available = 50;
  few.spread.of_vote = undefined_figure("every answer has one vote");
  few.costs.vote_usd.reset();
  const auto plan = plan_judging(few, {.half_width = 0.01});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->sentences[1], HasSubstr("The data hold 50 cases"));
  EXPECT_THAT(plan->sentences.back(), HasSubstr("more votes are not planned"));
  EXPECT_FALSE(plan->rows.front().usd);
  EXPECT_FALSE(plan_judging(pilot(), {}).has_value());
  EXPECT_FALSE(plan_judging(pilot(), {.half_width = 0.1, .detect = 0.1}).has_value());
  EXPECT_FALSE(plan_judging(pilot(), {.half_width = 0.0}).has_value());
}

}  // namespace
}  // namespace assay
