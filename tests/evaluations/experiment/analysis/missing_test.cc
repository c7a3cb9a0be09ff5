// Answers and judgements that are missing: no winner is declared by absence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "tests/evaluations/experiment/absence.h"

namespace assay::experiment {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr double kClose = 1e-9;

// Two queries, one run, two raters: control complete, the condition without an answer to the second query and
// with one rating of the first lost.
ExperimentData holes() {
  ExperimentData data;
  data.queries = {{"q1", "?", "", "", false}, {"q2", "?", "", "", false}, {"q3", "?", "", "", false}};
  data.conditions = {{"test", false, false, false}, {"control", true, false, false}};
  data.runs = 1;
  data.raters = 2;
  for (std::size_t query = 0; query < 3; ++query) {
    for (std::size_t condition = 0; condition < 2; ++condition) {
      const bool present = condition == 1 || query != 1;
      data.answers.push_back({query, condition, 1, present, "", ""});
      for (int rater = 1; present && rater <= 2; ++rater) {
        if (condition == 0 && query == 0 && rater == 2) continue;
        Rating rating;
        rating.evaluator = rater;
        rating.query = query;
        rating.condition = condition;
        rating.run = 1;
        rating.scores.fill(condition == 0 ? 4 : query == 1 ? 1 : 3);
        data.ratings.push_back(rating);
      }
    }
  }
  return data;
}

// Queries 1 and 3 have both: +1 and +1. All ratings together would say 4 - 14/6 = +1.67.
// Worst: query 1 (4 + 1)/2 - 3 = -0.5, query 2 1 - 1 = 0, query 3 +1: 1/6. Best: (4 + 5)/2 - 3 = 1.5, 5 - 1 =
// 4, 1: 13/6.
TEST(MissingJudgements, TheDifferenceIsOfQueriesThatBothHaveWithItsBounds) {
  const Analysis analysis = analyse(holes(), {});
  const Finding& difference = analysis.contrasts[kOverall].difference;
  EXPECT_NEAR(*difference.figure.value, 1, kClose);
  EXPECT_EQ(difference.figure.n, 2);
  EXPECT_THAT(difference.figure.missing, UnorderedElementsAre(Pair("no_answer", 1)));
  ASSERT_TRUE(difference.figure.bounds);
  EXPECT_NEAR(difference.figure.bounds->low, 1.0 / 6, kClose);
  EXPECT_NEAR(difference.figure.bounds->high, 13.0 / 6, kClose);
  // The mean by itself: 4 of two queries; worst (2.5 + 1 + 4)/3, best (4.5 + 5 + 4)/3.
  const Estimate& mean = analysis.by_condition[0].criteria[kOverall].mean;
  EXPECT_NEAR(*mean.value, 4, kClose);
  EXPECT_NEAR(mean.bounds->low, 2.5, kClose);
  EXPECT_NEAR(mean.bounds->high, 4.5, kClose);
  const Estimate& control = analysis.by_condition[1].criteria[kOverall].mean;
  EXPECT_FALSE(control.bounds);
  EXPECT_THAT(control.missing, testing::IsEmpty());
}

// A condition that leaves the hard queries unanswered: all its ratings against all of control's would make it
// the winner.
TEST(MissingJudgements, LeavingOutTheHardQueriesMakesNoWinner) {
  const ExperimentData data = with_absence(simulated(even_truth(), 9001), Absence::hard_queries, 1);
  Moments own;
  Moments control;
  for (const Rating& rating : data.ratings)
    (rating.condition == 0 ? own : control).add(rating.scores[kOverall]);
  ASSERT_GT(*own.mean() - *control.mean(), 0.2) << "what a comparison of all ratings would say";
  const Analysis analysis = analyse(data, {});
  const Finding& overall = analysis.contrasts[kOverall].difference;
  EXPECT_LT(std::fabs(*overall.figure.value), 0.15);
  EXPECT_EQ(overall.figure.n, 18);
  EXPECT_THAT(overall.figure.missing, UnorderedElementsAre(Pair("no_answer", 6)));
  const std::vector<std::string> sentences = conclusions(analysis);
  EXPECT_THAT(sentences, Each(Not(HasSubstr("was rated higher"))));
  EXPECT_THAT(sentences, Contains(AllOf(HasSubstr("Answers are missing unevenly: test_1 18 of 72, control "
                                                  "none of 72."))));
  EXPECT_THAT(sentences, Contains(HasSubstr("18 of 24 queries")));
}

// What is there speaks for the condition, but the rest could undo it.
TEST(MissingJudgements, WhatIsMissingCanKeepAWinnerFromBeingDeclared) {
  Truth truth = even_truth();
  truth.effects = {0.5};
  const Analysis whole = analyse(simulated(truth, 3), {});
  EXPECT_EQ(standing_of(whole.contrasts[kOverall].difference, 0.95), Standing::shown);
  EXPECT_THAT(conclusions(whole).front(),
              testing::StartsWith("test_1 was rated higher than control: overall"));
  const Analysis holed = analyse(with_absence(simulated(truth, 3), Absence::hard_queries, 1), {});
  EXPECT_EQ(standing_of(holed.contrasts[kOverall].difference, 0.95), Standing::shaky);
  EXPECT_THAT(conclusions(holed).front(),
              AllOf(testing::StartsWith("No winner is declared: where both were judged, test_1 was rated "
                                        "higher than control: overall"),
                    HasSubstr("could change the conclusion")));
}

// A handful of answers that are missing do not hide a plain difference.
TEST(MissingJudgements, AClearDifferenceSurvivesAFewThatAreMissing) {
  Truth truth = even_truth();
  truth.effects = {1};
  ExperimentData data = simulated(truth, 4);
  leave_unanswered(data, 3, 0, 1);
  leave_unanswered(data, 7, 1, 2);
  const Analysis analysis = analyse(data, {});
  EXPECT_EQ(standing_of(analysis.contrasts[kOverall].difference, 0.95), Standing::shown);
  EXPECT_TRUE(analysis.contrasts[kOverall].difference.figure.bounds);
  EXPECT_THAT(conclusions(analysis), Each(Not(HasSubstr("unevenly"))));
}

TEST(MissingJudgements, LostRatingsOfOneArmAreToldApart) {
  const ExperimentData data = with_absence(simulated(even_truth(), 5), Absence::judge_fails, 2);
  const Analysis analysis = analyse(data, {});
  EXPECT_GT(analysis.by_condition[0].ratings_lost, 10);
  EXPECT_EQ(analysis.by_condition[1].ratings_lost, 0);
  EXPECT_THAT(conclusions(analysis), Contains(HasSubstr("Ratings are missing unevenly: test_1 ")));
}

// Comparisons too: a pair without one of its answers is missing, worst is a loss.
TEST(MissingJudgements, WinRatesHaveBoundsToo) {
  ExperimentData data = simulated(even_truth(), 6);
  leave_unanswered(data, 0, 0, 1);
  const Estimate rate = analyse(data, {}).pairs[0].winner.rate.figure;
  EXPECT_EQ(rate.n, 24);
  ASSERT_TRUE(rate.bounds);
  // A third of one query of 24.
  EXPECT_NEAR(rate.bounds->high - rate.bounds->low, 1.0 / 3 / 24, kClose);
}

// At a rate of 0.05 more than six of 40 happen once in three hundred times.
TEST(MissingJudgements, NoWinnerByAbsenceOverManyExperiments) {
  for (const Absence absence : {Absence::at_random, Absence::hard_queries, Absence::judge_fails}) {
    const FalseWinners winners = false_winners(40, absence);
    EXPECT_LE(winners.declared, 2) << static_cast<int>(absence);
    if (absence == Absence::hard_queries) {
      EXPECT_GT(winners.all_against_all, 12) << "what pairing prevents";
      EXPECT_LE(winners.paired, 6);
    }
    if (absence == Absence::judge_fails)
      EXPECT_GT(winners.paired, 6) << "what pairing alone does not prevent";
  }
}

}  // namespace
}  // namespace assay::experiment
