// One small experiment, every figure by hand: three queries, a condition and control, one run, two pairwise
// evaluators with swap, two raters.
#include "evaluations/experiment/analysis/analysis.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/analysis/analysis.h"

namespace assay::experiment {
namespace {

constexpr double kClose = 1e-6;

void rate(ExperimentData& data, int evaluator, std::size_t query, std::size_t condition, int score) {
  Rating rating;
  rating.evaluator = evaluator;
  rating.query = query;
  rating.condition = condition;
  rating.run = 1;
  rating.order = static_cast<std::int64_t>(query * 2 + condition);
  rating.scores.fill(score);
  rating.length = 100;
  data.ratings.push_back(rating);
}

// `first` with the test condition as Response A, `second` the other way round.
void compare(ExperimentData& data, int evaluator, std::size_t query, Choice first, Choice second) {
  for (const bool swapped : {false, true}) {
    PairVerdict verdict;
    verdict.evaluator = evaluator;
    verdict.query = query;
    verdict.condition_a = swapped ? 1 : 0;
    verdict.condition_b = swapped ? 0 : 1;
    verdict.run = 1;
    verdict.swapped = swapped;
    verdict.winner = swapped ? second : first;
    verdict.choices.fill(verdict.winner);
    verdict.length_a = verdict.length_b = 100;
    data.pairs.push_back(verdict);
  }
}

ExperimentData small() {
  ExperimentData data;
  data.queries = {
      {"query_1", "?", "x", "", false}, {"query_2", "?", "x", "", false}, {"query_3", "?", "y", "", false}};
  data.conditions = {{"test", false, true, false}, {"control", true, false, false}};
  data.runs = 1;
  data.swap = true;
  data.raters = data.pair_judges = 2;
  data.role_judges = 1;
  for (std::size_t query = 0; query < 3; ++query) {
    data.answers.push_back({query, 0, 1, true, "Librarian", "Librarian"});
    data.answers.push_back({query, 1, 1, true, "", ""});
  }
  const int scores[3][2][2] = {{{4, 5}, {3, 3}}, {{4, 4}, {4, 3}}, {{3, 4}, {2, 2}}};
  for (std::size_t query = 0; query < 3; ++query) {
    for (std::size_t condition = 0; condition < 2; ++condition) {
      for (int rater = 0; rater < 2; ++rater)
        rate(data, 3 + rater, query, condition, scores[query][condition][rater]);
    }
  }
  compare(data, 1, 0, Choice::a, Choice::b);    // test twice
  compare(data, 1, 1, Choice::a, Choice::a);    // follows the seat
  compare(data, 1, 2, Choice::tie, Choice::b);  // tie, then test
  compare(data, 2, 0, Choice::a, Choice::b);
  compare(data, 2, 1, Choice::tie, Choice::tie);
  compare(data, 2, 2, Choice::b, Choice::a);  // control twice
  for (std::size_t query = 0; query < 3; ++query)
    data.roles.push_back({3, query, 0, 1, "Librarian", query != 1, "", {}});
  return data;
}

const Bias& bias(const Analysis& analysis, std::string_view name,
                 std::optional<int> evaluator = std::nullopt) {
  const auto found = std::ranges::find_if(
      analysis.biases, [&](const Bias& one) { return one.name == name && one.evaluator == evaluator; });
  EXPECT_NE(found, analysis.biases.end()) << name;
  return *found;
}

// Scores by query: 4.5, 4, 3.5. Clustered error (1/6)·sqrt(3/2·(1 + 0 + 1)) = 0.2886751, t with 2
// degrees 4.302653; the upper limit 5.24 is cut at 5.
TEST(Analysis, MeansAreClusteredByQueryAndStayOnTheScale) {
  const Analysis analysis = analyse(small(), {});
  const Estimate& mean = analysis.by_condition[0].criteria[kOverall].mean;
  EXPECT_NEAR(*mean.value, 4, kClose);
  EXPECT_EQ(mean.n, 3) << "queries, whatever the number of ratings";
  EXPECT_EQ(analysis.by_condition[0].criteria[kOverall].ratings, 6);
  EXPECT_EQ(mean.method, "t_over_queries");
  ASSERT_TRUE(mean.ci);
  EXPECT_NEAR(mean.ci->low, 4 - 4.302653 * 0.2886751, kClose);
  EXPECT_EQ(mean.ci->high, 5);
  EXPECT_EQ(analysis.by_condition[0].criteria[kOverall].box->median, 4);
}

// Differences by query: 1.5, 0.5, 1.5: mean 7/6, deviation 0.5773503, error 1/3, t = 3.5 with 2 degrees, and
// with two degrees p = 1 - t/sqrt(2 + t²). All five criteria are alike, and six win rates say less, so Holm
// multiplies by 11.
TEST(Analysis, TheHeadlineDifferenceCountsQueriesNotRatings) {
  const Analysis analysis = analyse(small(), {});
  const ScoreContrast& overall = analysis.contrasts[kOverall];
  EXPECT_NEAR(*overall.difference.figure.value, 7.0 / 6, kClose);
  EXPECT_EQ(overall.difference.figure.n, 3);
  EXPECT_EQ(overall.ratings, 6);
  EXPECT_NEAR(*overall.difference.test.statistic, 3.5, kClose);
  EXPECT_EQ(overall.difference.test.df, 2);
  const double p = 1 - 3.5 / std::sqrt(2 + 3.5 * 3.5);
  EXPECT_NEAR(*overall.difference.test.p, p, kClose);
  EXPECT_NEAR(*overall.difference.p_holm, 11 * p, kClose);
  EXPECT_NEAR(overall.difference.figure.ci->low, 7.0 / 6 - 4.302653 / 3, kClose);
  EXPECT_FALSE(overall.difference.figure.bounds) << "nothing is missing";
  // Welch by hand: variances 0.4 and 0.5666667, t = (7/6)/sqrt(0.4/6 + 0.5666667/6) = 2.9065918.
  EXPECT_NEAR(*overall.naive_welch.test.statistic, 2.9065918, 1e-5);
  EXPECT_LT(*overall.naive_welch.test.p, p) << "the naive one claims more";
  // d = (7/6)/sqrt((0.4 + 0.5666667)/2) = 1.6781216.
  EXPECT_NEAR(*overall.cohen_d.clustered.value, 1.6781216, 1e-5);
  EXPECT_FALSE(overall.cohen_d.clustered.ci) << "three queries are too few to draw again";
  EXPECT_TRUE(overall.cohen_d.naive.ci);
  // Of 36 pairs 4 > 3 …: 28 above, 1 below.
  EXPECT_NEAR(*overall.cliffs_delta.clustered.value, 27.0 / 36, kClose);
}

// Points by query: 1, 0.5, 0.375. Error (1/12)·sqrt(3/2·(1.5² + 0.5² + 1²)) = 0.1909407.
TEST(Analysis, WinRatesCountTiesHalfAndQueriesAsTheUnit) {
  const Analysis analysis = analyse(small(), {});
  ASSERT_EQ(analysis.pairs.size(), 1U);
  const PairFigures& pair = analysis.pairs[0];
  EXPECT_EQ(pair.wins.value, 0.5);
  EXPECT_EQ(pair.ties.value, 0.25);
  EXPECT_EQ(pair.losses.value, 0.25);
  EXPECT_NEAR(*pair.winner.rate.figure.value, 0.625, kClose);
  EXPECT_EQ(pair.winner.rate.figure.n, 3);
  EXPECT_EQ(pair.verdicts, 12);
  EXPECT_NEAR(*pair.winner.rate.test.statistic, 0.125 / 0.1909407, 1e-5);
  EXPECT_NEAR(*pair.winner.naive_test.p, 0.5078125, kClose) << "six of nine decided ones: 2·(84+36+9+1)/512";
}

// e1 says test, tie, test and e2 test, tie, control: raw 2/3. Fleiss: shares 1/2, 1/3, 1/6, chance 7/18,
// kappa 5/11. Krippendorff: 1 - (1/3)/(11/15) = 6/11.
TEST(Analysis, AVerdictThatFollowsTheSeatIsATieForAgreement) {
  const AgreementFigures agreement = analyse(small(), {}).agreement;
  EXPECT_NEAR(*agreement.raw.value, 2.0 / 3, kClose);
  EXPECT_NEAR(*agreement.fleiss_kappa.value, 5.0 / 11, kClose);
  EXPECT_NEAR(*agreement.nominal_alpha.value, 6.0 / 11, kClose);
  ASSERT_EQ(agreement.evaluators.size(), 4U);
  EXPECT_NEAR(*agreement.evaluators[0].verdicts.value, 2.0 / 3, kClose);
  EXPECT_FALSE(agreement.evaluators[0].ratings.value);
}

TEST(Analysis, BiasesByHand) {
  const Analysis analysis = analyse(small(), {});
  EXPECT_NEAR(*bias(analysis, "position").figure.value, 5.0 / 9, kClose);
  EXPECT_NEAR(*bias(analysis, "flip_rate").figure.value, 1.0 / 6, kClose);
  EXPECT_NEAR(*bias(analysis, "changed_rate").figure.value, 2.0 / 6, kClose);
  EXPECT_FALSE(bias(analysis, "longer_wins").figure.value) << "all answers are equally long";
  EXPECT_NEAR(*bias(analysis, "ties", 2).figure.value, 2.0 / 6, kClose);
  EXPECT_NEAR(*bias(analysis, "ties", 2).neutral, 1.0 / 6, kClose);
  EXPECT_NEAR(*bias(analysis, "leniency", 3).figure.value, -1.0 / 6, kClose);
  EXPECT_NEAR(*bias(analysis, "leniency", 4).figure.value, 1.0 / 6, kClose);
}

TEST(Analysis, RolesAndQueryTypes) {
  const Analysis analysis = analyse(small(), {});
  const ConditionFigures& test = analysis.by_condition[0];
  EXPECT_NEAR(*test.role_accuracy.value, 2.0 / 3, kClose);
  ASSERT_EQ(test.by_type.size(), 2U);
  EXPECT_EQ(test.by_type[0].query_type, "x");
  EXPECT_EQ(test.by_type[0].queries, 2);
  EXPECT_NEAR(*test.by_type[0].difference.value, 1, kClose);
  EXPECT_NEAR(*test.by_type[1].win_rate.value, 0.375, kClose);
  EXPECT_FALSE(test.by_type[1].overall.ci) << "one query shows no spread between queries";
  EXPECT_NE(test.by_type[1].overall.undefined, "");
}

TEST(Analysis, FormatFailuresAndLossesAreSharesOfAllAnswers) {
  ExperimentData data = small();
  data.trouble = {{1, 3, false}, {1, 3, true}};
  data.leaks = {"query_1: the word Librarian is left"};
  const Analysis analysis = analyse(data, {});
  EXPECT_EQ(bias(analysis, "format_failures", 1).figure.value, 0.5);  // six failed, six usable
  EXPECT_TRUE(bias(analysis, "format_failures", 1).flagged);
  EXPECT_FALSE(bias(analysis, "format_failures", 2).flagged);
  EXPECT_NEAR(*bias(analysis, "lost").figure.value, 1.0 / 28,
              kClose);  // 12 verdicts, 12 ratings, 3 on roles, one lost
  EXPECT_TRUE(bias(analysis, "leaks").flagged);
  EXPECT_THAT(conclusions(analysis), testing::Contains(testing::HasSubstr("Blinding leaked")));
}

TEST(Analysis, WhatIsNotShownIsNotCalledEqual) {
  const std::vector<std::string> sentences = conclusions(analyse(small(), {}));
  EXPECT_THAT(
      sentences,
      testing::Contains(testing::AllOf(
          testing::HasSubstr("No difference between test and control was shown in the overall ratings: +1.17 "
                             "points, 95 % interval -0.27 to +2.60, 3 queries."),
          testing::HasSubstr("not to say that they are equal"))));
  EXPECT_THAT(sentences, testing::Contains(testing::HasSubstr("3 queries were judged")));
}

TEST(Analysis, AJudgementThatPointsNowhereIsABug) {
  ExperimentData data = small();
  data.ratings[0].query = 7;
  EXPECT_THROW(analyse(data, {}), std::invalid_argument);
  data = small();
  data.ratings[0].scores[2] = 0;
  EXPECT_THROW(analyse(data, {}), std::invalid_argument);
}

TEST(Analysis, TheSummaryNamesOnlyKnownFigures) {
  Summary summary;
  add_figures(analyse(small(), {}), summary);
  const std::vector<std::string> names = figure_names();
  for (const Metric& metric : summary.metrics) {
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return name.ends_with('.') ? metric.name.starts_with(name) : metric.name == name;
    })) << metric.name;
  }
  for (const Table& table : summary.tables) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  }
  for (const char* name : {"score.test.overall", "difference.test.overall", "win_rate.test", "bias.position",
                           "bias.flip_rate", "bias.length_slope", "agreement.fleiss_kappa",
                           "agreement.krippendorff_alpha", "role_accuracy.test"}) {
    EXPECT_THAT(summary.metrics, testing::Contains(testing::Field(&Metric::name, name)));
  }
}

}  // namespace
}  // namespace assay::experiment
