// What a comparison makes of cases that fail, of scores that are missing, and of runs that are judged
// differently.

#include <algorithm>
#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/absence.h"
#include "report/compare/compare.h"
#include "tests/report/compare/compared_runs.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const FigureChange& figure(const RunComparison& comparison, std::string_view name) {
  const auto found = std::ranges::find(comparison.figures, name, &FigureChange::figure);
  EXPECT_NE(found, comparison.figures.end()) << name;
  return *found;
}

RunScores right_on(std::size_t cases) {
  return run(std::vector<double>(cases, 1));
}

TEST(CompareFailures, NewOnesAreTheHeadlineNamedAndARegression) {
  const RunScores base = right_on(12);
  RunScores fresh = base;
  for (const std::size_t i : {1, 4, 7, 9}) fail_case(fresh, i);
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->conclusions.front(),
            "Regression: 4 cases that were scored in base fail in new (target failed 4): c1, c4, c7, c9.");
  EXPECT_TRUE(comparison->regressed());
  const FigureChange& failed = figure(*comparison, kFailedRate);
  EXPECT_EQ(failed.base, 0);
  EXPECT_NEAR(*failed.fresh, 4.0 / 12, 1e-12);
  // Differences 1 four times and 0 eight times: standard deviation 0.492366, t with 11 degrees of freedom.
  EXPECT_NEAR(failed.difference.ci->low, 4.0 / 12 - 2.200985 * 0.492366 / std::sqrt(12.0), 1e-5);
  EXPECT_TRUE(failed.p && failed.p_holm);
  // The scores that are left are the same, and say so of themselves only.
  EXPECT_EQ(figure(*comparison, "accuracy").change, Change::same);
  EXPECT_THAT(figure(*comparison, "accuracy").sentence,
              AllOf(HasSubstr("the same on all 8 paired cases"), HasSubstr("new target failed 4")));
  EXPECT_THAT(comparison->conclusions, Not(testing::Contains(HasSubstr("every paired case"))));
  EXPECT_THAT(junit_comparison(*comparison), HasSubstr("name=\"failed.rate\""));
  EXPECT_THAT(markdown_comparison(*comparison), HasSubstr("### Cases that fail now"));
  EXPECT_THAT(html_comparison(*comparison), HasSubstr("New failures"));
  EXPECT_EQ(find_pointer(to_json(*comparison), "/new_failures/0/id")->get_string(), "c1");
}

TEST(CompareFailures, AreARegressionAlsoWhenEveryCaseFails) {
  const RunScores base = right_on(4);
  RunScores fresh = base;
  for (std::size_t i = 0; i < 4; ++i) fail_case(fresh, i);
  fresh.figures.clear();
  const auto comparison = compare_runs(base, fresh, {});
  ASSERT_TRUE(comparison) << comparison.error().text();
  EXPECT_TRUE(comparison->regressed());
  EXPECT_THAT(comparison->conclusions.front(), StartsWith("Regression: 4 cases"));
}

TEST(CompareFailures, OfOneCaseMayBeChanceAndAreToldAllTheSame) {
  const RunScores base = right_on(40);
  RunScores fresh = base;
  fail_case(fresh, 3);
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(comparison->conclusions.front(), StartsWith("1 case that was scored in base fails in new"));
  EXPECT_FALSE(comparison->regressed());
  EXPECT_TRUE(comparison->undecided());
}

TEST(CompareFailures, OfTheJudgeAreNotTheTargets) {
  const RunScores base = right_on(12);
  RunScores fresh = base;
  for (const std::size_t i : {1, 4, 7, 9}) fail_case(fresh, i, "judge_failed");
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(comparison->conclusions.front(), StartsWith("Regression of the run, not of the target: 4"));
}

TEST(CompareFailures, ThatAreGoneAreToldAndNoRegression) {
  RunScores base = right_on(12);
  const RunScores fresh = base;
  for (const std::size_t i : {1, 4, 7, 9}) fail_case(base, i);
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(comparison->mended, ElementsAre("c1", "c4", "c7", "c9"));
  EXPECT_FALSE(comparison->regressed());
  EXPECT_EQ(figure(*comparison, kFailedRate).change, Change::better);
}

TEST(CompareFailures, AreNoFigureWhereNothingFails) {
  const auto comparison = compare_runs(right_on(5), right_on(5), {});
  EXPECT_EQ(comparison->figures.size(), 1U);
  EXPECT_THAT(comparison->conclusions, ElementsAre("The runs are the same on every paired case."));
}

std::vector<double> half_right(std::size_t cases) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < cases; ++i) scores.push_back(i % 2 == 0 ? 1 : 0);
  return scores;
}

TEST(CompareMissing, EveryPairThatLacksASideIsCountedByReasonWithBounds) {
  RunScores base = run(half_right(20));
  RunScores fresh = run(half_right(20));
  fail_case(fresh, 0);                  // base 1: the difference lies between -1 and 0
  fail_case(fresh, 1, "judge_failed");  // base 0: between 0 and 1
  fail_case(base, 2);                   // new 1: between 0 and 1
  fail_case(base, 3);
  fail_case(fresh, 3);  // neither
  const auto comparison = compare_runs(base, fresh, {});
  const FigureChange& change = figure(*comparison, "accuracy");
  EXPECT_EQ(change.difference.n, 16);
  EXPECT_EQ(change.unpaired, 3);
  EXPECT_EQ(change.neither, 1);
  EXPECT_THAT(change.difference.missing,
              ElementsAre(testing::Pair("base_target_failed", 1), testing::Pair("new_judge_failed", 1),
                          testing::Pair("new_target_failed", 1)));
  EXPECT_NEAR(change.difference.bounds->low, -1.0 / 19, 1e-12);
  EXPECT_NEAR(change.difference.bounds->high, 2.0 / 19, 1e-12);
}

TEST(CompareMissing, AWinnerThatAbsenceCouldHaveMadeIsNotNamed) {
  // Base is right on half of 40 cases. New answers only what it gets right: 20 of 20.
  RunScores base = run(half_right(40));
  RunScores fresh = run(std::vector<double>(40, 1));
  for (std::size_t i = 0; i < 40; ++i) {
    if (i % 4 < 2) fail_case(fresh, i);
  }
  const auto comparison = compare_runs(base, fresh, {});
  const FigureChange& change = figure(*comparison, "accuracy");
  ASSERT_GT(change.difference.ci->low, 0) << "the pairs alone would name a winner";
  EXPECT_EQ(change.change, Change::undecided);
  EXPECT_TRUE(change.hangs);
  EXPECT_THAT(change.sentence,
              AllOf(HasSubstr("20 cases have a score in one run only (new target failed 20)"),
                    HasSubstr("nothing is decided")));
  EXPECT_THAT(comparison->conclusions,
              testing::Contains(HasSubstr("accuracy hangs on scores that are missing")));
}

TEST(CompareMissing, NeitherIsARegressionButAClearOneStaysOne) {
  // Base is right on half of 40 cases, new on none that it answers.
  const RunScores base = run(half_right(40));
  RunScores fresh = run(std::vector<double>(40, 0));
  fail_case(fresh, 1);
  fail_case(fresh, 3);
  EXPECT_TRUE(figure(*compare_runs(base, fresh, {}), "accuracy").regression)
      << "two missing scores cannot make up for twenty";
  for (std::size_t i = 5; i < 40; i += 2) fail_case(fresh, i);
  EXPECT_FALSE(figure(*compare_runs(base, fresh, {}), "accuracy").regression);
  EXPECT_TRUE(compare_runs(base, fresh, {})->undecided());
}

// Equally good systems, 60 studies of 150 cases each; bench/compare_absence.cc is the long form. By the pairs
// alone half of the studies of some scenarios name a winner.
TEST(CompareMissing, NothingIsCalledBetterOrWorseByAbsence) {
  for (const absence::Scenario& scenario : absence::scenarios()) {
    int called = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const absence::Study study = absence::simulated(scenario, i, 150);
      const auto comparison = compare_runs(study.base, study.fresh, {});
      const Change change = figure(*comparison, "accuracy").change;
      called += change == Change::better || change == Change::worse ? 1 : 0;
    }
    EXPECT_LE(called, 8) << scenario.name << ": 5 % is what chance may call";
  }
}

RunScores judged_by(const std::string& model) {
  RunScores made = right_on(12);
  made.judging = JsonObject{{"judge", JsonObject{{"model", model}}}};
  return made;
}

TEST(CompareJudging, AnotherJudgeIsTheFirstLineAndNeverARegression) {
  const RunScores base = judged_by("openai/a");
  RunScores fresh = judged_by("openai/b");
  for (std::size_t i = 0; i < 9; ++i) fresh.cases[i].scores[0] = 0;
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(
      comparison->conclusions.front(),
      AllOf(StartsWith("The two runs are judged differently (judge.model: \"openai/a\" → \"openai/b\")"),
            HasSubstr("no regression")));
  EXPECT_FALSE(comparison->regressed());
  EXPECT_FALSE(comparison->undecided());
  EXPECT_EQ(figure(*comparison, "accuracy").change, Change::not_comparable);
  EXPECT_THAT(figure(*comparison, "accuracy").sentence, HasSubstr("says nothing about the target"));
  for (const std::string& text : {markdown_comparison(*comparison), html_comparison(*comparison)})
    EXPECT_THAT(text, AllOf(HasSubstr("judged differently"), Not(HasSubstr("Regression"))));
}

TEST(CompareJudging, AnotherPromptIsAnotherJudge) {
  RunScores base = judged_by("openai/a");
  RunScores fresh = base;
  base.summary.prompts = {{"rag/coherence", "1"}};
  fresh.summary.prompts = {{"rag/coherence", "2"}};
  EXPECT_THAT(compare_runs(base, fresh, {})->judged_differently,
              ElementsAre("prompt rag/coherence: its text differs"));
}

TEST(CompareJudging, TheSamePromptInAnotherDirectoryIsTheSameJudge) {
  const auto with_prompt = [](const std::string& file, const std::string& print) {
    RunScores made = right_on(12);
    made.judging =
        JsonObject{{"metrics", JsonObject{{"tone", JsonObject{{"judge", JsonObject{{"prompt", file}}}}}}}};
    made.summary.prompts = {{"metrics/tone/judge/prompt", print}};
    return made;
  };
  const RunScores base = with_prompt("file:/home/kim/evals/tone.txt", "1");
  EXPECT_THAT(compare_runs(base, with_prompt("file:/ci/evals/tone.txt", "1"), {})->judged_differently,
              IsEmpty());
  EXPECT_THAT(compare_runs(base, with_prompt("file:/ci/evals/tone.txt", "2"), {})->judged_differently,
              ElementsAre("prompt metrics/tone/judge/prompt: its text differs"));
  RunScores inside = with_prompt("Judge the tone.", "");
  inside.summary.prompts.clear();
  EXPECT_THAT(compare_runs(base, inside, {})->judged_differently, SizeIs(1));
}

TEST(CompareJudging, TargetsThatFailStayARegressionUnderAnotherJudge) {
  const RunScores base = judged_by("openai/a");
  RunScores fresh = judged_by("openai/b");
  for (const std::size_t i : {1, 4, 7, 9}) fail_case(fresh, i);
  const auto comparison = compare_runs(base, fresh, {});
  EXPECT_THAT(comparison->conclusions,
              ElementsAre(HasSubstr("judged differently"), StartsWith("Regression: 4 cases")));
  RunScores unjudged = judged_by("openai/b");
  for (const std::size_t i : {1, 4, 7, 9}) fail_case(unjudged, i, "judge_failed");
  EXPECT_FALSE(compare_runs(base, unjudged, {})->regressed()) << "it is the other judge that failed";
}

}  // namespace
}  // namespace assay
