// Which metric an assertion becomes, and for which cases.
#include "tests/imports/suite_in_memory.h"

namespace assay {
namespace {

using testing::HasSubstr;

// One test with that assertion: the metric that comes of it, or what was left out.
std::string metric_of(const std::string& assertion, const std::map<std::string, std::string>& files = {}) {
  const auto suite =
      imported_tests("  - {vars: {q: x, v: y, query: Q, context: C}, assert: [" + assertion + "]}\n", files);
  if (!suite.suite.left_out.empty()) return suite.left_out();
  const JsonArray& metrics = list_at(suite.config, "metrics");
  return metrics.empty() ? "none" : to_text(metrics.front());
}

TEST(PromptfooAssertions, EachKindHasItsMetric) {
  EXPECT_EQ(metric_of("{type: equals, value: 4}"), R"({"name":"equals","equals":"4"})");
  EXPECT_EQ(metric_of("{type: not-equals, value: {a: 1}}"), R"({"name":"not_equals","not_equals":{"a":1}})");
  EXPECT_EQ(metric_of("{type: contains, value: 'a {{v}}', metric: Says it}"),
            R"({"name":"says_it","contains":"a {v}"})");
  EXPECT_EQ(metric_of("{type: icontains, value: a}"),
            R"({"name":"icontains","contains":"a","ignore_case":true})");
  EXPECT_EQ(metric_of("{type: not-icontains-any, value: 'a, b'}"),
            R"({"name":"not_icontains_any","not_contains_any":["a","b"],"ignore_case":true})");
  EXPECT_EQ(metric_of("{type: contains-all, value: [a, '{{v}}']}"),
            R"({"name":"contains_all","contains_all":["a","{v}"]})");
  EXPECT_EQ(metric_of("{type: starts-with, value: a}"), R"({"name":"starts_with","starts_with":"a"})");
  EXPECT_EQ(metric_of("{type: regex, value: '^a+$'}"), R"({"name":"regex","regex":"^a+$"})");
  // Braces of a pattern are no placeholder.
  EXPECT_EQ(metric_of("{type: regex, value: 'a{2}'}"), R"({"name":"regex","regex":"a{braces_2}"})");
  EXPECT_EQ(metric_of("{type: is-json}"), R"({"name":"is_json","json":true})");
  EXPECT_EQ(metric_of("{type: is-json, value: {type: object}}"),
            R"({"name":"is_json","json_schema":{"type":"object"},"formats":true})");
  EXPECT_EQ(metric_of("{type: contains-json, value: 'file://s.json'}",
                      {{"s.json", R"({"$schema": "http://x", "type": "array"})"}}),
            R"({"name":"contains_json","json_schema":{"type":"array"},"formats":true,"lenient":true})");
  EXPECT_EQ(metric_of("{type: latency, threshold: 1500}"),
            R"({"name":"latency","latency":{"max":"1500ms"}})");
  EXPECT_EQ(metric_of("{type: cost, threshold: 0.25}"), R"({"name":"cost","cost":{"max":0.25}})");
  EXPECT_EQ(metric_of("{type: word-count, value: {max: 9}}"), R"({"name":"word_count","words":{"max":9}})");
  EXPECT_EQ(metric_of("{type: finish-reason, value: stop}"), R"({"name":"finish_reason","finish":"stop"})");
  EXPECT_EQ(metric_of("{type: llm-rubric, value: 'Speaks of {{v}}', weight: 2}"),
            R"({"name":"llm_rubric","rubric":"Speaks of {v}","shows":["output"],"weight":2})");
  EXPECT_EQ(metric_of("{type: model-graded-closedqa, value: Is brief}"),
            R"({"name":"model_graded_closedqa","rubric":"Is brief","shows":["output","q"]})");
  EXPECT_THAT(metric_of("{type: factuality, value: '{{v}}'}"), HasSubstr("contradicts none of it: {v}"));
  EXPECT_EQ(metric_of("{type: g-eval, value: [a, b], threshold: 0.5}"),
            R"({"name":"g_eval","criteria":["a","b"],"passes":">= 0.5","shows":["output","q"]})");
  EXPECT_EQ(
      metric_of("{type: context-faithfulness, threshold: 0.9}"),
      R"({"name":"context_faithfulness","rag":"faithfulness","question":"{query}","contexts":"{context}","passes":">= 0.9"})");
  EXPECT_EQ(metric_of("{type: answer-relevance, threshold: 0.5}"),
            R"({"name":"answer_relevance","rag":"relevance","passes":">= 0.5","question":"{query}"})");
  EXPECT_EQ(
      imported_tests("  - {vars: {q: x}, assert: [{type: answer-relevance}]}\n").metric("answer_relevance"),
      R"({"name":"answer_relevance","rag":"relevance","passes":">= 0.75","question":"{q}"})")
      << "without a variable `query` it is what the prompt is filled with";
  EXPECT_THAT(metric_of("{type: not-llm-rubric, value: a}"), HasSubstr("turn the sentence round"));
  EXPECT_EQ(metric_of("{type: similar, value: '{{v}}', threshold: 0.8, provider: 'openai:embedding:e'}"),
            R"({"name":"similar","similar":"{v}","model":"openai/e","passes":">= 0.8"})");
  EXPECT_THAT(metric_of("{type: 'similar:dot', value: a}"), HasSubstr("by their cosine only"));
}

TEST(PromptfooAssertions, AValueAnAssertionAndVariablesMayStandElsewhere) {
  const auto suite = imported(R"(
prompts: ['{{q}}']
providers: 'file://providers.yaml'
assertionTemplates: {short: {type: word-count, value: {max: 9}}}
tests:
  - {vars: 'file://vars.yaml', assert: [{$ref: '#/assertionTemplates/short'}, {type: contains, value: 'file://key.txt'}]}
  - {vars: {q: b}, assert: [{$ref: '#/assertionTemplates/short'}, {type: contains, value: 'file://gone.txt'}]}
)",
                              {{"providers.yaml", "[openai:m, {id: openai:n}]"},
                               {"vars.yaml", "{q: a}"},
                               {"key.txt", " the key \n"}});
  EXPECT_EQ(suite.suite.providers, 2U);
  EXPECT_EQ(suite.metric("word_count"), R"({"name":"word_count","words":{"max":9}})");
  EXPECT_EQ(to_text(suite.cases.at(0)),
            R"({"id":"1","q":"a","checks":[{"name":"contains","contains":"the key"}]})");
  EXPECT_EQ(suite.left_out(),
            "suite.yaml, line 7: gone.txt: gone.txt: cannot open: no such file\n"
            "suite.yaml, line 7: assertion contains: its value is not a text\n");
}

TEST(PromptfooAssertions, ProgramsAreScorersBesideAnAdapter) {
  const auto suite = imported_tests(R"(
  - vars: {q: x, id: 7}
    assert:
      - {type: python, value: "file://lib/score.py:judge", threshold: 0.5, config: {deep: true}}
      - {type: not-javascript, value: "output.length > 9"}
      - {type: levenshtein, value: "{{q}}y", threshold: 2}
      - {type: python, value: "len('{{q}}') > 0"}
)",
                                    {{"lib/score.py", "def judge(output, context):\n    return True\n"}});
  EXPECT_EQ(
      suite.metric("python"),
      R"({"name":"python","program":["python3","scorers/python_assert.py","scorers/python.json"],"passes":"said"})");
  EXPECT_EQ(
      suite.metric("not_javascript"),
      R"({"name":"not_javascript","program":["node","scorers/javascript_assert.mjs","scorers/not_javascript.json"],"passes":"said"})");
  EXPECT_EQ(suite.file("scorers/score.py"), "def judge(output, context):\n    return True\n");
  EXPECT_EQ(
      to_text(*parse_json(suite.file("scorers/python.json"))),
      R"({"file":"score.py","function":"judge","threshold":0.5,"config":{"deep":true},"vars":{"id":"var_id","q":"q"},"prompts":{"prompt_1":"{q}"}})");
  EXPECT_EQ(suite.file("scorers/not_javascript.js"), "output.length > 9");
  EXPECT_THAT(suite.file("scorers/not_javascript.json"), HasSubstr("\"inverse\": true"));
  // promptfoo counts edits, not their share of the length: a scorer of the import's own does.
  EXPECT_THAT(suite.file("scorers/levenshtein.json"), HasSubstr("\"expected\": \"expected_levenshtein\""));
  EXPECT_THAT(suite.file("scorers/levenshtein.py"), HasSubstr("def get_assert"));
  EXPECT_EQ(text_at(suite.cases.at(0), "expected_levenshtein"), "xy");
  EXPECT_THAT(suite.left_out(), HasSubstr("line 10: assertion python: a template inside code is not filled"));
}

TEST(PromptfooAssertions, ValuesThatDifferAreAFieldAndASingleTestsCheckIsItsOwn) {
  const auto suite = imported_tests(R"(
  - {vars: {q: a}, assert: [{type: equals, value: "{{q}}!"}, {type: contains, value: only here}, {type: is-json}]}
  - {vars: {q: b}, assert: [{type: equals, value: two}, {type: equals, value: three}, {type: is-json}]}
  - {vars: {q: c}, assert: [{type: llm-rubric, value: "Is {odd}"}, {type: contains-any, value: "{{q}},d"}]}
)");
  EXPECT_EQ(suite.left_out(), "");
  EXPECT_EQ(suite.metric("equals"), R"({"name":"equals","equals":"{expected_equals}"})");
  EXPECT_EQ(suite.metric("is_json"), R"({"name":"is_json","json":true,"when":"has_is_json"})");
  EXPECT_EQ(
      suite.metric("llm_rubric"),
      R"({"name":"llm_rubric","rubric":"{expected_llm_rubric}","when":"expected_llm_rubric","shows":["output"]})");
  EXPECT_EQ(
      to_text(suite.cases.at(0)),
      R"({"id":"1","q":"a","expected_equals":"a!","has_is_json":true,"checks":[{"name":"contains","contains":"only here"}]})");
  EXPECT_EQ(
      to_text(suite.cases.at(1)),
      R"({"id":"2","q":"b","expected_equals":"two","has_is_json":true,"checks":[{"name":"equals","equals":"three"}]})");
  EXPECT_EQ(
      to_text(suite.cases.at(2)),
      R"({"id":"3","q":"c","expected_llm_rubric":"Is {odd}","checks":[{"name":"contains_any","contains_any":["c","d"]}]})");
  EXPECT_EQ(suite.at("/fields/expected_equals"), R"({"answer_key":true,"optional":true})");
  EXPECT_EQ(suite.suite.assertions, 8U);
  EXPECT_EQ(suite.suite.case_checks, 3U);
}

TEST(PromptfooAssertions, WhatOnlyMetricsUseIsAnAnswerKeyAndWeightZeroFailsNothing) {
  const auto suite = imported_tests(R"(
  - {vars: {q: a, key: k1}, assert: [{type: contains, value: "{{key}}"}, {type: is-json, weight: 0}]}
  - {vars: {q: b, key: k2}, assert: [{type: contains, value: "{{key}}"}, {type: is-json, weight: 0}]}
)");
  EXPECT_EQ(suite.at("/fields"), R"({"key":{"answer_key":true}})");
  EXPECT_EQ(suite.metric("contains"), R"({"name":"contains","contains":"{key}"})");
  EXPECT_EQ(suite.at("/case_passes"), R"(["contains"])");
}

TEST(PromptfooAssertions, TheGraderOfTheSuiteIsTheJudge) {
  const std::string assertion = "assert: [{type: llm-rubric, value: Is brief}]";
  const auto named = imported(
      "prompts: ['{{q}}']\nproviders: ['openai:m']\ndefaultTest: {options: {provider: {id: "
      "'anthropic:messages:c', "
      "config: {temperature: 1}}}, " +
      assertion + "}\ntests: [{vars: {q: 1}}]\n");
  EXPECT_EQ(named.at("/judge"), R"({"model":"judge"})");
  EXPECT_EQ(named.at("/models/judge"),
            R"({"provider":"anthropic","name":"c","temperature":1,"max_tokens":1024})");
  const auto unnamed = imported_tests("  - {vars: {q: 1}, " + assertion + "}\n");
  EXPECT_EQ(unnamed.at("/judge/model"), "\"openai/gpt-4.1\"");
  EXPECT_THAT(unnamed.notes(), HasSubstr("the suite names no grader"));
}

// "output.answer" of a test or of an assertion is the part that is looked at.
TEST(PromptfooAssertions, ATransformThatIsAPathIsThePartThatIsLookedAt) {
  const auto suite = imported(R"yaml(
prompts: ["{{q}}"]
providers: ["openai:m"]
defaultTest: {options: {transform: output.answer}}
tests:
  - vars: {q: a}
    assert:
      - {type: contains, value: x}
      - {type: latency, threshold: 9}
      - {type: llm-rubric, value: is short, transform: "output.parts[0]"}
      - {type: context-faithfulness, contextTransform: output.sources}
  - vars: {q: b}
    options: {transform: "JSON.parse(output)"}
    assert:
      - {type: javascript, metric: parsed, value: output.n > 1}
      - {type: contains-any, value: [y, z], transform: output.list}
  - vars: {q: c}
    options: {transform: output.trim()}
    assert: [{type: equals, value: c}]
)yaml");
  EXPECT_EQ(
      suite.metric("llm_rubric"),
      R"({"name":"llm_rubric","rubric":"{expected_llm_rubric}","when":"expected_llm_rubric","shows":["output"],"of":"/answer/parts/0"})");
  EXPECT_EQ(to_text(Json(list_at(suite.cases.at(0), "checks"))),
            R"([{"name":"contains","contains":"x","of":"/answer"}])");
  EXPECT_EQ(to_text(Json(list_at(suite.cases.at(1), "checks"))),
            R"([{"name":"contains_any","contains_any":["y","z"],"of":"/list"}])");
  EXPECT_THAT(suite.file("scorers/parsed.json"), testing::HasSubstr("\"parsed\": true"));
  EXPECT_EQ(to_text(Json(list_at(suite.cases.at(2), "checks"))), R"([{"name":"equals","equals":"c"}])");
  EXPECT_THAT(suite.left_out(),
              testing::HasSubstr("line 18: option transform of a test: outputs are looked at as they came"));
  EXPECT_THAT(suite.left_out(),
              testing::HasSubstr("line 11: assertion context-faithfulness: its context is a part"));
  EXPECT_EQ(suite.metric("context_faithfulness"), "null");
  EXPECT_EQ(suite.metric("latency").find("\"of\""), std::string::npos);
}

}  // namespace
}  // namespace assay
