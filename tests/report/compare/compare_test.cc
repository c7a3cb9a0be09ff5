#include "report/compare/compare.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/compare/compared_runs.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

FigureChange only_change(const RunScores& base, const RunScores& fresh, double margin = 0) {
  const auto comparison = compare_runs(base, fresh, {.margin = margin});
  EXPECT_TRUE(comparison) << comparison.error().text();
  EXPECT_EQ(comparison->figures.size(), 1U);
  return comparison->figures.front();
}

// A=110110110111, B=100110010101: mean difference 0.25, paired standard error 0.1305582 (Miller 2024,
// recomputed); t with 11 degrees of freedom is 2.200985.
const std::vector<double> kNew = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1};
const std::vector<double> kBase = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};

TEST(Compare, TheDifferenceIsPairedWithItsInterval) {
  const FigureChange change = only_change(run(kBase), run(kNew));
  EXPECT_NEAR(*change.difference.value, 0.25, 1e-12);
  ASSERT_TRUE(change.difference.ci);
  EXPECT_NEAR(change.difference.ci->low, 0.25 - 2.200985 * 0.1305582, 1e-6);
  EXPECT_NEAR(*change.base, 6.0 / 12, 1e-12);
  EXPECT_NEAR(*change.fresh, 9.0 / 12, 1e-12);
  EXPECT_EQ(change.rose, 3);
  EXPECT_EQ(change.fell, 0);
  EXPECT_EQ(change.equal, 9);
  EXPECT_EQ(change.change, Change::undecided);
  EXPECT_THAT(change.sentence, HasSubstr("do not tell the two runs apart"));
}

TEST(Compare, TheOrderOfTheCasesPlaysNoPart) {
  RunScores shuffled = run(kNew);
  std::reverse(shuffled.cases.begin(), shuffled.cases.end());
  EXPECT_NEAR(*only_change(run(kBase), shuffled).difference.value, 0.25, 1e-12);
}

std::vector<double> shifted(double by) {
  std::vector<double> scores;
  for (int i = 0; i < 30; ++i) scores.push_back(0.5 + by + 0.01 * (i % 3));
  return scores;
}
std::vector<double> level() {
  std::vector<double> scores;
  for (int i = 0; i < 30; ++i) scores.push_back(0.5 + 0.01 * (i % 2));
  return scores;
}

TEST(Compare, AClearChangeIsNamedByItsDirection) {
  EXPECT_EQ(only_change(run(level()), run(shifted(0.2))).change, Change::better);
  const FigureChange worse = only_change(run(level()), run(shifted(-0.2)));
  EXPECT_EQ(worse.change, Change::worse);
  EXPECT_TRUE(worse.regression);
  EXPECT_THAT(worse.sentence, HasSubstr("the new run is worse"));
}

TEST(Compare, WhereLowerIsBetterTheDirectionsAreSwapped) {
  const auto lower = Metric::Better::lower;
  EXPECT_EQ(only_change(run(level(), "bias.mean", lower), run(shifted(0.2), "bias.mean", lower)).change,
            Change::worse);
  EXPECT_TRUE(
      only_change(run(level(), "bias.mean", lower), run(shifted(0.2), "bias.mean", lower)).regression);
  EXPECT_FALSE(
      only_change(run(level(), "bias.mean", lower), run(shifted(-0.2), "bias.mean", lower)).regression);
}

TEST(Compare, ARegressionIsOneOnlyWhenTheIntervalLiesBeyondTheMargin) {
  const RunScores base = run(level());
  const RunScores fresh = run(shifted(-0.2));
  EXPECT_TRUE(only_change(base, fresh, 0.1).regression);
  const FigureChange within = only_change(base, fresh, 0.3);
  EXPECT_FALSE(within.regression);
  const FigureChange at_the_edge = only_change(base, fresh, 0.195);
  EXPECT_FALSE(at_the_edge.regression) << "the interval holds the margin";
  EXPECT_TRUE(compare_runs(base, fresh, {.margin = 0.195})->undecided());
  EXPECT_FALSE(compare_runs(base, fresh, {.margin = 0.3})->undecided());
}

TEST(Compare, EqualRunsAreTheSameAndNotUndecided) {
  const FigureChange change = only_change(run(kBase), run(kBase));
  EXPECT_EQ(change.change, Change::same);
  EXPECT_THAT(change.sentence, HasSubstr("is the same on all 12 paired cases"));
}

TEST(Compare, FiguresThatAreTheSameShareOneSentenceForPeople) {
  RunScores base = run(kBase);
  for (int i = 0; i < 10; ++i) {
    Metric metric;
    metric.name = "figure" + std::to_string(i);
    base.summary.metrics.push_back(metric);
    base.figures.push_back(metric.name);
    for (ScoredCase& one : base.cases) one.scores.emplace_back(1);
  }
  RunScores fresh = base;
  for (std::size_t i = 0; i < kNew.size(); ++i) fresh.cases[i].scores[0] = kNew[i];
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison) << comparison.error().text();
  const std::string words = "10 figures are the same on every paired case: figure0, ";
  for (const std::string& page : {markdown_comparison(*comparison), html_comparison(*comparison)}) {
    EXPECT_THAT(page, HasSubstr(words));
    EXPECT_THAT(page, HasSubstr("accuracy changed by"));
    EXPECT_THAT(page, Not(HasSubstr("is the same on all")));
  }
}

TEST(Compare, CasesInOneRunOnlyAndAbsentScoresAreToldAndNotCounted) {
  RunScores base = run(kBase);
  RunScores fresh = run(kNew);
  base.cases.push_back({"old", "", "scored", "", {1}});
  fresh.cases.push_back({"young", "", "scored", "", {0}});
  fresh.cases[0].scores[0].reset();
  fresh.cases[1].text = "another question";
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_THAT(comparison->only_base, ElementsAre("old"));
  EXPECT_THAT(comparison->only_fresh, ElementsAre("young"));
  EXPECT_EQ(comparison->pairs, 12);
  EXPECT_EQ(comparison->different_text, 1);
  EXPECT_EQ(comparison->figures[0].unpaired, 1);
  EXPECT_EQ(comparison->figures[0].difference.n, 11);
}

TEST(Compare, ClustersOnBothSidesMakeTheIntervalClustered) {
  RunScores base = run(kBase);
  RunScores fresh = run(kNew);
  for (std::size_t i = 0; i < 12; ++i) {
    base.cases[i].cluster = fresh.cases[i].cluster = "q" + std::to_string(i / 4);
  }
  const FigureChange clustered = only_change(base, fresh);
  EXPECT_THAT(clustered.difference.method, HasSubstr("clustered"));
  fresh.cases[3].cluster = "elsewhere";
  EXPECT_THAT(only_change(base, fresh).difference.method, Not(HasSubstr("clustered")));
}

TEST(Compare, PValuesAreAdjustedOverTheFigures) {
  RunScores base = run(level());
  RunScores fresh = run(shifted(0.005));
  for (RunScores* one : {&base, &fresh}) {
    one->figures.emplace_back("second");
    for (ScoredCase& scored : one->cases) scored.scores.push_back(scored.scores[0]);
  }
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison);
  ASSERT_TRUE(comparison->figures[0].p);
  EXPECT_NEAR(*comparison->figures[0].p_holm, std::min(1.0, 2 * *comparison->figures[0].p), 1e-12);
}

TEST(Compare, AFindingThatManyFiguresMakeLikelyIsSaidToBePerhapsChance) {
  // One of 20 figures differs with p near 0.03: after Holm it is no finding.
  RunScores base = run(std::vector<double>(12, 0.5));
  RunScores fresh = run({0.5, 0.7, 0.6, 0.5, 0.6, 0.4, 0.6, 0.7, 0.5, 0.6, 0.5, 0.6});
  for (RunScores* one : {&base, &fresh}) {
    for (int figure = 0; figure < 19; ++figure) {
      one->figures.push_back("figure" + std::to_string(figure));
      for (std::size_t i = 0; i < 12; ++i) {
        const double noise = one == &fresh ? 0.1 * ((static_cast<int>(i) + figure) % 3 - 1) : 0;
        one->cases[i].scores.emplace_back(0.5 + noise);
      }
    }
  }
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->figures[0].change, Change::better);
  EXPECT_THAT(comparison->figures[0].sentence, HasSubstr("it may still be chance"));
}

TEST(Compare, FiguresThatAreNoMeanStandAsideWithoutATest) {
  RunScores base = run(kBase);
  RunScores fresh = run(kNew);
  for (RunScores* one : {&base, &fresh}) {
    Metric metric;
    metric.name = "macro.f1";
    metric.estimate = plain_figure(one == &base ? 0.4 : 0.6, 12);
    one->summary.metrics.push_back(metric);
  }
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_EQ(comparison->asides.size(), 1U);
  EXPECT_EQ(comparison->asides[0].figure, "macro.f1");
  EXPECT_EQ(comparison->asides[0].base, 0.4);
}

TEST(Compare, DifferencesOfTheConfigsAreNamed) {
  RunScores base = run(kBase);
  RunScores fresh = run(kNew);
  base.config = JsonObject{{"judge", JsonObject{{"model", "a/b"}, {"temperature", 0}}}};
  fresh.config = JsonObject{{"judge", JsonObject{{"model", "a/c"}, {"temperature", 0}}}, {"seed", 3}};
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(comparison->differences, ElementsAre("judge.model: \"a/b\" → \"a/c\"", "seed: not set → 3"));
}

// A judge prompt and a scorer of a benchmark are no systems of it.
TEST(Compare, ABenchmarkThatIsScoredOtherwiseIsNoWorseSystem) {
  const auto benchmark = [](const std::string& scorer, const std::string& print) {
    RunScores made = run(scorer == "exact" ? std::vector<double>(12, 0.0) : std::vector<double>(12, 1.0));
    made.cases.front().scores = {0.5};
    made.summary.evaluation = "benchmark";
    made.summary.prompts = {{"benchmark/rubric", print}};
    Table table{"scorers", "", {"task", "variations", "scorer", "chosen"}, {}, false, "", ""};
    table.rows.push_back({"t1", "all", boost::json::string(scorer), "declared"});
    made.summary.tables.push_back(table);
    return made;
  };
  const auto scored =
      compare_runs(benchmark("rubric, 1 criteria: Is right.", "a"), benchmark("exact", "a"), {});
  EXPECT_THAT(scored->judged_differently, ElementsAre("scorer of t1: rubric, 1 criteria: Is right. → exact"));
  EXPECT_FALSE(scored->regressed());
  EXPECT_EQ(scored->figures.front().change, Change::not_comparable);
  const auto asked = compare_runs(benchmark("rubric", "a"), benchmark("rubric", "b"), {});
  EXPECT_THAT(asked->judged_differently, ElementsAre("prompt benchmark/rubric: its text differs"));
  EXPECT_TRUE(
      compare_runs(benchmark("rubric", "a"), benchmark("rubric", "a"), {})->judged_differently.empty());
}

TEST(Compare, AnotherDeclaredJudgeIsToldByItsNameAlone) {
  const auto judged = [](const char* name, const char* url) {
    RunScores made = run(kBase);
    made.judging = JsonObject{{"judge", JsonObject{{"model", name}}},
                              {"models", JsonObject{{name, JsonObject{{"base_url", url}}}}}};
    return made;
  };
  const auto differ = [&](const RunScores& base, const RunScores& fresh) {
    return compare_runs(base, fresh, {})->judged_differently;
  };
  EXPECT_THAT(differ(judged("a", "x"), judged("b", "x")), ElementsAre("judge.model: \"a\" → \"b\""));
  EXPECT_THAT(differ(judged("a", "x"), judged("a", "y")), ElementsAre("models.a.base_url: \"x\" → \"y\""));
}

TEST(Compare, RunsThatCannotBeComparedAreRefused) {
  RunScores other = run(kNew);
  other.summary.evaluation = "retrieval";
  EXPECT_THAT(compare_runs(run(kBase), other, {}).error().message, HasSubstr("different evaluations"));
  RunScores strangers = run(kNew);
  for (ScoredCase& one : strangers.cases) one.id += "x";
  EXPECT_THAT(compare_runs(run(kBase), strangers, {}).error().message, HasSubstr("no case in common"));
  EXPECT_THAT(compare_runs(run(kBase), run(kNew, "other"), {}).error().message,
              HasSubstr("no figure in common"));
}

TEST(Compare, ForeignTextIsNeverMarkup) {
  RunScores base = run(level());
  RunScores fresh = run(shifted(-0.2));
  fresh.cases[0].text = "<script>alert(1)</script> | `x` & ]]>";
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(html_comparison(*comparison), Not(HasSubstr("<script>alert")));
  EXPECT_THAT(markdown_comparison(*comparison), HasSubstr("**Regression: accuracy is worse.**"));
  EXPECT_THAT(junit_comparison(*comparison),
              AllOf(HasSubstr("failures=\"1\""), HasSubstr("type=\"regression\"")));
  EXPECT_EQ(find_pointer(to_json(*comparison), "/regression")->get_bool(), true);
}

TEST(Compare, CasesThatPassedInOneRunOnlyAreNamed) {
  RunScores base = run({1, 1, 0, 0});
  RunScores fresh = run({0, 1, 0, 1});
  for (std::size_t i = 0; i < 4; ++i) {
    base.cases[i].passed = base.cases[i].scores[0] == 1;
    fresh.cases[i].passed = fresh.cases[i].scores[0] == 1;
  }
  base.cases[1].passed.reset();
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->no_longer_pass, std::vector<std::string>{"c0"});
  EXPECT_EQ(comparison->pass_now, std::vector<std::string>{"c3"});
  EXPECT_EQ(comparison->conclusions.back(),
            "1 case that passed in base does not in new: c0. 1 the other way round.");
}

// 30 cases gain 1, 3 lose 0.5: no loss is among the 20 that changed most.
TEST(Compare, WhatGotWorseIsListedHoweverMuchMoreOthersGained) {
  std::vector<double> before(33, 0);
  std::vector<double> after(33, 1);
  for (const std::size_t loser : {4U, 9U, 20U}) {
    before[loser] = 1;
    after[loser] = 0.5;
  }
  const auto comparison = compare_runs(run(before), run(after), {});
  ASSERT_TRUE(comparison) << comparison.error().text();
  EXPECT_EQ(comparison->changed_scores, 33);
  ASSERT_EQ(comparison->changed.size(), 20U);
  for (const ChangedCase& one : comparison->changed) EXPECT_FALSE(one.worse) << one.id;
  EXPECT_EQ(comparison->worse_scores, 3);
  ASSERT_EQ(comparison->worst.size(), 3U);
  EXPECT_EQ(comparison->worst.front().id, "c20");
  // Where lower is better the others are the worse ones.
  const auto lower = Metric::Better::lower;
  EXPECT_EQ(compare_runs(run(before, "bias.mean", lower), run(after, "bias.mean", lower), {})->worse_scores,
            30);
  const auto neither = Metric::Better::neither;
  EXPECT_EQ(compare_runs(run(before, "length", neither), run(after, "length", neither), {})->worse_scores, 0);
  // Another judge makes nothing a regression of the target.
  RunScores other = run(after);
  other.judging = JsonObject{{"judge", "openai/other"}};
  const auto judged = compare_runs(run(before), other, {});
  EXPECT_EQ(judged->worse_scores, 0);
  EXPECT_TRUE(judged->worst.empty());
  EXPECT_EQ(judged->changed_scores, 33);
}

TEST(Compare, AListOfFailuresThatIsCutSaysSo) {
  RunScores fresh = run(std::vector<double>(80, 1));
  for (std::size_t i = 0; i < 60; ++i) fail_case(fresh, i);
  const std::string text = markdown_comparison(*compare_runs(run(std::vector<double>(80, 1)), fresh, {}));
  EXPECT_THAT(text, HasSubstr("`c49`"));
  EXPECT_THAT(text, Not(HasSubstr("`c50`")));
  EXPECT_THAT(text, HasSubstr("\n10 more fail now.\n"));
}

}  // namespace
}  // namespace assay
