#include "evaluations/benchmark/judged/judged_answers.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/benchmark/judged/judge_stress.h"

namespace assay::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

BenchmarkTask task(const std::string& name, const std::string& text) {
  auto read = read_task(text, name + ".yaml");
  if (!read || !read->problems.empty()) throw std::runtime_error(name);
  return {name, name + ".yaml", std::move(read->task), {}};
}

BenchmarkPlan plan() {
  BenchmarkPlan plan;
  plan.input_dir = "tasks";
  plan.systems = {System::tool_calling, System::promptql};
  plan.tasks.push_back(task("letter", R"({tool_calling_prompt: "Answer {name}.", scorer: {name: rubric,
    criteria: [Says that the permit costs 28 pounds]}, variations: [{name: Ann}, {name: Bob}]})"));
  plan.tasks.push_back(task("sum", R"({tool_calling_prompt: Add., variations: [{expected_output: 3}]})"));
  plan.tasks.push_back(task("facts", R"({tool_calling_prompt: Tell., scorer: {name: rubric, criteria:
    [Is correct]}, variations: [{expected_output: The permit costs 28 pounds.}]})"));
  plan.tasks.push_back(task("office", R"({tool_calling_prompt: Tell., scorer: {name: rubric, criteria:
    [Names the correct office]}, variations: [{expected_output: The permit costs 28 pounds.}]})"));
  return plan;
}

std::vector<std::string> problems_of(const std::string& line) {
  std::vector<std::string> problems;
  (void)read_judged_answer(parse_json(line).value(), plan(), problems);
  return problems;
}

TEST(JudgedAnswers, AreReadWithTheirTaskAndVariation) {
  std::vector<std::string> problems;
  const BenchmarkPlan all = plan();
  const auto answer = read_judged_answer(
      *parse_json(R"({"task": "letter", "variation": "Bob", "system": "promptql", "answer": {"a": 1}})"), all,
      problems);
  EXPECT_THAT(problems, testing::IsEmpty());
  EXPECT_EQ(answer.variation, 1U);
  EXPECT_EQ(answer.system, System::promptql);
  EXPECT_EQ(to_text(to_line(answer, all, "x")),
            R"({"id":"x","task":"letter","variation":1,"system":"promptql","answer":{"a":1}})");
  EXPECT_EQ(read_judged_answer(*parse_json(R"({"task": "facts", "answer": null})"), all, problems).task, 2U);
  EXPECT_THAT(problems, testing::IsEmpty());
}

TEST(JudgedAnswers, WhatIsWrongIsToldByItsField) {
  EXPECT_THAT(
      problems_of(R"({"task": "lettr", "answer": 1})"),
      ElementsAre(HasSubstr("field task: found \"lettr\", expected a task of tasks; did you mean letter?")));
  EXPECT_THAT(problems_of(R"({"task": "letter", "answer": 1})"),
              ElementsAre("field variation: found nothing, expected a number from 0 to 1"));
  EXPECT_THAT(problems_of(R"({"task": "letter", "variation": 2, "system": "python"})"),
              ElementsAre(HasSubstr("field variation: found 2"), HasSubstr("field system: found \"python\""),
                          HasSubstr("field answer: found nothing")));
  EXPECT_THAT(problems_of(R"({"task": "sum", "answer": 3})"),
              ElementsAre(HasSubstr("whose answers no judge rates; expected a task with the scorer rubric")));
}

class StressOfRubrics : public testing::Test {
 protected:
  Case answer(const std::string& task, const std::string& answer) const {
    Case input;
    input.payload = R"({"task": ")" + task + R"(", "variation": 0, "answer": )" + answer + "}";
    return input;
  }
  std::unique_ptr<stress::Stressing> stressing(double moved = 0.1) {
    return judge_stressing(
        plan_,
        [this](const Case& input) {
          std::vector<std::string> none;
          return std::optional(read_judged_answer(*CaseTree(input), plan_, none));
        },
        "", moved);
  }
  bool tries(const Case& input, const char* change) {
    return stressing()->tries(input, *stress::find_change(change));
  }

  BenchmarkPlan plan_ = plan();
};

TEST_F(StressOfRubrics, ChangeTheLongestTextOfAnAnswer) {
  const Case input = answer(
      "letter", R"({"to": "Ann", "text": "The permit costs 28 pounds. Bring a photo.", "pages": [1]})");
  const auto texts = stressing()->texts(input);
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->answer, "The permit costs 28 pounds. Bring a photo.");
  const auto written = stressing()->written(input, "x", {.answer = "Changed."});
  EXPECT_EQ(to_text(*written.line.if_contains("answer")), R"({"to":"Ann","text":"Changed.","pages":[1]})");
  // Ids and labels are no texts.
  EXPECT_FALSE(stressing()->texts(answer("letter", R"([{"id": "a b c"}, 7])")));
}

TEST_F(StressOfRubrics, ClaimFaultsThatACriterionMustSee) {
  const Case letter = answer("letter", R"("The permit costs 28 pounds. Bring a photo.")");
  EXPECT_NE(stressing()->texts(letter)->reference, "");
  EXPECT_TRUE(tries(letter, "left_out") && tries(letter, "figure") && !tries(letter, "negation"));
  // The same figure in another field leaves it open what was said.
  EXPECT_EQ(
      stressing()
          ->texts(answer("letter", R"({"text": "The permit costs 28 pounds. Bring a photo.", "price": 28})"))
          ->reference,
      "");
  const Case facts = answer("facts", R"("The permit costs 28 pounds. Bring a photo.")");
  EXPECT_EQ(stressing()->texts(facts)->reference, "The permit costs 28 pounds.");
  EXPECT_TRUE(!tries(facts, "left_out") && tries(facts, "figure") && tries(facts, "negation"));
  // That a change claims what is not true costs "is correct" something, whoever judges.
  EXPECT_TRUE(stressing()->figures().front().counts_statements);
  // Another field still says the figure that is expected.
  const auto twice =
      stressing()->texts(answer("facts", R"({"text": "The permit costs 28 pounds.", "price": "28"})"));
  EXPECT_FALSE(stress::with_wrong_figure(*twice, Random::keyed("test")));
  // What is expected beside the office may be wrong, and the office is named all the same.
  EXPECT_EQ(
      stressing()->texts(answer("office", R"("The permit costs 28 pounds. Bring a photo.")"))->reference, "");
  // A criterion that is partly fulfilled by then moves the score by half of its share.
  EXPECT_EQ(stressing(0.5)->texts(letter)->reference, "");
}

}  // namespace
}  // namespace assay::benchmark
