// Experiments that cannot say much: reasons instead of numbers, and never a crash.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "tests/evaluations/experiment/simulated.h"

namespace assay::experiment {
namespace {

std::vector<std::string> told(const Analysis& analysis) {
  std::vector<std::string> sentences = conclusions(analysis);
  for (std::string& limit : limits(analysis)) sentences.push_back(std::move(limit));
  return sentences;
}

// Whatever comes in, every figure has a value or a reason, and everything can be written.
Analysis analysed(const ExperimentData& data) {
  Analysis analysis = analyse(data, {});
  Summary summary;
  add_figures(analysis, summary);
  for (const Metric& metric : summary.metrics) {
    const Estimate& estimate = metric.estimate;
    EXPECT_TRUE(estimate.value || !estimate.undefined.empty()) << metric.name;
    EXPECT_TRUE(estimate.ci || !estimate.undefined.empty() || estimate.method == "count") << metric.name;
    if (estimate.value) EXPECT_TRUE(std::isfinite(*estimate.value)) << metric.name;
    if (estimate.ci) {
      EXPECT_TRUE(std::isfinite(estimate.ci->low) && std::isfinite(estimate.ci->high)) << metric.name;
      EXPECT_LT(estimate.ci->low, estimate.ci->high) << metric.name << ": a point claims certainty";
    }
  }
  EXPECT_FALSE(to_text(to_json(analysis)).empty());
  for (const std::string& sentence : told(analysis)) {
    EXPECT_THAT(sentence, testing::Not(testing::HasSubstr("nan")));
    EXPECT_THAT(sentence, testing::EndsWith("."));
    EXPECT_THAT(sentence, testing::Not(testing::HasSubstr(": ."))) << "a reason is missing";
  }
  return analysis;
}

Truth little() {
  Truth truth;
  truth.effects = {0.5, 0};
  truth.runs = 2;
  truth.pair_judges = 2;
  truth.raters = 2;
  return truth;
}

TEST(DegenerateExperiment, Nothing) {
  const Analysis analysis = analysed({});
  EXPECT_TRUE(analysis.contrasts.empty());
  EXPECT_THAT(told(analysis), testing::Contains(testing::HasSubstr("Nothing was judged")));
}

TEST(DegenerateExperiment, OneQueryHasMeansButNoIntervals) {
  Truth truth = little();
  truth.queries = 1;
  const Analysis analysis = analysed(simulated(truth, 1));
  const Finding& finding = analysis.contrasts[kOverall].difference;
  EXPECT_TRUE(finding.figure.value);
  EXPECT_FALSE(finding.figure.ci);
  EXPECT_FALSE(finding.test.p);
  EXPECT_THAT(told(analysis), testing::Contains(testing::HasSubstr("cannot be told")));
}

TEST(DegenerateExperiment, OneRunAndOneEvaluatorOfEachKind) {
  Truth truth = little();
  truth.runs = 1;
  truth.pair_judges = 1;
  truth.raters = 1;
  const Analysis analysis = analysed(simulated(truth, 2));
  EXPECT_FALSE(analysis.agreement.fleiss_kappa.value);
  EXPECT_NE(analysis.agreement.fleiss_kappa.undefined, "");
  EXPECT_NE(analysis.spread[0].study.undefined, "");
  EXPECT_THAT(told(analysis), testing::Contains(testing::HasSubstr("answered once per condition")));
}

TEST(DegenerateExperiment, NoRatings) {
  Truth truth = little();
  truth.raters = 0;
  const Analysis analysis = analysed(simulated(truth, 3));
  EXPECT_FALSE(analysis.by_condition[0].criteria[kOverall].mean.value);
  EXPECT_FALSE(analysis.by_condition[0].criteria[kOverall].box);
  EXPECT_TRUE(analysis.pairs[0].winner.rate.figure.value);
}

TEST(DegenerateExperiment, NoPairs) {
  Truth truth = little();
  truth.pair_judges = 0;
  const Analysis analysis = analysed(simulated(truth, 4));
  EXPECT_FALSE(analysis.pairs[0].winner.rate.figure.value);
  EXPECT_NE(analysis.ranking.undefined, "");
  EXPECT_TRUE(analysis.contrasts[kOverall].difference.figure.value);
}

TEST(DegenerateExperiment, AllTies) {
  ExperimentData data = simulated(little(), 5);
  for (PairVerdict& verdict : data.pairs) {
    verdict.winner = Choice::tie;
    verdict.choices.fill(Choice::tie);
  }
  const Analysis analysis = analysed(data);
  EXPECT_EQ(analysis.pairs[0].winner.rate.figure.value, 0.5);
  EXPECT_EQ(analysis.pairs[0].ties.value, 1);
  EXPECT_TRUE(analysis.pairs[0].ties.ci) << "a rate of 1 is no certainty";
}

TEST(DegenerateExperiment, OneConditionWinsAlways) {
  ExperimentData data = simulated(little(), 6);
  for (PairVerdict& verdict : data.pairs) {
    verdict.winner = verdict.condition_a == 2 ? Choice::b : Choice::a;
    verdict.choices.fill(verdict.winner);
  }
  const Analysis analysis = analysed(data);
  const WinRate& winner = analysis.pairs[0].winner;
  EXPECT_EQ(winner.rate.figure.value, 1);
  ASSERT_TRUE(winner.rate.figure.ci);
  EXPECT_LT(winner.rate.figure.ci->low, 0.95) << "24 queries, whatever the number of verdicts";
  EXPECT_EQ(winner.rate.test.method, "sign_flip_monte_carlo");
  EXPECT_LT(*winner.rate.test.p, 0.001);
}

TEST(DegenerateExperiment, AllRatingsAreEqual) {
  ExperimentData data = simulated(little(), 7);
  for (Rating& rating : data.ratings) rating.scores.fill(4);
  const Analysis analysis = analysed(data);
  EXPECT_EQ(analysis.by_condition[0].criteria[kOverall].mean.value, 4);
  EXPECT_EQ(analysis.contrasts[kOverall].difference.test.p, 1) << "nothing speaks for a difference";
}

TEST(DegenerateExperiment, AConditionWithoutAnyJudgement) {
  ExperimentData data = simulated(little(), 8);
  std::erase_if(data.ratings, [](const Rating& rating) { return rating.condition == 1; });
  std::erase_if(data.pairs, [](const PairVerdict& verdict) {
    return verdict.condition_a == 1 || verdict.condition_b == 1;
  });
  std::erase_if(data.roles, [](const RoleVerdict& verdict) { return verdict.condition == 1; });
  const Analysis analysis = analysed(data);
  EXPECT_FALSE(analysis.by_condition[1].criteria[kOverall].mean.value);
  EXPECT_FALSE(analysis.pairs[1].winner.rate.figure.value);
  EXPECT_TRUE(analysis.pairs[0].winner.rate.figure.value);
  EXPECT_THAT(told(analysis), testing::Contains(testing::HasSubstr(
                                  "Whether test_2 is rated differently from control cannot be told")));
}

TEST(DegenerateExperiment, WithoutSwapNothingFlips) {
  Truth truth = little();
  truth.swap = false;
  const Analysis analysis = analysed(simulated(truth, 9));
  const auto flips = std::ranges::find(analysis.biases, "flip_rate", &Bias::name);
  EXPECT_FALSE(flips->figure.value);
  EXPECT_THAT(flips->figure.undefined, testing::HasSubstr("one way round"));
  EXPECT_FALSE(flips->flagged);
}

TEST(DegenerateExperiment, NoControl) {
  ExperimentData data = simulated(little(), 10);
  for (Condition& condition : data.conditions) condition.control = false;
  const Analysis analysis = analysed(data);
  EXPECT_THAT(analysis.contrasts[0].difference.figure.undefined,
              testing::HasSubstr("not exactly one control"));
  EXPECT_EQ(analysis.pairs.size(), 2U) << "pairs that were compared stay";
}

TEST(DegenerateExperiment, JudgementsLostHereAndThere) {
  ExperimentData data = simulated(little(), 11);
  Random random = Random::keyed("holes");
  std::erase_if(data.ratings, [&](const Rating&) { return random.below(3) == 0; });
  std::erase_if(data.pairs, [&](const PairVerdict&) { return random.below(3) == 0; });
  const Analysis analysis = analysed(data);
  EXPECT_TRUE(analysis.agreement.ordinal_alpha.value);
  EXPECT_TRUE(analysis.contrasts[kOverall].difference.test.p);
}

}  // namespace
}  // namespace assay::experiment
