#include "evaluations/reply_map.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"

namespace assay {
namespace {

ReplyMap map_of(const std::string& yaml, std::vector<std::string> known = {}) {
  std::vector<ConfigProblem> problems;
  ReplyMap map = ReplyMap::read(parse_yaml(yaml)->value, known, "map", problems);
  for (const ConfigProblem& problem : problems) ADD_FAILURE() << problem.key << ": " << problem.text;
  return map;
}

std::string applied(const std::string& yaml, const std::string& reply) {
  auto fields = map_of(yaml).apply(*parse_json(reply));
  return fields ? to_text(*fields) : fields.error().text();
}

std::vector<std::string> problems_of(const std::string& yaml, std::vector<std::string> known = {}) {
  std::vector<ConfigProblem> problems;
  ReplyMap::read(parse_yaml(yaml)->value, known, "map", problems);
  std::vector<std::string> told;
  for (const ConfigProblem& problem : problems) told.push_back(problem.key + ": " + problem.text);
  return told;
}

TEST(ReplyMap, PointersAndFunctions) {
  EXPECT_EQ(applied(R"({a: /x/0, whole: "", none: /y})", R"({"x": [1]})"), R"({"a":1,"whole":{"x":[1]}})");
  EXPECT_EQ(
      applied("{a: {at: /topics, names: label}}", R"({"topics": [{"label": "tax"}, {"label": "visa"}]})"),
      R"({"a":["tax","visa"]})");
  EXPECT_EQ(applied("{a: {at: /failed, names: true}}", R"({"failed": {"tone": 1, "pii": 0}})"),
            R"({"a":["tone","pii"]})");
  EXPECT_EQ(applied("{a: {at: '', bool_of: {guardrails_pass: false}}}", R"("guardrails_pass")"),
            R"({"a":false})");
  EXPECT_EQ(applied("{a: {at: '', bool_of: {guardrails_pass: false}}}", R"("pii")"), R"({"a":true})");
  EXPECT_EQ(applied("{a: {at: /n, bool_of: {1: true, 0: false}}}", R"({"n": 1})"), R"({"a":true})");
  EXPECT_EQ(applied("{a: {at: /hits, each: /source/text}}", R"({"hits": [{"source": {"text": "t"}}]})"),
            R"({"a":["t"]})");
  EXPECT_EQ(applied("{a: {at: /c, first: true}, b: {at: /d, first: true}}", R"({"c": [3, 4], "d": []})"),
            R"({"a":3})");
  EXPECT_EQ(applied("{a: {at: /p, join: ' '}}", R"({"p": ["one", 2]})"), R"({"a":"one 2"})");
  EXPECT_EQ(applied("{a: {at: /p}}", R"({"p": 1})"), R"({"a":1})");
  EXPECT_EQ(applied("{a: {at: /f, flags: true}, b: {at: /f, any: true}}", R"({"f": ["pii", "tone"]})"),
            R"({"a":{"pii":true,"tone":true},"b":true})");
  EXPECT_EQ(applied("{a: {at: /f, flags: true}, b: {at: /f, any: true}}", R"({"f": []})"),
            R"({"a":{},"b":false})");
  EXPECT_EQ(applied("{a: {at: /f, any: true}}", R"({"f": {"pii": "why"}})"), R"({"a":true})");
}

TEST(ReplyMap, WhatCannotBeAppliedIsAnErrorWithItsField) {
  EXPECT_EQ(applied("{a: {at: /t, names: label}}", R"({"t": [{"lab": 1}]})"),
            R"(field a: found {"lab":1}, expected an object with label)");
  EXPECT_EQ(applied("{a: {at: /t, names: true}}", R"({"t": []})"),
            "field a: found [], expected an object whose keys are the names");
  EXPECT_EQ(applied("{a: {at: /t, bool_of: {yes: true, no: false}}}", R"({"t": "maybe"})"),
            "field a: found \"maybe\", expected one of no, yes");
  // Who says nothing has not said the other thing.
  EXPECT_EQ(applied("{a: {at: /t, bool_of: {pass: false}}}", R"({"t": null})"),
            "field a: found null, expected one of pass");
  EXPECT_EQ(applied("{a: {at: /t, bool_of: {pass: false, 'null': true}}}", R"({"t": null})"),
            R"({"a":true})");
  EXPECT_EQ(applied("{a: {at: /t, flags: true}}", R"({"t": [{"pii": true}]})"),
            R"(field a: found {"pii":true}, expected a name)");
  EXPECT_EQ(applied("{a: {at: /t, any: true}}", R"({"t": "pii"})"),
            "field a: found \"pii\", expected a list or an object");
  EXPECT_EQ(applied("{a: {at: /t, each: /x}}", R"({"t": [{}]})"),
            "field a: found {}, expected something at /x in each element");
  for (const char* function : {"names: x", "each: /x", "first: true", "join: x", "flags: true"}) {
    EXPECT_THAT(applied("{a: {at: /t, " + std::string(function) + "}}", R"({"t": 5})"),
                testing::StartsWith("field a: found 5, expected a list"));
  }
}

TEST(ReplyMap, OneFieldAtATime) {
  ReplyMap map = map_of("{a: /x}");
  map.add(map_of("{a: /y, b: ''}"));
  const Json reply = *parse_json(R"({"y": 1, "c": 2})");
  EXPECT_EQ(**map.value(reply, "a"), Json(1));
  EXPECT_EQ(**map.value(reply, "c"), Json(2)) << "without an entry, under its own name";
  EXPECT_FALSE(map.value(reply, "d")->has_value());
  EXPECT_EQ(map.absent_words("a") + ", " + map.absent_words("d"), "nothing at /y, missing");
  EXPECT_TRUE(map.takes_whole("b") && !map.takes_whole("a") && !map.takes_whole("c"));
}

TEST(ReplyMap, EveryProblemIsToldWhenTheConfigIsRead) {
  const std::vector<std::string> known = {"actual_outcome", "model"};
  EXPECT_THAT(problems_of("{actual_outcom: /x, model: x, b: {}}", known),
              testing::ElementsAre("map.actual_outcom: unknown field; did you mean `actual_outcome`?",
                                   testing::HasSubstr("map.model: found \"x\", expected a JSON pointer"),
                                   "map.b: unknown field; known are actual_outcome, model"));
  EXPECT_THAT(
      problems_of("{a: {at: x}, b: {at: /x, name: l}, c: {first: true, join: ''}, d: {bool_of: {x: 1}}, "
                  "e: {names: false}, f: {each: x}, g: {first: 1}, h: {join: 2}, i: 3}"),
      testing::ElementsAre(
          "map.a.at: found \"x\", expected a JSON pointer such as /data/label",
          "map.b.name: unknown function; did you mean `names`?",
          testing::HasSubstr("expected exactly one of names, bool_of, each, first, join, flags or any"),
          testing::HasSubstr("map.d.bool_of: found {\"x\":1}, expected values with true or false"),
          testing::HasSubstr("map.e.names: found false"), testing::HasSubstr("map.f.each: found \"x\""),
          "map.g.first: found 1, expected true", "map.h.join: found 2, expected the text between the parts",
          testing::HasSubstr("map.i: found 3, expected a JSON pointer such as /data/label, or {at: ")));
  EXPECT_THAT(problems_of("[]"), testing::ElementsAre("map: found [], expected fields with JSON pointers"));
}

}  // namespace
}  // namespace assay
