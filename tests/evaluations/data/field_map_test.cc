#include "evaluations/data/field_map.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "core/yaml.h"

namespace assay {
namespace {

FieldMap map_of(const std::string& yaml, std::vector<std::string>* told = nullptr) {
  ConfigSource source;
  source.document = parse_yaml(yaml).value();
  const ResolvedConfig resolved = resolve_config({fields_key()}, source);
  std::vector<ConfigProblem> problems = resolved.problems;
  FieldMap map = read_field_map(resolved.config, problems);
  for (const ConfigProblem& problem : problems) {
    EXPECT_NE(told, nullptr) << problem.key << ": " << problem.text;
    if (told != nullptr) told->push_back(problem.key + ": " + problem.text);
  }
  return map;
}

std::string rewritten(const FieldMap& map, const std::string& record,
                      RecordOrigin origin = RecordOrigin::json, const WantedFields& wanted = {}) {
  auto result = map.rewrite(parse_json(record)->as_object(), origin, wanted);
  return result ? to_text(*result) : join(result.error(), "\n");
}

TEST(FieldMap, RenamesConvertsAndSplits) {
  const FieldMap map = map_of(R"(
fields:
  question: user_input
  amount: {type: number}
  urgent: {type: boolean}
  must_say: {type: list, separator: " | ", optional: true}
  tags: {type: list}
  meta: {from: /extra/more, type: json}
  name: {type: text}
)");
  EXPECT_EQ(rewritten(map, R"({"id": 1, "user_input": "Why?", "amount": " 12.50 ", "urgent": "YES",
                               "must_say": "a, b | c | ", "tags": "x; y;", "extra": {"more": "{\"k\": [1]}"},
                               "name": 7})"),
            R"({"question":"Why?","amount":12.5,"urgent":true,"must_say":["a, b","c"],"tags":["x","y"],)"
            R"("meta":{"k":[1]},"name":"7","id":1,"extra":{"more":"{\"k\": [1]}"}})");
  // What is of its type already stays; a list may be written as JSON; absent is none.
  EXPECT_EQ(rewritten(map, R"({"user_input": "Why?", "amount": 9007199254740993, "urgent": 0,
                               "tags": "[\"x;y\", 2]", "extra": {"more": {}}, "name": "n"})"),
            R"({"question":"Why?","amount":9007199254740993,"urgent":false,"tags":["x;y",2],"meta":{},)"
            R"("name":"n","extra":{"more":{}}})");
}

TEST(FieldMap, TellsEveryProblemWithColumnWhatWasFoundAndExpected) {
  const FieldMap map = map_of(R"(
fields:
  question: user_input
  amount: {type: number}
  limit: {type: number}
  urgent: {from: rush, type: boolean}
  topics: {type: list}
  meta: {type: json}
  name: {type: text}
)");
  EXPECT_EQ(
      rewritten(
          map,
          R"({"amount": "12 €", "limit": "1e999", "rush": "maybe", "topics": null, "meta": "{k}", "name": null})"),
      "field question (from user_input): missing, expected a value\n"
      "field amount: found \"12 €\", expected a number\n"
      "field limit: found \"1e999\", expected a number\n"
      "field urgent (from rush): found \"maybe\", expected true or false (also yes, no, 1, 0)\n"
      "field topics: found null, expected a list\n"
      "field meta: found \"{k}\", expected JSON: unexpected 'k'\n"
      "field name: found null, expected text");
}

TEST(FieldMap, CellsOfATableBecomeWhatTheEvaluationWants) {
  WantedFields wanted;
  wanted.by_name = {{"expected", {ValueKind::boolean}},
                    {"score", {ValueKind::number, true}},
                    {"contexts", {ValueKind::tree, true}},
                    {"question", {}}};
  const std::string row =
      R"({"question": "", "expected": "no", "score": "", "contexts": "[\"a\", {\"text\": \"b\"}]", "free": "", "n": "5"})";
  EXPECT_EQ(rewritten({}, row, RecordOrigin::row, wanted),
            R"({"question":"","expected":false,"contexts":["a",{"text":"b"}],"free":"","n":"5"})");
  // In JSON nothing is guessed.
  EXPECT_EQ(rewritten({}, R"({"expected": "no", "score": ""})", RecordOrigin::json, wanted),
            R"({"expected":"no","score":""})");
  // A rule's type comes first; without one the evaluation's holds under the new name too.
  EXPECT_EQ(rewritten(map_of("fields: {contexts: {type: list, separator: '|'}, expected: {from: should}}"),
                      R"({"should": "1", "contexts": "[1] a|b", "score": "x"})", RecordOrigin::row, wanted),
            "field score: found \"x\", expected a number");
  EXPECT_EQ(rewritten(map_of("fields: {contexts: {type: list, separator: '|'}, expected: {from: should}}"),
                      R"({"should": "1", "contexts": "[1] a|b"})", RecordOrigin::row, wanted),
            R"({"contexts":["[1] a","b"],"expected":true})");
  // A text that only looks like a footnote is none, one that looks like JSON and is broken is told.
  EXPECT_EQ(rewritten({}, R"({"contexts": "[1] see below"})", RecordOrigin::row, wanted),
            R"({"contexts":"[1] see below"})");
  EXPECT_THAT(rewritten({}, R"({"contexts": "[\"a\""})", RecordOrigin::row, wanted),
              testing::StartsWith("field contexts: found \"[\\\"a\\\"\", expected JSON: "));
  // An optional field of the evaluation may be missing although a rule names it.
  EXPECT_EQ(rewritten(map_of("fields: {score: points}"), R"({"question": "q"})", RecordOrigin::json, wanted),
            R"({"question":"q"})");
}

TEST(FieldMap, ADeclarationThatMakesNoSenseIsTold) {
  std::vector<std::string> told;
  map_of("fields: {a: {separator: ','}, b: {type: list, separator: ''}, c: {type: lst}, d: {form: x}}",
         &told);
  EXPECT_THAT(told,
              testing::UnorderedElementsAre(
                  "fields.a.separator: is for `type: list` only", testing::HasSubstr("found an empty text"),
                  testing::HasSubstr("found \"lst\", expected one of text, number, boolean, list, json"),
                  testing::HasSubstr("unknown key; did you mean `from`?")));
}

}  // namespace
}  // namespace assay
