#include "evaluations/benchmark/task_file.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::benchmark {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The input file of the source; its expected_output is indented in two ways.
std::string sample(const std::string& row_indent) {
  return R"(promptql_prompt: |
  prioritize {data} open tickets for me
  put the result in a artifact with identifier 'prioritized_support_tickets'
tool_calling_prompt: |
  prioritize {data} open tickets for me. first query query_support_tickets tool, then query query_control_plane_data tool. put your result in the following format:
  ```json
  [{
    "ticket_id": "123",
    "project_id": "456",
    "priority_score": 84.1,
  }]
  ```
expected_tool_calls:
 - query_support_tickets
 - query_control_plane_data
expected_promptql_artifact: prioritized_support_tickets
variations:
 - parameters:
     data: last 20
   expected_output:
    - ticket_id: 123
)" + row_indent +
         "project_id: 456\n" + row_indent + R"(priority_score: 84.1
 - data: last 20
 - data: last 30
 - data: last 40
 - data: all
)";
}

ReadTask task(const std::string& yaml) {
  auto read = read_task(yaml, "task.yaml");
  if (!read) throw std::runtime_error(read.error().text());
  return std::move(*read);
}

std::vector<std::string> lines(const std::vector<ConfigProblem>& problems) {
  std::vector<std::string> out;
  for (const auto& problem : problems)
    out.push_back(fmt::format("{}: {}: {}", problem.where, problem.key, problem.text));
  return out;
}

TEST(TaskFile, TheSourcesSampleAsPrintedIsToldByLineAndColumn) {
  const auto read = read_task(sample("        "), "inputs/sample.yaml");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, ErrorKind::parse);
  // Line 22 is "        project_id: 456"; its colon is in column 19.
  EXPECT_THAT(read.error().text(), HasSubstr("inputs/sample.yaml, line 22, column 19"));
}

TEST(TaskFile, TheSourcesSampleRepairedLoads) {
  const ReadTask read = task(sample("      "));
  EXPECT_THAT(lines(read.problems), IsEmpty());
  EXPECT_THAT(lines(read.warnings), IsEmpty());
  EXPECT_THAT(read.task.expected_tool_calls,
              ElementsAre("query_support_tickets", "query_control_plane_data"));
  EXPECT_EQ(read.task.expected_promptql_artifact, "prioritized_support_tickets");
  ASSERT_EQ(read.task.variations.size(), 5U);
  EXPECT_THAT(read.task.variations[0].parameters, ElementsAre(Pair("data", "last 20")));
  EXPECT_THAT(read.task.variations[4].parameters, ElementsAre(Pair("data", "all")));
  EXPECT_EQ(canonical_text(*read.task.variations[0].expected_output),
            R"([{"priority_score":84.1,"project_id":456,"ticket_id":123}])");
  EXPECT_FALSE(read.task.variations[1].expected_output.has_value());
  EXPECT_EQ(read.task.scorer_for(read.task.variations[0])->name, ScorerName::records);
  EXPECT_FALSE(read.task.scorer_for(read.task.variations[1]).has_value());
  // The JSON in the prompt keeps its braces.
  const std::string prompt = fill(*read.task.tool_calling_prompt, read.task.variations[2].parameters);
  EXPECT_THAT(prompt,
              AllOf(HasSubstr("prioritize last 30 open"), HasSubstr("[{\n  \"ticket_id\": \"123\",")));
}

TEST(TaskFile, OnlyDeclaredParametersAreReplacedAndOnlyOnce) {
  EXPECT_EQ(fill("{a} {b} {{a}} { a } {} {\"a\": {a}} {a", {{"a", "{b}"}, {"c", "x"}}),
            "{b} {b} {{b}} { a } {} {\"a\": {b}} {a");
  EXPECT_EQ(fill("{the n}", {{"the n", "5"}}), "5");
  EXPECT_EQ(fill("", {{"a", "b"}}), "");
  EXPECT_THAT(placeholders("{a} {b1} {a} {1x} {a b} {\"k\": {c}} {_d}"), ElementsAre("a", "b1", "c", "_d"));
}

TEST(TaskFile, VariationsInBothLayouts) {
  const ReadTask read = task(R"(tool_calling_prompt: "{n} {flag} {list} {name} {both}"
variations:
  - {name: small, n: 10, flag: true, list: [1, a], both: x}
  - name: large
    parameters: {n: 1.5, flag: no, list: {k: v}, both: inner}
    both: outer
    expected_output: null
)");
  EXPECT_THAT(lines(read.problems), IsEmpty());
  EXPECT_EQ(read.task.variations[0].name, "small");
  EXPECT_THAT(read.task.variations[0].parameters,
              ElementsAre(Pair("both", "x"), Pair("flag", "true"), Pair("list", R"([1,"a"])"),
                          Pair("n", "10"), Pair("name", "small")));
  EXPECT_THAT(read.task.variations[1].parameters,
              ElementsAre(Pair("both", "inner"), Pair("flag", "no"), Pair("list", R"({"k":"v"})"),
                          Pair("n", "1.5"), Pair("name", "large")));
  ASSERT_TRUE(read.task.variations[1].expected_output.has_value());
  EXPECT_TRUE(read.task.variations[1].expected_output->is_null());
  EXPECT_FALSE(read.task.variations[0].expected_output.has_value());
}

TEST(TaskFile, WithoutVariationsThereIsOne) {
  const ReadTask read = task("tool_calling_prompt: How many?\n");
  EXPECT_THAT(lines(read.problems), IsEmpty());
  ASSERT_EQ(read.task.variations.size(), 1U);
  EXPECT_THAT(read.task.variations[0].parameters, IsEmpty());
}

TEST(TaskFile, ReportsPlaceholdersThatNobodyFillsAndParametersThatNobodyUses) {
  const ReadTask read = task(R"(tool_calling_prompt: 'Take {n} of {kind}, not {other} or {"a": 1}'
system_prompt: Today is {day}.
variations:
  - {n: 1, kind: a, day: x, spare: 1}
  - {n: 2, day: y, spare: 2}
  - {n: 3, kind: c, day: z}
)");
  EXPECT_THAT(lines(read.problems), IsEmpty());
  EXPECT_THAT(
      lines(read.warnings),
      ElementsAre(
          "task.yaml, line 5, column 5: tool_calling_prompt: the placeholder {kind} is not filled by 1 of 3 "
          "variations: 1",
          "task.yaml, line 1, column 1: tool_calling_prompt: no variation fills the placeholder {other}; it "
          "stays as it is",
          "task.yaml, line 4, column 5: variations[0].spare: no prompt uses the parameter; a prompt would "
          "say {spare}"));
}

TEST(TaskFile, ReadsScorerToolsAndSystemPrompt) {
  const ReadTask read = task(R"(tool_calling_prompt: hello
system_prompt: be brief
expected_tool_calls: lookup
scorer: {name: ranking, key: id}
tools:
  - {name: lookup, kind: command, command: [./x.sh]}
variations: [{expected_output: [{id: 1}]}]
)");
  EXPECT_THAT(lines(read.problems), IsEmpty());
  EXPECT_THAT(lines(read.warnings), IsEmpty());
  EXPECT_EQ(read.task.system_prompt, "be brief");
  EXPECT_THAT(read.task.expected_tool_calls, ElementsAre("lookup"));
  EXPECT_EQ(read.task.scorer_for(read.task.variations[0])->rule.key, "id");
  EXPECT_EQ(read.task.tools.get_array().size(), 1U);
  EXPECT_EQ(read.document.position("/tools/0/kind").line, 6);
}

TEST(TaskFile, EveryProblemIsNamedWithItsPlace) {
  EXPECT_THAT(lines(task("").problems), ElementsAre("task.yaml: : found nothing, expected keys with values"));
  EXPECT_THAT(lines(task("- 1\n").problems), ElementsAre(HasSubstr("found [1], expected keys")));
  EXPECT_THAT(lines(task(R"(tool_caling_prompt: x
expected_tool_calls: {a: b}
scorer: rankng
variations:
  - last 20
  - {n: }
  - {parameters: last 20}
)")
                        .problems),
              ElementsAre("task.yaml, line 1, column 1: tool_caling_prompt: unknown key; did you mean "
                          "`tool_calling_prompt`?",
                          HasSubstr("line 2, column 1: expected_tool_calls: found"),
                          HasSubstr("promptql_prompt or tool_calling_prompt is needed"),
                          HasSubstr("line 3, column 1: scorer: found \"rankng\""),
                          HasSubstr("line 5, column 5: variations[0]: found \"last 20\""),
                          HasSubstr("line 6, column 6: variations[1].n: found nothing, expected a value"),
                          HasSubstr("line 7, column 6: variations[2].parameters: found \"last 20\"")));
  EXPECT_THAT(lines(task("tool_calling_prompt: x\nvariations: []\n").problems),
              ElementsAre(HasSubstr("variations: found [], expected a list of 1 to 10000")));
  EXPECT_THAT(lines(task("tool_calling_prompt: \" \"\n").problems),
              ElementsAre(HasSubstr("the prompt is empty")));
  EXPECT_THAT(lines(task("promptql_prompt: x\n").warnings),
              ElementsAre(HasSubstr("expected_promptql_artifact")));
  EXPECT_THAT(
      lines(
          task("tool_calling_prompt: x\nscorer: ranking\nvariations: [{expected_output: 7}, {}]\n").warnings),
      ElementsAre(HasSubstr("variations[0]: expected_output is 7, but `ranking` needs a list"),
                  HasSubstr("variations[1]: `ranking` needs an expected_output")));
}

}  // namespace
}  // namespace assay::benchmark
