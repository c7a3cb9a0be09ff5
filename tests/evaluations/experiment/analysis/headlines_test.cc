// What an experiment is told to have shown: every criterion, tone and roles, and what would be needed.
#include <algorithm>
#include <cmath>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "tests/evaluations/experiment/simulated.h"

namespace assay::experiment {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kClose = 1e-9;
constexpr std::size_t kCompleteness = 2;

Truth small() {
  Truth truth;
  truth.effects = {0};
  truth.queries = 12;
  truth.runs = 2;
  truth.raters = truth.pair_judges = 2;
  return truth;
}

const Table* table(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.tables, name, &Table::name);
  return found == summary.tables.end() ? nullptr : &*found;
}

const Metric* metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

TEST(Headlines, AnEffectOnACriterionBesideTheOverallOneIsToldFirst) {
  ExperimentData data = simulated(small(), 1);
  for (Rating& rating : data.ratings) rating.scores[kCompleteness] = rating.condition == 0 ? 5 : 2;
  for (Rating& rating : data.ratings) {
    if (rating.query == 0) rating.scores[kCompleteness] = 3;  // some spread between queries
  }
  const Analysis analysis = analyse(data, {});
  const std::vector<std::string> sentences = conclusions(analysis);
  EXPECT_THAT(
      sentences.front(),
      AllOf(StartsWith("test_1 was rated higher than control: completeness +2.75 points (95 % interval"),
            HasSubstr("p below 0.001"), HasSubstr("12 queries"),
            // Five criteria and six win rates.
            HasSubstr("Holm-adjusted over 11 tests")));
  EXPECT_THAT(sentences, Contains(StartsWith("No difference between test_1 and control was shown in the "
                                             "overall ratings")));
  EXPECT_THAT(sentences, Each(Not(HasSubstr("Nor was one shown on any other criterion. That"))))
      << "there was one";
  Summary summary;
  add_figures(analysis, summary);
  EXPECT_EQ(summary.conclusions, sentences);
}

TEST(Headlines, ACriterionOfTheComparisonsIsToldToo) {
  ExperimentData data = simulated(small(), 2);
  for (PairVerdict& verdict : data.pairs)
    verdict.choices[kCompleteness] = verdict.condition_a == 0 ? Choice::b : Choice::a;
  EXPECT_THAT(conclusions(analyse(data, {})).front(),
              StartsWith("In comparisons test_1 loses to control: completeness 0 %"));
}

// Ratings give the tone condition 4 or 5 and control 1 or 2; comparisons, where marks are given relative to
// each other, 3 and 3. Both must stay what they are.
ExperimentData toned() {
  ExperimentData data = simulated(small(), 3);
  data.conditions[0].tone = true;
  for (Rating& rating : data.ratings) {
    const int plain = rating.condition == 0 ? 4 : 1;
    rating.tone = {plain + static_cast<int>(rating.query % 2), 3};
  }
  for (PairVerdict& verdict : data.pairs) {
    verdict.tone_a = verdict.tone_b = {3, 3};
    const bool test_is_a = verdict.condition_a == 0;
    (test_is_a ? verdict.tone_a : verdict.tone_b)[1] = verdict.query < 6 ? 4 : 5;
    verdict.tone_answers = JsonObject{{"jarring_shift", test_is_a ? "B" : "A"},  // always control
                                      {"more_natural", verdict.query < 6 ? "Tie"
                                                       : test_is_a       ? "A"
                                                                         : "B"},
                                      {"awkward_language", "Both"}};
  }
  return data;
}

TEST(Headlines, ToneOfRatingsIsNotMixedWithMarksOfComparisons) {
  const Analysis analysis = analyse(toned(), {});
  const std::size_t consistency = kCriteria.size();
  EXPECT_NEAR(*analysis.by_condition[0].criteria[consistency].mean.value, 4.5, kClose);
  EXPECT_NEAR(*analysis.by_condition[1].criteria[consistency].mean.value, 1.5, kClose);
  const auto contrast = std::ranges::find(analysis.contrasts, consistency, &ScoreContrast::criterion);
  ASSERT_NE(contrast, analysis.contrasts.end());
  EXPECT_NEAR(*contrast->difference.figure.value, 3, kClose);
  EXPECT_EQ(contrast->difference.figure.n, 12);
  EXPECT_LT(*contrast->difference.p_holm, 0.05);
  ASSERT_TRUE(analysis.pairs[0].tone);
  const BothSides& marks = analysis.pairs[0].tone->marks[0];
  EXPECT_NEAR(*marks.condition.value, 3, kClose);
  EXPECT_NEAR(*marks.difference.figure.value, 0, kClose);
  const BothSides& feel = analysis.pairs[0].tone->marks[1];
  EXPECT_NEAR(*feel.difference.figure.value, 1.5, kClose);
  EXPECT_LT(*feel.difference.test.p, 0.001);
}

TEST(Headlines, TheToneQuestionsHaveFigures) {
  const Analysis analysis = analyse(toned(), {});
  const PairTone& tone = *analysis.pairs[0].tone;
  EXPECT_EQ(tone.jarring_shift.condition.value, 0);
  EXPECT_EQ(tone.jarring_shift.against.value, 1);
  EXPECT_NEAR(*tone.jarring_shift.difference.figure.value, -1, kClose);
  EXPECT_LT(*tone.jarring_shift.difference.p_holm, 0.05);
  EXPECT_NEAR(*tone.awkward_language.difference.figure.value, 0, kClose);
  EXPECT_NEAR(*tone.more_natural.figure.value, 0.75, kClose);
  EXPECT_EQ(tone.verdicts, 12 * 2 * 2 * 2);
  Summary summary;
  add_figures(analysis, summary);
  for (const char* name : {"tone.test_1.more_natural", "tone.test_1.jarring_shift",
                           "tone.test_1.awkward_language", "tone.test_1.interaction_feel",
                           "score.control.tone_consistency", "difference.test_1.tone_consistency"})
    EXPECT_NE(metric(summary, name), nullptr) << name;
  ASSERT_NE(table(summary, "tone_in_comparisons"), nullptr);
  EXPECT_EQ(table(summary, "tone_in_comparisons")->rows.size(), 5U);
  EXPECT_THAT(
      summary.conclusions,
      Contains(AllOf(StartsWith("Side by side the tone of test_1 was judged better than that of control"),
                     HasSubstr("jarring shifts -100 percentage points"))));
}

TEST(Headlines, RolesAreHeldAgainstTheQuerysOwnAndOtherRolesAreCounted) {
  ExperimentData data = simulated(small(), 4);
  data.role_judges = 2;
  for (std::size_t query = 0; query < data.queries.size(); ++query) {
    data.queries[query].role = query < 9 ? "librarian" : "Baker";  // answers say "Librarian"
    data.queries[query].ambiguous = query == 2;
  }
  data.queries[11].role = "";
  std::int64_t asked = 0;
  for (RoleVerdict& verdict : data.roles) {
    if (verdict.query != 2) continue;
    verdict.other_roles = asked++ == 0 ? std::vector<std::string>{"Coach", "coach ", "Teacher"}
                                       : std::vector<std::string>{"COACH"};
  }
  // One answer names none.
  for (AnswerFact& answer : data.answers) {
    if (answer.query == 0 && answer.condition == 0 && answer.run == 1) answer.role = answer.named = "";
  }
  const Analysis analysis = analyse(data, {});
  const Estimate& match = analysis.by_condition[0].role_match;
  EXPECT_EQ(match.n, 11) << "queries with a role";
  EXPECT_NEAR(*match.value, 17.0 / 21, kClose);
  ASSERT_TRUE(match.bounds);
  EXPECT_NEAR(match.bounds->low, 17.0 / 22, kClose);
  EXPECT_FALSE(analysis.by_condition[1].role_match.value);
  ASSERT_EQ(analysis.other_roles.size(), 2U);
  EXPECT_EQ(analysis.other_roles[0].role, "Coach");
  EXPECT_EQ(analysis.other_roles[0].named, asked);
  EXPECT_EQ(analysis.other_roles[0].asked, asked);
  EXPECT_EQ(analysis.other_roles[1].role, "Teacher");
  Summary summary;
  add_figures(analysis, summary);
  EXPECT_NE(metric(summary, "role_match.test_1"), nullptr);
  EXPECT_EQ(metric(summary, "role_match.control"), nullptr);
  ASSERT_NE(table(summary, "other_roles"), nullptr);
  EXPECT_EQ(table(summary, "other_roles")->rows.size(), 2U);
}

// R: power.t.test(n = 24, sd = 1, power = 0.8, type = "paired")$delta is 0.5978; for delta 0.5 it gives
// n = 33.37.
TEST(Headlines, PowerIsThatOfThePairedTTest) {
  ExperimentData data = simulated(small(), 5);
  data.queries.clear();
  data.ratings.clear();
  data.pairs.clear();
  data.answers.clear();
  data.runs = 1;
  // Differences of the queries: 12 times -1 and 12 times +1, deviation sqrt(24/23).
  for (std::size_t query = 0; query < 24; ++query) {
    data.queries.push_back({std::to_string(query), "?", "", "", false});
    for (std::size_t condition = 0; condition < 2; ++condition) {
      for (int rater = 1; rater <= 2; ++rater) {
        Rating rating;
        rating.evaluator = rater;
        rating.query = query;
        rating.condition = condition;
        rating.run = 1;
        rating.scores.fill(condition == 1 ? 3 : query % 2 == 0 ? 2 : 4);
        data.ratings.push_back(rating);
      }
    }
  }
  const PowerFigures power = analyse(data, {}).power[0];
  const double deviation = std::sqrt(24.0 / 23);
  EXPECT_NEAR(*power.detectable.value, 0.5978 * deviation, 0.001);
  EXPECT_EQ(power.detectable.n, 24);
  ASSERT_EQ(power.needs.size(), 4U);
  EXPECT_EQ(power.needs[3].difference, 0.5);
  EXPECT_EQ(power.needs[3].queries, 35) << "33.37 · 24/23, rounded up";
}

// Queries that hardly differ do not make one query enough.
TEST(Headlines, NeverFewerQueriesThanShowASpread) {
  ExperimentData data = simulated(small(), 6);
  for (Rating& rating : data.ratings) {
    rating.scores.fill(3);
    if (rating.query == 0 && rating.condition == 0 && rating.run == 1) rating.scores.fill(4);
  }
  const PowerFigures power = analyse(data, {}).power[0];
  ASSERT_FALSE(power.needs.empty());
  for (const PowerFigures::Need& need : power.needs) EXPECT_GE(*need.queries, kFewestQueries);
  EXPECT_THAT(power.needs.back().note, HasSubstr("fewer than 10 do not show the spread"));
  for (Rating& rating : data.ratings) rating.scores.fill(3);
  const PowerFigures none = analyse(data, {}).power[0];
  EXPECT_TRUE(none.needs.empty());
  EXPECT_THAT(none.detectable.undefined, HasSubstr("no spread"));
}

// Two queries, one won and one lost: the formula asks for a lead of several times the whole scale.
TEST(Headlines, ADesignThatCouldShowNothingSaysSoInsteadOfAnImpossibleDifference) {
  Truth truth = small();
  truth.queries = 2;
  ExperimentData data = simulated(truth, 3);
  for (PairVerdict& verdict : data.pairs)
    verdict.winner = (verdict.condition_a == 0) == (verdict.query == 0) ? Choice::a : Choice::b;
  for (Rating& rating : data.ratings)
    rating.scores.fill((rating.condition == 0) == (rating.query == 0) ? 5 : 1);
  const Analysis analysis = analyse(data, {});
  for (const PowerFigures& power : analysis.power) {
    EXPECT_FALSE(power.detectable.value.has_value());
    EXPECT_EQ(power.detectable.undefined, kNothingPossible);
    EXPECT_FALSE(power.needs.empty());
  }
  const auto sentences = conclusions(analysis);
  EXPECT_THAT(sentences, Contains(HasSubstr("hardly have shown even the largest difference")));
  EXPECT_THAT(sentences, Each(Not(HasSubstr("this design would have shown a difference of"))));
}

// (1 + 1 + 3)/3 and (1 + 3 + 1)/3, each summed as it came, differ by 2⁻⁵².
TEST(Headlines, WhatRoundingLeavesOfEqualRatingsIsNoDifference) {
  Truth truth = small();
  truth.runs = 1;
  truth.raters = 3;
  ExperimentData data = simulated(truth, 4);
  for (Rating& rating : data.ratings) {
    const int seat = rating.evaluator - truth.pair_judges;  // 1 to 3
    rating.scores.fill(seat == (rating.condition == 0 ? 3 : 2) ? 3 : 1);
  }
  const ScoreContrast contrast = analyse(data, {}).contrasts[kOverall];
  EXPECT_EQ(contrast.difference.figure.value, 0.0);
  EXPECT_FALSE(std::signbit(*contrast.difference.figure.value));
}

TEST(Headlines, WhatTheDesignDoesNotAskForIsNotThere) {
  Truth truth = small();
  truth.raters = 0;
  Summary pairwise;
  add_figures(analyse(simulated(truth, 7), {}), pairwise);
  for (const Metric& one : pairwise.metrics) {
    EXPECT_TRUE(one.estimate.value) << one.name << ": " << one.estimate.undefined;
    EXPECT_FALSE(one.name.starts_with("score.") || one.name.starts_with("difference.")) << one.name;
  }
  for (const char* name : {"conditions", "differences", "effect_sizes", "variance_components"})
    EXPECT_EQ(table(pairwise, name), nullptr) << name;
  for (const Table& one : pairwise.tables) {
    for (const auto& row : one.rows) EXPECT_EQ(row.size(), one.columns.size()) << one.name;
  }
  truth = small();
  truth.pair_judges = 0;
  Summary absolute;
  add_figures(analyse(simulated(truth, 8), {}), absolute);
  for (const Metric& one : absolute.metrics) {
    EXPECT_TRUE(one.estimate.value) << one.name << ": " << one.estimate.undefined;
    EXPECT_FALSE(one.name.starts_with("win_rate.")) << one.name;
  }
  EXPECT_EQ(table(absolute, "pairs"), nullptr);
}

TEST(Headlines, FiguresSayOnWhichScaleTheyAreRead) {
  Summary summary;
  add_figures(analyse(simulated(small(), 9), {}), summary);
  EXPECT_EQ(metric(summary, "score.test_1.overall")->range->low, 1);
  EXPECT_EQ(metric(summary, "score.test_1.overall")->range->high, 5);
  EXPECT_EQ(metric(summary, "difference.test_1.overall")->reference, 0);
  EXPECT_EQ(metric(summary, "win_rate.test_1")->reference, 0.5);
  EXPECT_EQ(metric(summary, "score.test_1.overall")->estimate.n, 12) << "queries, not ratings";
}

}  // namespace
}  // namespace assay::experiment
