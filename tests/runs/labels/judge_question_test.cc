#include "runs/labels/judge_question.h"

#include <fstream>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "evaluations/judge_config.h"
#include "evaluations/prompts.h"
#include "runs/labels/judged_run.h"

namespace assay::labels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A run with one figure, whose prompts are those of today.
JudgedRun run_of(const std::string& evaluation, const std::string& config, const std::string& figure) {
  JudgedRun run;
  run.evaluation = evaluation;
  run.scores.config = parse_yaml(config)->value.as_object();
  run.scores.summary.prompts = PromptLibrary().fingerprints("");
  run.scores.summary.prompts.merge(file_fingerprints(Config(run.scores.config), "metrics"));
  run.figures = {{.name = figure}};
  return run;
}

JudgeQuestion asked(JudgedRun run) {
  note_questions(run);
  return run.figures.front().asked;
}

JudgeQuestion of_metric(const std::string& metric, const std::string& figure) {
  return asked(run_of("custom", "metrics: [" + metric + "]", figure));
}

TEST(JudgeQuestion, OfARubricIsItsSentenceWithTheRulesOfThePrompt) {
  const JudgeQuestion rubric = of_metric("{name: right, rubric: \"Names the sum.\"}", "right.rate");
  EXPECT_EQ(rubric.of_all(), "Names the sum.");
  EXPECT_EQ(rubric.of_case({{"gold", "5 €"}}), "");
  EXPECT_THAT(rubric.rules, StartsWith("You decide whether an output fulfils one requirement."));
  const JudgeQuestion filled =
      of_metric("{name: right, rubric: \"{output} says {gold}.\"}", "right.rate.new");
  EXPECT_EQ(filled.of_all(), "") << "each case has its own";
  EXPECT_EQ(filled.of_case({{"gold", "5 €"}}), "{output} says 5 €.");
}

TEST(JudgeQuestion, OfCriteriaSaysHowManyOfThemALevelStandsFor) {
  const JudgeQuestion criteria =
      of_metric("{name: fits, criteria: [\"Is polite.\", \"Says {gold}.\"]}", "fits.mean");
  EXPECT_EQ(criteria.of_case({{"gold", "5 €"}}), "How many of these are true?\n1. Is polite.\n2. Says 5 €.");
  EXPECT_THAT(criteria.levels, ElementsAre("0 of 2", "1 of 2", "2 of 2"));
}

TEST(JudgeQuestion, OfAPromptOfOnesOwnIsThePromptAndTheLevelsOfItsSchema) {
  const std::string schema =
      "schema: {type: object, properties: {tone: {enum: [cold, kind, warm]}}}, score: /tone";
  const JudgeQuestion short_one =
      of_metric("{name: tone, judge: {prompt: \"Is it kind? {output}\", " + schema + "}}", "tone.mean");
  EXPECT_EQ(short_one.of_all(), "Is it kind? {output}");
  EXPECT_THAT(short_one.levels, ElementsAre("cold", "kind", "warm"));
  const std::string file = testing::TempDir() + "assay-judge-question.txt";
  std::ofstream(file) << "=== system\nBe strict.\n=== user\n{question}\n\n{output}\n";
  const std::string metric = "{name: tone, judge: {prompt: \"file:" + file + "\"}}";
  const JudgeQuestion long_one = of_metric(metric, "tone.mean");
  EXPECT_EQ(long_one.of_all(), "") << "it holds nothing but the material";
  EXPECT_EQ(long_one.rules, "Be strict.\n\n{question}\n\n{output}");
  JudgedRun run = run_of("custom", "metrics: [" + metric + "]", "tone.mean");
  std::ofstream(file) << "Be mild. {output}";
  const JudgeQuestion changed = asked(std::move(run));
  EXPECT_EQ(changed.asked + changed.rules, "") << "that is not what the judge got";
}

TEST(JudgeQuestion, OfTheOtherEvaluationsSaysWhatTheFigureCounts) {
  EXPECT_THAT(asked(run_of("rag_answers", "{}", "faithfulness.mean")).rules,
              HasSubstr("claims that the contexts back"));
  EXPECT_THAT(of_metric("{name: backed, rag: faithfulness}", "backed.mean").asked,
              HasSubstr("backed by the contexts"));
  EXPECT_THAT(asked(run_of("benchmark", "{}", "score.mean")).rules, HasSubstr("\"partly\""));
  EXPECT_THAT(asked(run_of("experiment", "{}", "score.test_1.overall")).rules,
              HasSubstr("5 - excellent: you would change nothing that matters."));
  const JudgeQuestion guidelines = asked(run_of("guidelines", "{}", "applied_rate_per_conversation"));
  EXPECT_THAT(guidelines.asked, HasSubstr("What share of the guidelines"));
  EXPECT_THAT(guidelines.rules, HasSubstr("Rule 2: a missing functional part counts"));
  EXPECT_THAT(guidelines.rules, testing::Not(HasSubstr("{agent}")));
}

TEST(JudgeQuestion, LeavesOutRulesThatAreNotThoseOfTheRun) {
  JudgedRun run = run_of("benchmark", "{}", "score.mean");
  run.scores.summary.prompts["benchmark/rubric"] = "another one";
  EXPECT_THAT(asked(std::move(run)).rules, IsEmpty());
}

}  // namespace
}  // namespace assay::labels
