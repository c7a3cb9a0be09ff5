#include "core/schema/schema.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().text());
  return value ? std::move(*value) : Json();
}

Schema compiled(std::string_view text, SchemaOptions options = {}) {
  auto schema = Schema::compile(parsed(text), options);
  if (!schema) throw std::runtime_error(schema.error().text());
  return std::move(*schema);
}

std::string refusal(std::string_view text, const Schema::Documents& documents = {}) {
  const auto schema = Schema::compile(parsed(text), documents);
  EXPECT_FALSE(schema) << text;
  if (schema) return {};
  EXPECT_EQ(schema.error().kind, ErrorKind::schema);
  return schema.error().text();
}

// "pointer | schema pointer | message" of each defect.
std::vector<std::string> defects(std::string_view schema, std::string_view instance,
                                 SchemaOptions options = {}) {
  std::vector<std::string> lines;
  for (const auto& defect : compiled(schema, options).validate(parsed(instance))) {
    lines.push_back(defect.instance_pointer + " | " + defect.schema_pointer + " | " + defect.message);
  }
  return lines;
}

constexpr std::string_view kVerdict = R"({
  "type": "object",
  "properties": {
    "score": {"type": "integer", "minimum": 1, "maximum": 5},
    "label": {"enum": ["agree", "disagree", "unsure"]},
    "reason": {"type": "string", "minLength": 3}
  },
  "required": ["score", "label", "reason"],
  "additionalProperties": false
})";

TEST(SchemaDefects, AreAllReportedWithBothPointersAndPlainWords) {
  EXPECT_THAT(defects(kVerdict, R"({"score": 7, "label": "agre", "resaon": "x"})"),
              ElementsAre("/reason | /required | missing",  //
                          "/score | /properties/score/maximum | found 7, expected at most 5",
                          "/label | /properties/label/enum | found \"agre\", expected one of \"agree\", "
                          "\"disagree\", \"unsure\" (did you mean \"agree\"?)",
                          "/resaon | /additionalProperties | unexpected, expected only score, label, reason "
                          "(did you mean \"reason\"?)"));
}

TEST(SchemaDefects, ReadAsOneSentence) {
  const auto schema = compiled(kVerdict);
  EXPECT_EQ(describe(schema.validate(parsed(R"({"score": 7, "label": "agree"})"))),
            "/reason: missing; /score: found 7, expected at most 5");
  EXPECT_EQ(describe(schema.validate(parsed("[]"))), "found [], expected an object");
  EXPECT_EQ(describe({}), "");
}

TEST(SchemaDefects, SayWhatWasFoundAndWhatWasExpected) {
  const auto message = [](std::string_view schema, std::string_view instance) {
    const auto found = compiled(schema).validate(parsed(instance));
    EXPECT_EQ(found.size(), 1U) << schema;
    return found.empty() ? std::string() : found.front().message;
  };
  EXPECT_EQ(message(R"({"type": "integer"})", "1.5"), "found 1.5, expected a whole number");
  EXPECT_EQ(message(R"({"type": ["number", "null", "string"]})", "[1]"),
            "found [1], expected text, a number or null");
  EXPECT_EQ(message(R"({"const": {"a": 1}})", "2"), R"(found 2, expected {"a":1})");
  EXPECT_EQ(message(R"({"exclusiveMinimum": 0})", "0"), "found 0, expected more than 0");
  EXPECT_EQ(message(R"({"exclusiveMaximum": 1})", "1.5"), "found 1.5, expected less than 1");
  EXPECT_EQ(message(R"({"minimum": 0.5})", "-1"), "found -1, expected at least 0.5");
  EXPECT_EQ(message(R"({"multipleOf": 0.1})", "0.25"), "found 0.25, expected a multiple of 0.1");
  EXPECT_EQ(message(R"({"minLength": 3})", R"("éa")"), "found \"éa\" (2 characters), expected at least 3");
  EXPECT_EQ(message(R"({"maxLength": 0})", R"("a")"), "found \"a\" (1 character), expected at most 0");
  EXPECT_EQ(message(R"({"pattern": "^a"})", R"("b")"), "found \"b\", expected text that matches ^a");
  EXPECT_EQ(message(R"({"minItems": 2})", "[1]"), "found 1 item, expected at least 2");
  EXPECT_EQ(message(R"({"maxProperties": 0})", R"({"a":1,"b":2})"), "found 2 members, expected at most 0");
  EXPECT_EQ(message(R"({"uniqueItems": true})", "[1, 2, 1.0]"),
            "items 0 and 2 are equal (1), expected no duplicates");
  EXPECT_EQ(message(R"({"contains": {"type": "null"}})", "[1, 2]"),
            "0 of 2 items fit the schema of contains, expected at least 1");
  EXPECT_EQ(message(R"({"contains": true, "maxContains": 1})", "[1, 2]"),
            "2 of 2 items fit the schema of contains, expected at most 1");
  EXPECT_EQ(message(R"({"not": {"type": "null"}})", "null"), "found null, which is what the schema forbids");
  EXPECT_EQ(message("false", "1"), "not allowed here");
  EXPECT_EQ(message(R"({"enum": []})", "1"),
            "found 1, expected nothing at all: the list of choices is empty");
  EXPECT_EQ(message(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
            "missing, needed together with \"a\"");
  EXPECT_EQ(message(R"({"propertyNames": {"maxLength": 2}})", R"({"abc": 1})"),
            "as a name: found \"abc\" (3 characters), expected at most 2");
  EXPECT_EQ(message(R"({"prefixItems": [true], "items": false})", "[1, 2]"),
            "found 2, expected no item here");
  EXPECT_EQ(message(R"({"additionalProperties": false})", R"({"a": 1})"), "unexpected, not allowed here");
}

TEST(SchemaDefects, PointIntoDefinitionsAndOtherDocuments) {
  EXPECT_THAT(
      defects(R"({"$defs": {"a/b": {"type": "null"}}, "items": {"$ref": "#/$defs/a~1b"}})", R"([null, 1])"),
      ElementsAre("/1 | /$defs/a~1b/type | found 1, expected null"));
  const auto schema =
      Schema::compile(parsed(R"({"properties": {"x~y": {"$ref": "http://example.org/other#/$defs/n"}}})"),
                      {{"http://example.org/other", parsed(R"({"$defs": {"n": {"type": "null"}}})")}});
  ASSERT_TRUE(schema);
  const auto found = schema->validate(parsed(R"({"x~y": 1})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].instance_pointer, "/x~0y");
  EXPECT_EQ(found[0].schema_pointer, "http://example.org/other#/$defs/n/type");
}

// A place under an unknown keyword belongs to the innermost `$id` around it.
TEST(SchemaReferences, IntoUnknownKeywordsKeepTheBaseOfTheirSurroundings) {
  const auto schema = compiled(R"({"$id": "http://e.org/a", "$ref": "#/$defs/b/x-own",
      "$defs": {"b": {"$id": "http://e.org/b/", "x-own": {"$ref": "c"}, "$defs": {"c": {"$id": "c", "type": "null"}}}}})");
  EXPECT_TRUE(schema.valid(Json()));
  EXPECT_FALSE(schema.valid(Json(1)));
}

TEST(SchemaReferences, FindAnIdInsideADocumentThatWasOnlyGiven) {
  const Schema::Documents documents = {
      {"http://e.org/bundle", parsed(R"({"$defs": {"n": {"$id": "http://e.org/null", "type": "null"}}})")}};
  const auto schema = Schema::compile(parsed(R"({"$ref": "http://e.org/null"})"), documents);
  ASSERT_TRUE(schema) << schema.error().text();
  EXPECT_FALSE(schema->valid(Json(1)));
}

TEST(SchemaAlternatives, AreSummedUp) {
  EXPECT_THAT(defects(R"({"anyOf": [{"type": "string"}, {"type": "null"}]})", "3"),
              ElementsAre(" | /anyOf | found 3, expected text or null"));
  EXPECT_THAT(
      defects(R"({"properties": {"n": {"anyOf": [{"minimum": 5}, {"multipleOf": 2}]}}})", R"({"n": 3})"),
      ElementsAre(
          "/n | /properties/n/anyOf | fits none of the 2 alternatives: (1) found 3, expected at least "
          "5; (2) found 3, expected a multiple of 2"));
  EXPECT_THAT(defects(R"({"oneOf": [{"minimum": 1}, {"type": "null"}, {"minimum": 2}]})", "3"),
              ElementsAre(" | /oneOf | found 3, which fits alternatives 1 and 3, expected exactly one"));
}

// The usual form of an optional object: only one alternative can have been meant.
TEST(SchemaAlternatives, GiveWayToTheDefectsOfTheOneThatWasMeant) {
  EXPECT_THAT(
      defects(
          R"({"$defs": {"p": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}},
                          "properties": {"p": {"anyOf": [{"$ref": "#/$defs/p"}, {"type": "null"}]}}})",
          R"({"p": {"x": "1"}})"),
      ElementsAre("/p/x | /$defs/p/properties/x/type | found \"1\", expected a number"));
  EXPECT_THAT(defects(R"({"oneOf": [
                {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
                {"properties": {"kind": {"const": "square"}, "a": {"type": "number"}}, "required": ["kind", "a"]}]})",
                      R"({"kind": "square", "a": "2"})"),
              ElementsAre("/a | /oneOf/1/properties/a/type | found \"2\", expected a number"));
}

TEST(SchemaAlternatives, DoNotDragUnevaluatedMembersAlong) {
  const auto found = defects(R"({"anyOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]},
                                           {"properties": {"b": {"type": "null"}}, "required": ["b"]}],
                                 "unevaluatedProperties": false})",
                             R"({"a": 1})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr("/anyOf | fits none"));
}

TEST(SchemaUnevaluated, ReportsLeftoverMembersBesideOtherDefects) {
  EXPECT_THAT(
      defects(R"({"allOf": [{"properties": {"a": {"type": "null"}}}], "unevaluatedProperties": false})",
              R"({"a": 1, "b": 2})"),
      ElementsAre("/a | /allOf/0/properties/a/type | found 1, expected null",
                  "/b | /unevaluatedProperties | unexpected, not allowed here"));
  // More than one word of marks.
  std::string instance = "[";
  for (int i = 0; i < 200; ++i) instance += std::to_string(i) + ",";
  instance += "\"last\"]";
  EXPECT_THAT(defects(R"({"contains": {"type": "integer"}, "unevaluatedItems": false})", instance),
              ElementsAre("/200 | /unevaluatedItems | found \"last\", expected no item here"));
}

TEST(SchemaNumbers, AreComparedExactly) {
  EXPECT_TRUE(compiled(R"({"maximum": 9007199254740993})").valid(parsed("9007199254740993")));
  EXPECT_FALSE(compiled(R"({"maximum": 9007199254740992})").valid(parsed("9007199254740993")));
  EXPECT_FALSE(
      compiled(R"({"exclusiveMaximum": 18446744073709551615})").valid(parsed("18446744073709551615")));
  EXPECT_FALSE(compiled(R"({"const": 9007199254740993})").valid(parsed("9007199254740992.0")));
  EXPECT_TRUE(compiled(R"({"const": 9007199254740992})").valid(parsed("9007199254740992.0")));
  EXPECT_TRUE(compiled(R"({"minimum": -9223372036854775808})").valid(parsed("18446744073709551615")));
  EXPECT_FALSE(compiled(R"({"minimum": 0.5})").valid(parsed("0")));
  EXPECT_TRUE(compiled(R"({"type": "integer"})").valid(parsed("1e300")));
  EXPECT_TRUE(compiled(R"({"uniqueItems": true})").valid(parsed("[9007199254740993, 9007199254740992.0]")));
}

TEST(SchemaNumbers, KnowDecimalMultiples) {
  const auto multiple = [](std::string_view number, std::string_view divisor) {
    return compiled(R"({"multipleOf": )" + std::string(divisor) + "}").valid(parsed(number));
  };
  EXPECT_TRUE(multiple("0.0075", "0.0001"));
  EXPECT_FALSE(multiple("0.00751", "0.0001"));
  EXPECT_TRUE(multiple("1e308", "0.5"));
  EXPECT_TRUE(multiple("1e308", "1e-308"));
  EXPECT_FALSE(multiple("1e308", "0.123456789"));
  EXPECT_TRUE(multiple("4.02", "0.01"));
  EXPECT_TRUE(multiple("-19.99", "0.01"));
  EXPECT_TRUE(multiple("0.0", "7"));
  EXPECT_TRUE(multiple("0", "10"));
  EXPECT_TRUE(multiple("18446744073709551615", "5"));
  EXPECT_FALSE(multiple("18446744073709551614", "5"));
  EXPECT_TRUE(multiple("-9223372036854775808", "2"));
  EXPECT_FALSE(multiple("3", "2.5"));
  EXPECT_TRUE(multiple("7.5", "2.5"));
  EXPECT_FALSE(multiple("1e-10", "1"));
}

TEST(SchemaCompile, ListsEverythingThatIsWrong) {
  EXPECT_EQ(
      refusal(R"({"type": "strin", "minimum": "3", "required": "a", "properties": {"b": 3},
                        "items": {"pattern": "("}, "minLength": -1, "enum": 1, "uniqueItems": 0, "multipleOf": 0})"),
      "/type: found \"strin\", expected array, boolean, integer, null, number, object or string, or a list "
      "of "
      "them; /minimum: found \"3\", expected a number; /required: found \"a\", expected a list of names; "
      "/properties/b: found 3, expected a schema (an object, true or false); /minLength: found -1, expected "
      "a "
      "whole number of at least 0; /enum: found 1, expected a list of values; /uniqueItems: found 0, "
      "expected "
      "true or false; /multipleOf: found 0, expected a number above 0; /items/pattern: the pattern is "
      "malformed: "
      "missing ): (?: in \"(\"");
  EXPECT_EQ(refusal("3"), "schema: found 3, expected a schema (an object, true or false)");
  EXPECT_EQ(refusal(R"({"allOf": []})"), "/allOf: found [], expected a list of at least one schema");
  EXPECT_EQ(refusal(R"({"properties": []})"), "/properties: found [], expected an object");
}

TEST(SchemaCompile, RefusesReferencesThatLeadNowhere) {
  EXPECT_EQ(refusal(R"({"$ref": "#/$defs/a"})"), "/$ref: \"#/$defs/a\" leads to no schema");
  EXPECT_EQ(refusal(R"({"$ref": "#a"})"), "/$ref: \"#a\" leads to no schema");
  EXPECT_EQ(refusal(R"({"$ref": "http://example.org/x"})"),
            "/$ref: there is no schema \"http://example.org/x\"");
  EXPECT_EQ(refusal(R"({"$defs": {"a": 3}, "$ref": "#/$defs/a"})"),
            "/$ref: \"#/$defs/a\" leads to no schema");
  EXPECT_EQ(refusal(R"({"$ref": 3})"), "/$ref: found 3, expected text");
  EXPECT_EQ(refusal(R"({"$ref": "#/%zz"})"), "/$ref: \"#/%zz\" leads to no schema");
}

TEST(SchemaCompile, RefusesOtherDialectsAndUnknownVocabularies) {
  EXPECT_THAT(refusal(R"({"$schema": "http://json-schema.org/draft-07/schema#"})"),
              StartsWith("/$schema: unknown dialect \"http://json-schema.org/draft-07/schema#\""));
  const Schema::Documents documents = {
      {"http://example.org/meta", parsed(R"({"$vocabulary": {"http://example.org/vocab": true}})")}};
  EXPECT_THAT(refusal(R"({"$schema": "http://example.org/meta"})", documents),
              HasSubstr("requires the unknown vocabulary \"http://example.org/vocab\""));
  EXPECT_TRUE(Schema::compile(parsed(R"({"$schema": "https://json-schema.org/draft/2020-12/schema#"})")));
}

TEST(SchemaCompile, RefusesNamesThatStandForTwoThings) {
  EXPECT_THAT(refusal(R"({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}})"),
              HasSubstr("\"x\" is the anchor of two schemas"));
  EXPECT_THAT(refusal(R"({"$defs": {"a": {"$id": "http://e.org/x"}, "b": {"$id": "http://e.org/x"}}})"),
              HasSubstr("\"http://e.org/x\" is the $id of two schemas"));
  EXPECT_THAT(refusal(R"({"$anchor": "1x"})"), HasSubstr("expected a name of letters"));
  EXPECT_THAT(refusal(R"({"$id": "http://e.org/x#y"})"), HasSubstr("expected no fragment"));
}

TEST(SchemaCompile, RefusesEndlessReferences) {
  for (const std::string_view schema :
       {R"({"$ref": "#"})",
        R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})",
        R"({"allOf": [{"$ref": "#"}]})", R"({"anyOf": [true, {"$ref": "#"}]})", R"({"not": {"$ref": "#"}})",
        R"({"if": true, "then": {"$ref": "#"}})", R"({"dependentSchemas": {"a": {"$ref": "#"}}})"}) {
    EXPECT_THAT(refusal(schema), HasSubstr("refers to itself for the same value without end")) << schema;
  }
  // Going into the value ends the loop.
  const auto tree =
      compiled(R"({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}})");
  EXPECT_TRUE(tree.valid(parsed(R"({"left": {"left": {}}, "right": {}})")));
  EXPECT_FALSE(tree.valid(parsed(R"({"left": {"left": 1}, "right": {}})")));
}

TEST(SchemaCompile, AcceptsLongChainsOfReferences) {
  JsonObject definitions;
  for (int i = 0; i < 1000; ++i) {
    definitions["d" + std::to_string(i)] = JsonObject{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
  }
  definitions["d1000"] = JsonObject{{"type", "null"}};
  const auto schema = Schema::compile(JsonObject{{"$defs", definitions}, {"$ref", "#/$defs/d0"}});
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->valid(Json()));
  EXPECT_FALSE(schema->valid(Json(1)));
}

TEST(SchemaBounds, AnEndlessDynamicReferenceIsADefectNotACrash) {
  const auto found = defects(R"({"$id": "http://e.org/a", "$dynamicAnchor": "x", "$dynamicRef": "#x"})", "1");
  EXPECT_THAT(found, ElementsAre(HasSubstr("refers to itself too deeply")));
  EXPECT_THAT(
      defects(R"({"$id": "http://e.org/a", "$dynamicAnchor": "x", "not": {"$dynamicRef": "#x"}})", "1"),
      ElementsAre(HasSubstr("refers to itself too deeply")));
}

// A walk that was given up inside `not` says nothing about what is forbidden.
TEST(SchemaBounds, AnEndlessReferenceInsideNotIsNoFit) {
  const auto schema = compiled(R"({"not": {"$ref": "#/$defs/a"},
                                   "$defs": {"a": {"$dynamicAnchor": "x", "$dynamicRef": "#x"}}})");
  EXPECT_FALSE(schema.valid(Json(1)));
  EXPECT_EQ(schema.validate(Json(1)).size(), 1U);
}

TEST(SchemaBounds, MultiplyingAlternativesAreStopped) {
  JsonObject definitions;
  for (int i = 0; i < 64; ++i) {
    const JsonObject next{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    definitions["d" + std::to_string(i)] = JsonObject{{"anyOf", JsonArray{next, next}}};
  }
  definitions["d64"] = false;
  const auto schema = Schema::compile(JsonObject{{"$defs", definitions}, {"$ref", "#/$defs/d0"}});
  ASSERT_TRUE(schema);
  EXPECT_FALSE(schema->valid(Json(1)));
}

// Each level asks the next twice, and explains why neither fits: 2^40 ways, if answers were not kept.
TEST(SchemaBounds, AlternativesInsideAlternativesAreAskedOnceAndExplainedInMeasure) {
  JsonObject definitions;
  for (int i = 0; i < 40; ++i) {
    const JsonObject next{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    definitions["d" + std::to_string(i)] =
        JsonObject{{"anyOf", JsonArray{next, JsonObject{{"allOf", JsonArray{next}}}}}};
  }
  definitions["d40"] = JsonObject{{"type", "string"}};
  const auto schema =
      Schema::compile(JsonObject{{"$defs", definitions}, {"items", JsonObject{{"$ref", "#/$defs/d0"}}}});
  ASSERT_TRUE(schema);
  const Json wrong = JsonArray{"good", 1, JsonObject{{"a", 2}}};
  EXPECT_FALSE(schema->valid(wrong));
  const auto found = schema->validate(wrong);
  ASSERT_EQ(found.size(), 2U) << describe(found);
  EXPECT_EQ(found[0].instance_pointer, "/1");
  EXPECT_EQ(found[1].instance_pointer, "/2");
  EXPECT_TRUE(schema->valid(Json(JsonArray{"good", "better"})));
}

// Names are checked as values that live no longer than their check.
TEST(SchemaBounds, NamesAreEachAskedForThemselves) {
  const auto schema = compiled(
      R"({"propertyNames": {"anyOf": [{"anyOf": [{"const": "a"}]}, {"not": {"not": {"const": "b"}}}]}})");
  EXPECT_TRUE(schema.valid(parse_json(R"({"a": 1, "b": 2})").value()));
  EXPECT_FALSE(schema.valid(parse_json(R"({"a": 1, "c": 2})").value()));
  EXPECT_FALSE(schema.valid(parse_json(R"({"c": 1, "a": 2})").value()));
}

TEST(SchemaBounds, TheListOfDefectsEnds) {
  const auto found = compiled(R"({"items": {"type": "null"}})").validate(Json(JsonArray(5000, Json(1))));
  ASSERT_EQ(found.size(), 1001U);
  EXPECT_EQ(found[999].instance_pointer, "/999");
  EXPECT_EQ(found[1000].message, "the list ends here, at 1000 defects");
  EXPECT_THAT(describe(found), HasSubstr("/19: found 1, expected null; and 981 more"));
}

TEST(SchemaBounds, DeepSchemasAreRefused) {
  Json schema = true;
  for (int i = 0; i < 1000; ++i) schema = JsonObject{{"not", std::move(schema)}};
  const auto result = Schema::compile(schema);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr("nested deeper than 256 levels"));
}

TEST(SchemaMeta, TheDraftsOwnSchemaFitsItselfAndFindsWrongSchemas) {
  const auto meta = compiled(R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})");
  for (const std::string_view name :
       {"schema", "meta/core", "meta/applicator", "meta/unevaluated", "meta/validation", "meta/meta-data",
        "meta/format-annotation", "meta/format-assertion", "meta/content"}) {
    const auto uri = "https://json-schema.org/draft/2020-12/" + std::string(name);
    EXPECT_TRUE(Schema::compile(JsonObject{{"$ref", uri}})) << uri;
  }
  EXPECT_TRUE(meta.valid(parsed(std::string(kVerdict))));
  const auto found =
      meta.validate(parsed(R"({"properties": {"a": {"items": {"minLength": -1, "type": "strin"}}}})"));
  std::vector<std::string> pointers;
  for (const auto& defect : found) pointers.push_back(defect.instance_pointer);
  EXPECT_THAT(pointers,
              testing::UnorderedElementsAre("/properties/a/items/minLength", "/properties/a/items/type"));
}

TEST(SchemaFormats, AreAnnotationsUnlessAsserted) {
  EXPECT_THAT(defects(R"({"format": "date"})", R"("tomorrow")"), IsEmpty());
  EXPECT_THAT(defects(R"({"format": "date"})", R"("tomorrow")", {.assert_formats = true}),
              ElementsAre(" | /format | found \"tomorrow\", expected the format date"));
  EXPECT_THAT(defects(R"({"format": "unheard-of"})", R"("x")", {.assert_formats = true}), IsEmpty());
}

TEST(SchemaPatterns, AreThoseOfEcma262) {
  const auto matches = [](std::string_view pattern, std::string_view text) {
    return compiled(to_text(JsonObject{{"pattern", pattern}})).valid(Json(text));
  };
  EXPECT_FALSE(matches("^a$", "a\n"));
  EXPECT_FALSE(matches("^.$", "\u2028"));
  EXPECT_FALSE(matches("^.$", "\r"));
  EXPECT_TRUE(matches("^.$", "😀"));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[[:alpha:]]$", "a]"));  // no POSIX classes
  EXPECT_TRUE(matches(R"(^[\w.\-]+$)", "a.b-c"));
  EXPECT_TRUE(matches(R"(^[\s\S]$)", "x"));
  EXPECT_FALSE(matches(R"(^[^\S]$)", "x"));
  EXPECT_TRUE(matches(R"(^[\b]$)", "\b"));
  EXPECT_TRUE(matches(R"(^\u{1F600}\uD83D\uDE00\x41\u0042\cJ\0$)", std::string_view("😀😀AB\n\0", 12)));
  EXPECT_TRUE(matches(R"(^\p{Lu}\p{Script=Greek}\P{L}\p{gc=Nd}$)", "Éα-٣"));
  EXPECT_TRUE(matches("^(?<year>[0-9]{4})-(?:0[1-9])$", "2024-05"));
  EXPECT_TRUE(matches("^{a}{,3}$", "{a}{,3}"));
  EXPECT_TRUE(matches(R"(\bcat\b)", "a cat."));
  EXPECT_TRUE(matches(R"(^\/\@$)", "/@"));
}

TEST(SchemaPatterns, AreRefusedWithTheReason) {
  const auto reason = [](std::string_view pattern) {
    return refusal(to_text(JsonObject{{"pattern", pattern}}));
  };
  EXPECT_EQ(reason("(?=a)"), "/pattern: the pattern uses look-ahead, which is not supported in \"(?=a)\"");
  EXPECT_THAT(reason("(?<!a)b"), HasSubstr("look-behind"));
  EXPECT_THAT(reason(R"((a)\1*)"), HasSubstr("a back reference"));
  EXPECT_THAT(reason(R"((?<n>a)\k<n>)"), HasSubstr("a back reference"));
  EXPECT_THAT(reason("a{2000}"), HasSubstr("more than 1000 repetitions"));
  EXPECT_THAT(reason(R"(\p{Emoji})"), HasSubstr("the property \\p{Emoji}"));
  EXPECT_THAT(reason(R"(\Z)"), HasSubstr("unknown escape \\Z"));
  EXPECT_THAT(reason("(?i)a"), HasSubstr("unknown group (?i"));
  EXPECT_THAT(reason("[b-a]"), HasSubstr("runs backwards"));
  EXPECT_THAT(reason("[a"), HasSubstr("without its ]"));
  EXPECT_THAT(reason("a\\"), HasSubstr("lone backslash"));
  EXPECT_THAT(reason("a**"), HasSubstr("malformed"));
}

TEST(SchemaThreads, ShareOneSchema) {
  const auto schema = compiled(
      R"({"items": {"pattern": "^[a-z]+[0-9]$", "$ref": "#/$defs/x"}, "$defs": {"x": {"minLength": 2}}})");
  const auto good = parsed(R"(["ab1", "c2"])");
  const auto bad = parsed(R"(["ab1", "C"])");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        EXPECT_TRUE(schema.valid(good));
        EXPECT_EQ(schema.validate(bad).size(), 2U);
      }
    });
  }
}

}  // namespace
}  // namespace assay
