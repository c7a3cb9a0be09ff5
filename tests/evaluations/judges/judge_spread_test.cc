#include "evaluations/judges/judge_spread.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace assay {
namespace {

const Metric* find(const Summary& summary, std::string_view name) {
  const auto at = std::ranges::find(summary.metrics, name, &Metric::name);
  return at == summary.metrics.end() ? nullptr : &*at;
}

TEST(VotesLike, HaveTheSameNumberMeanAndSpread) {
  Moments given;
  for (const double vote : {0.2, 0.9, 0.4, 0.7}) given.add(vote);
  Moments like;
  for (const double vote : votes_like(given)) like.add(vote);
  EXPECT_EQ(like.n(), 4);
  EXPECT_NEAR(*like.mean(), *given.mean(), 1e-12);
  EXPECT_NEAR(*like.sample_deviation(), *given.sample_deviation(), 1e-12);
  EXPECT_TRUE(votes_like({}).empty());
}

// Two votes that differ by 0.2 on each of four answers: W_v = 0.02. Means 0.1, 0.5, 0.5, 0.9: B = 0.32/3, so
// between cases 0.106667 − 0.02/2 = 0.096667. With five votes ±t·sqrt((0.096667 + 0.02/5)/4).
TEST(JudgeSpread, TellsTheComponentsAndWhatMoreVotesWouldBring) {
  JudgeSpread spread;
  for (const double level : {0.1, 0.5, 0.5, 0.9})
    spread.add("coherence.mean", {"", {{level - 0.1, level + 0.1}}});
  Summary summary;
  summary.usage.cost_usd = 1.5;
  spread.apply(summary);
  ASSERT_NE(find(summary, "coherence.mean.variance.vote"), nullptr);
  EXPECT_NEAR(*find(summary, "coherence.mean.variance.vote")->estimate.value, 0.02, 1e-12);
  EXPECT_NEAR(*find(summary, "coherence.mean.variance.case")->estimate.value, 0.32 / 3 - 0.01, 1e-12);
  EXPECT_EQ(find(summary, "coherence.mean.variance.answer"), nullptr)
      << "one answer a case says nothing of answers";
  ASSERT_EQ(summary.tables.size(), 1U);
  EXPECT_EQ(summary.tables.front().rows.size(), 2U);
  // t with 3 degrees of freedom is 3.1824: ±0.520 and ±0.505.
  EXPECT_EQ(spread.sentence(),
            "Noise of Coherence · mean: 2 votes of 1 judge on 1 answer of each of 4 cases reach ±0.520 for "
            "$1.50; 5 votes would bring ±0.505.");
}

// The variances are those of the first 20,000 cases, and what is reached is that of all 80,000: with W_v =
// 0.02 and between cases 0.25 − 0.01 the half width is 1.96·sqrt(0.25/80,000) = 0.00346.
TEST(JudgeSpread, OfMoreCasesThanItKeepsSaysWhatAllReach) {
  JudgeSpread spread;
  for (int i = 0; i < 80'000; ++i) {
    const double level = i % 2;
    spread.add("coherence.mean", {"", {{level - 0.1, level + 0.1}}});
  }
  Summary summary;
  spread.apply(summary);
  EXPECT_TRUE(
      spread.sentence().starts_with("Noise of Coherence · mean: 2 votes of 1 judge on 1 answer of each of "
                                    "80,000 cases reach ±0.003"))
      << spread.sentence();
}

// Three votes on each of four answers, of which most make a verdict: 1, 1, 0, 0. Its variance is 1/3,
// whatever the votes are: ±3.1824·sqrt(1/3/4) = 0.919; and more votes are not said to bring anything.
TEST(JudgeSpread, OfVerdictsTheWidthIsThatOfTheVerdicts) {
  JudgeSpread spread;
  spread.add("applied_rate", {"", {{1, 1, 0}}}, 1);
  spread.add("applied_rate", {"", {{1, 1, 1}}}, 1);
  spread.add("applied_rate", {"", {{0, 1, 0}}}, 0);
  spread.add("applied_rate", {"", {{0, 0, 0}}}, 0);
  Summary summary;
  spread.apply(summary, "each of 4 decisions in 3 conversations");
  // The components stay those of the votes: W_v = (2/3 + 0 + 2/3 + 0)/8.
  EXPECT_NEAR(*find(summary, "applied_rate.variance.vote")->estimate.value, 1.0 / 6, 1e-12);
  EXPECT_EQ(spread.sentence(),
            "Noise of Applied rate: 3 votes of 1 judge on each of 4 decisions in 3 conversations reach "
            "±0.919; most "
            "votes decide, so more of them would not narrow that.");
}

TEST(JudgeSpread, SaysNothingOfSingleVotes) {
  JudgeSpread spread;
  for (const double level : {0.1, 0.5, 0.9}) spread.add("coherence.mean", {"", {{level}}});
  Summary summary;
  spread.apply(summary);
  EXPECT_TRUE(summary.metrics.empty());
  EXPECT_TRUE(spread.sentence().empty());
}

}  // namespace
}  // namespace assay
