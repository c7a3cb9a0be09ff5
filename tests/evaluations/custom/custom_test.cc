// A declared evaluation without a run: what its coroutine asks, and what a line comes to.
#include "evaluations/custom/custom.h"

#include <filesystem>
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "evaluations/custom/kept_outputs.h"
#include "evaluations/custom/lines.h"
#include "evaluations/registry.h"
#include "tests/evaluations/fake_context.h"

namespace assay::custom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

struct CustomTest : testing::Test {
  std::string directory = testing::TempDir();
  std::vector<ConfigProblem> problems;
  FakeContext context;
  Config config;  // of the last evaluation

  std::string file(const std::string& name, const std::string& text) {
    const std::string path = directory + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  std::unique_ptr<Evaluation> evaluation(const std::string& yaml, const std::string& data) {
    ConfigSource source;
    source.file = directory + "/eval.yaml";
    source.document =
        parse_yaml("evaluation: custom\ninput_path: " + file("custom_test.jsonl", data) + "\n" + yaml)
            .value();
    ResolvedConfig resolved = resolve_config(all_keys(*find_evaluation("custom")), source);
    problems = resolved.problems;
    if (!problems.empty()) return nullptr;
    config = resolved.config;
    return make_custom(resolved.config, problems);
  }
  std::vector<std::string> problem_words() const {
    std::vector<std::string> words;
    for (const ConfigProblem& problem : problems) words.push_back(problem.key + ": " + problem.text);
    return words;
  }
  static Case first_case(const Evaluation& evaluation) {
    auto source = evaluation.cases();
    EXPECT_TRUE(*(*source)->next());
    return (*source)->current().travelling();
  }
  std::vector<std::string> steps() const {
    std::vector<std::string> names;
    for (const auto& [name, request] : context.requests) names.push_back(name);
    return names;
  }
  static Json line_of(const Evaluation& evaluation, const Case& input, const FinishedCase* finished,
                      ResultLine& line) {
    line.begin(finished);
    evaluation.line(input, finished, line);
    return parse_json(line.whole(input, finished)).value();
  }
};

constexpr const char* kOne = R"({"id": "x", "question": "How long?", "key": "14 days"})"
                             "\n";

TEST_F(CustomTest, a_worker_without_the_data_shows_the_judge_what_the_coordinator_would) {
  const std::string yaml = R"(
fields: {key: {answer_key: true}}
variants: {only: {model: {model: m, prompt: "Q: {question}"}}}
judge: j
metrics:
  - {name: polite, rubric: is polite}
  - {name: quick, rubric: is quick, when: "id == x"}
)";
  const std::string data =
      R"({"id": "x", "question": "How long?", "key": "14 days", "checks": [{"contains": "days"}]})"
      "\n";
  const auto here = evaluation(yaml, data);
  ASSERT_TRUE(here) << testing::PrintToString(problem_words());
  const Case input = first_case(*here);
  std::filesystem::remove(directory + "/custom_test.jsonl");
  config.use_texts(PlanTexts(config.plan_texts().all(), config.plan_texts().all_made()));
  const auto elsewhere = make_custom(config, problems);
  ASSERT_TRUE(elsewhere) << testing::PrintToString(problem_words());
  EXPECT_EQ(elsewhere->models(), here->models());
  CallEstimate one;
  CallEstimate other;
  here->estimate(input, one);
  elsewhere->estimate(input, other);
  EXPECT_EQ(other.models["j"].calls, one.models["j"].calls);
  EXPECT_EQ(other.models["j"].prompt_tokens, one.models["j"].prompt_tokens)
      << "by default a judge sees every field of the data, whichever machine asks it";
}

TEST_F(CustomTest, a_case_whose_own_checks_cannot_be_made_on_this_machine_ends_without_a_figure) {
  const std::string program = file("custom_check", "#!/bin/sh\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto made = evaluation("variants: {only: {given: question}}\njudge: j\nmetrics: [{rubric: polite}]\n",
                               R"({"id": "x", "question": "Why?", "checks": [{"name": "a", "program": [")" +
                                   program + R"("]}, {"name": "b", "rubric": "short"}]})" + "\n");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  const Case input = first_case(*made);
  std::filesystem::remove(program);
  const Outcome outcome = finish_now(made->evaluate(input, context));
  EXPECT_EQ(outcome.kind, OutcomeKind::infra_failed)
      << "the second check would stand in the place of the first";
  EXPECT_THAT(outcome.error, HasSubstr("checks[0]"));
  EXPECT_TRUE(steps().empty()) << "nothing was paid for";
}

TEST_F(CustomTest, asks_every_variant_then_every_judge_and_shows_no_answer_key_to_a_variant) {
  const auto made = evaluation(R"(
fields: {question: {}, key: {answer_key: true}}
variants:
  old: {model: {model: m, prompt: "Q: {question}"}}
  new: {model: {model: m, messages: [{role: system, content: Be kind.}, {role: user, content: "{question}"}]}}
judge: j
metrics:
  - {name: right, rubric: "Says {key}.", votes: 2, shows: [output, key]}
  - {name: better, pairwise: {rubric: "Which is clearer?"}}
)",
                               kOne);
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  const std::string yes = R"({"reason":"r","fulfilled":true})";
  const std::string no = R"({"reason":"s","fulfilled":false})";
  context.replies = {{"old/1/answer", {"It takes 14 days."}},
                     {"new/1/answer", {"Soon."}},
                     {"old/1/right/vote1", {yes}},
                     {"old/1/right/vote2", {yes}},
                     {"new/1/right/vote1", {yes}},
                     {"new/1/right/vote2", {no}},
                     {"new/1/better/first", {R"({"reason":"a","better":"A"})"}},
                     {"new/1/better/second", {R"({"reason":"b","better":"A"})"}}};
  const Case input = first_case(*made);
  const FinishedCase finished{finish_now(made->evaluate(input, context)), JsonObject(), 0};
  EXPECT_EQ(finished.outcome.kind, OutcomeKind::scored) << finished.outcome.error;
  EXPECT_THAT(steps(),
              UnorderedElementsAre("old/1/answer#1", "new/1/answer#1", "old/1/right/vote1#1",
                                   "old/1/right/vote2#1", "new/1/right/vote1#1", "new/1/right/vote2#1",
                                   "new/1/better/first#1", "new/1/better/second#1"));
  for (const auto& [step, request] : context.requests) {
    std::string text;
    for (const Message& message : request.messages) text += message.text;
    if (step.ends_with("answer#1")) {
      EXPECT_THAT(text, Not(HasSubstr("14 days")));
    } else {
      EXPECT_THAT(text, Not(HasSubstr("new"))) << "a judge is not told whose answer it is";
    }
  }
  ResultLine line;
  const Json whole = line_of(*made, input, &finished, line);
  const auto& marks = line.facts<CaseMarks>();
  EXPECT_EQ(marks.answers[0][0].marks[0].passed, true);
  EXPECT_EQ(marks.answers[1][0].marks[0].passed, false) << "a tie of votes is no yes";
  EXPECT_THAT(marks.answers[1][0].marks[0].votes, ElementsAre(1, 0));
  // First it sat as A and won, then as B and lost: a draw, and all of it the seat's.
  EXPECT_EQ(marks.answers[1][0].marks[1].score, 0.5);
  EXPECT_THAT(marks.answers[1][0].marks[1].votes, ElementsAre(1, 0));
  EXPECT_EQ(whole.at("answers").at(0).at("output"), "It takes 14 days.");
  EXPECT_EQ(whole.at("scores").at("right.difference.new"), -1);
}

TEST_F(CustomTest, an_answer_that_does_not_come_costs_its_own_figures_only) {
  const auto made = evaluation(R"(
variants:
  old: {model: {model: m, prompt: "Q: {question}"}}
  new: {model: {model: m, prompt: "{question}"}}
metrics: [{name: long, contains: "14"}]
)",
                               kOne);
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  context.replies = {{"new/1/answer", {"14 days"}}};
  const Case input = first_case(*made);
  const FinishedCase finished{finish_now(made->evaluate(input, context)), JsonObject(), 0};
  EXPECT_EQ(finished.outcome.kind, OutcomeKind::infra_failed);
  EXPECT_THAT(finished.outcome.error, HasSubstr("old/1/answer"));
  ResultLine line;
  const Json whole = line_of(*made, input, &finished, line);
  EXPECT_EQ(whole.at("scores").at("long.rate.new"), 1);
  EXPECT_TRUE(whole.at("scores").at("long.rate.old").is_null());
  EXPECT_THAT(line.rows(), HasSubstr("x,new,1,long,1,true,"));
}

TEST_F(CustomTest, a_judge_of_ones_own_is_read_by_its_pointer_and_its_scale) {
  const std::string schema =
      R"({type: object, properties: {level: {type: string, enum: [bad, fair, good]}}, required: [level]})";
  const auto made =
      evaluation("judge: j\nmetrics:\n  - {name: tone, judge: {prompt: \"Rate {output}\", schema: " + schema +
                     ", score: /level}, scale: [1, 5], passes: \">= 3\"}\n",
                 R"({"id": "x", "output": "hi"})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  context.replies = {{"1/tone", {R"({"level":"fair"})"}}};
  const Case input = first_case(*made);
  const FinishedCase finished{finish_now(made->evaluate(input, context)), JsonObject(), 0};
  ResultLine line;
  line_of(*made, input, &finished, line);
  const Mark& mark = line.facts<CaseMarks>().answers[0][0].marks[0];
  EXPECT_EQ(mark.score, 3) << "the middle of three levels on a scale from 1 to 5";
  EXPECT_EQ(mark.passed, true);
  EXPECT_EQ(context.requests[0].second.messages[0].text, "Rate hi");
}

TEST_F(CustomTest, classes_are_compared_without_regard_to_case_and_space) {
  const auto made =
      evaluation("metrics: [{name: topic, label: {of: [Refund, Delivery], expected: \"{area}\"}}]\n",
                 R"({"id": "x", "output": " refund\n", "area": "REFUND"})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  EXPECT_FALSE(made->asks_outside());
  const Case input = first_case(*made);
  ResultLine line;
  line_of(*made, input, nullptr, line);
  const Mark& mark = line.facts<CaseMarks>().answers[0][0].marks[0];
  EXPECT_EQ(mark.label, "Refund");
  EXPECT_EQ(mark.expected, "Refund");
}

TEST_F(CustomTest, a_check_that_looks_at_what_the_output_lacks_fails_and_so_does_its_opposite) {
  const auto made = evaluation(R"(
metrics:
  - {name: sum, equals: 3, of: /sum}
  - {name: no_sum, not_equals: 3, of: /sum}
  - {name: key, contains: "{key}"}
)",
                               R"({"id": "x", "output": "no JSON", "key": ""})"
                               "\n"
                               R"({"id": "y", "output": "k", "key": "k"})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  const Case input = first_case(*made);
  ResultLine line;
  line_of(*made, input, nullptr, line);
  const auto& marks = line.facts<CaseMarks>().answers[0][0].marks;
  EXPECT_EQ(marks[0].passed, false);
  EXPECT_EQ(marks[1].passed, false);
  EXPECT_EQ(marks[2].state, Mark::State::not_applicable);
}

TEST_F(CustomTest, a_field_of_any_name_is_filled_and_kept_from_variants_as_an_answer_key) {
  const std::string data = R"({"id": "x", "output": "C7 costs 120", "Customer ID": "C7", "größe": ""})"
                           "\n"
                           R"({"id": "y", "output": "C8", "größe": "XL"})";
  const auto made = evaluation(R"(
metrics:
  - {name: who, contains: "{Customer ID}"}
  - {name: size, not_contains: "{größe}"}
  - {name: sum, regex: "\\b\\d{3}$"}
)",
                               data);
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  ResultLine line;
  line_of(*made, first_case(*made), nullptr, line);
  const auto& marks = line.facts<CaseMarks>().answers[0][0].marks;
  EXPECT_EQ(marks[0].passed, true);
  EXPECT_EQ(marks[1].state, Mark::State::not_applicable);
  EXPECT_EQ(marks[2].passed, true) << marks[2].reason;
  EXPECT_FALSE(evaluation(R"(
fields: {Customer ID: {answer_key: true, optional: true}}
variants: {v: {model: {model: m, prompt: "{output} {Customer ID} {write it here}"}}}
metrics: [{name: who, contains: "{Customer Id}"}]
)",
                          data));
  EXPECT_THAT(problem_words(), ElementsAre(HasSubstr("{Customer ID} is an answer key"),
                                           HasSubstr("did you mean {Customer ID}?")));
}

TEST_F(CustomTest, a_judge_is_not_asked_about_a_field_that_the_case_does_not_have) {
  const auto made = evaluation(R"(
judge: j
metrics:
  - {name: like, rubric: "Says {key}."}
  - {name: all, criteria: ["Says {key}.", "Is kind."]}
  - {name: on_topic, rag: relevance, question: "{asked}"}
)",
                               R"({"id": "x", "output": "hi", "key": "", "asked": ""})"
                               "\n"
                               R"({"id": "y", "output": "hi", "key": "k", "asked": "q"})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  const Case input = first_case(*made);
  const FinishedCase finished{finish_now(made->evaluate(input, context)), JsonObject(), 0};
  EXPECT_THAT(steps(), testing::IsEmpty());
  ResultLine line;
  line_of(*made, input, &finished, line);
  for (const Mark& mark : line.facts<CaseMarks>().answers[0][0].marks)
    EXPECT_EQ(mark.state, Mark::State::not_applicable);
}

TEST_F(CustomTest, an_output_without_a_class_is_of_a_wrong_one) {
  const auto made =
      evaluation("metrics: [{name: topic, of: /label, label: {of: [refund, other], expected: \"{area}\"}}]\n",
                 R"({"id": "x", "output": "I cannot say", "area": "refund"})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  ResultLine line;
  line_of(*made, first_case(*made), nullptr, line);
  const Mark& mark = line.facts<CaseMarks>().answers[0][0].marks[0];
  EXPECT_TRUE(mark.given());
  EXPECT_EQ(mark.label, "(no class)");
  EXPECT_EQ(mark.score, 0);
}

TEST_F(CustomTest, an_agent_that_calls_tools_and_says_nothing_has_answered) {
  const auto made = evaluation("metrics: [{name: looks, tool_called: find}]\n",
                               R"({"id": "x", "output": "", "trace": [{"tool": "find"}]})");
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  ResultLine line;
  line_of(*made, first_case(*made), nullptr, line);
  EXPECT_EQ(line.facts<CaseMarks>().answers[0][0].marks[0].passed, true);
}

TEST_F(CustomTest, why_no_case_can_be_read_comes_before_what_follows_from_it) {
  EXPECT_FALSE(evaluation(R"(
fields: {asked: {from: qeustion}}
variants: {v: {model: {model: m, prompt: "{asked}"}}}
metrics: [{name: a, contains: "{key}", when: key}]
)",
                          kOne));
  EXPECT_THAT(problem_words(), ElementsAre(testing::AllOf(HasSubstr("input_path"), HasSubstr("line 1"),
                                                          HasSubstr("did you mean question?"))));
}

TEST_F(CustomTest, a_metric_that_never_applies_is_named_by_its_own_place) {
  EXPECT_FALSE(evaluation(R"(
variants: {v: {given: question}}
metrics:
  - {name: a, regex: "("}
  - {name: b, contains: x, when: "key == nothing"}
  - {name: c, program: [sh, no_such_script.sh]}
)",
                          kOne));
  EXPECT_THAT(problem_words(),
              ElementsAre(HasSubstr("metrics[0].regex"),
                          HasSubstr("metrics[2].program: there is no file no_such_script.sh"),
                          HasSubstr("metrics[1].when: holds for none")));
}

TEST_F(CustomTest, a_matrix_makes_a_variant_of_every_prompt_with_every_model) {
  file("short.txt", "Briefly: {question}");
  const auto made = evaluation(R"(
matrix: {prompts: [short.txt, {name: long, prompt: "At length: {question}"}], models: [openai/gpt-4.1, {model: m2, temperature: 0.5}]}
metrics: [{name: a, contains: x}]
)",
                               kOne);
  ASSERT_TRUE(made) << testing::PrintToString(problem_words());
  EXPECT_THAT(made->metric_names(), Contains("a.rate.short-gpt-4_1"));
  EXPECT_THAT(made->metric_names(), Contains("a.difference.long-m2"));
  EXPECT_THAT(made->models(), UnorderedElementsAre("openai/gpt-4.1", "m2"));
}

TEST_F(CustomTest, what_is_wrong_is_told_all_at_once) {
  EXPECT_FALSE(evaluation(R"(
variants: {one: {given: quesiton}, two: {model: {model: m, prompt: "always the same"}}, "a b": {given: question, model: {model: m, prompt: "{question}"}}}
metrics:
  - {name: a, rubric: "Says it."}
  - {name: a, contains: x, passes: "more"}
  - {name: B, contains: x}
slices: [region]
)",
                          kOne));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("quesiton")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("every case would be asked")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("exactly one of model, http, command, given")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("has no judge")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("metrics[1].passes")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("lower-case")));
  EXPECT_THAT(problem_words(), Contains(HasSubstr("region")));
}

TEST_F(CustomTest, kept_answers_are_found_by_case_variant_and_repeat) {
  const std::string path =
      file("kept.jsonl",
           "{\"id\":\"x\",\"variant\":\"a\",\"repeat\":1,\"output\":\"one\"}\n\n"
           "{\"id\":\"x\",\"variant\":\"a\",\"repeat\":2,\"error\":\"no\",\"outcome\":\"refused\"}\n");
  const auto kept = KeptOutputs::open(path);
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)->find("x", "a", 1).reply->output, "one");
  EXPECT_EQ((*kept)->find("x", "a", 2).outcome, OutcomeKind::refused);
  EXPECT_EQ((*kept)->find("y", "a", 1).outcome, OutcomeKind::target_failed);
  const auto bad = KeptOutputs::open(file("bad.jsonl", "{\"id\":\"x\"}\nrubbish\n"));
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().text(), HasSubstr("line 1"));
  EXPECT_THAT(bad.error().text(), HasSubstr("line 2"));
}

}  // namespace
}  // namespace assay::custom
