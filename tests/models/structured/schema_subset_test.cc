#include "models/structured/schema_subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/schema/schema.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr std::string_view kVerdict =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
  "properties":{"score":{"type":"integer","minimum":1,"maximum":5},
                "reasons":{"type":"array","items":{"type":"string"}},
                "label":{"type":["string","null"],"enum":["yes","no",null]},
                "next":{"anyOf":[{"$ref":"#/$defs/step"},{"type":"null"}]}},
  "required":["score","reasons","label","next"],"additionalProperties":false,
  "$defs":{"step":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"],
                   "additionalProperties":false}}})";

TEST(StrictSchema, TakesTheSubsetThatOpenAiLists) {
  EXPECT_EQ(strict_misfit(json(kVerdict)), std::nullopt);
}

TEST(StrictSchema, SaysWhyASchemaDoesNotFit) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"(true)", "not an object"},
      {R"({"type":"array","items":{"type":"string"}})", "root"},
      {R"({"anyOf":[{"type":"object"}]})", "root"},
      {R"({"type":"object","properties":{},"required":[],"additionalProperties":false,"anyOf":[]})", "anyOf"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})", "additionalProperties"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})",
       "/properties/a"},
      {R"({"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],
           "additionalProperties":false})",
       "minLength"},
      {R"({"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false})", "no type"},
      {R"({"type":"object","properties":{"a":{"type":"array"}},"required":["a"],"additionalProperties":false})",
       "items"},
      {R"({"type":"object","properties":{"a":{"type":"string","format":"iri"}},"required":["a"],
           "additionalProperties":false})",
       "format"},
      {R"({"type":"object","properties":{"a":{"$ref":"other.json"}},"required":["a"],"additionalProperties":false})",
       "another document"},
      {R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x","title":"t"}},"required":["a"],
           "additionalProperties":false,"$defs":{"x":{"type":"string"}}})",
       "beside $ref"},
      {R"({"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":true}},
           "required":["a"],"additionalProperties":false})",
       "/properties/a"},
      {R"({"type":"object","properties":{"a":{"oneOf":[]}},"required":["a"],"additionalProperties":false})",
       "oneOf"},
      {R"({"type":"object","properties":{},"additionalProperties":false,"$defs":{"x":{"type":"object"}}})",
       "/$defs/x"},
  };
  for (const auto& [schema, reason] : cases) {
    const auto misfit = strict_misfit(json(schema));
    ASSERT_TRUE(misfit.has_value()) << schema;
    EXPECT_THAT(*misfit, HasSubstr(std::string(reason))) << schema;
  }
}

TEST(StrictSchema, HasLimitsOnDepthAndSize) {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 12; ++i) {
    deep.insert(0, R"({"type":"object","properties":{"a":)")
        .append(R"(},"required":["a"],"additionalProperties":false})");
  }
  EXPECT_THAT(strict_misfit(json(deep)).value_or(""), HasSubstr("deeply"));

  std::string values;
  for (int i = 0; i < 1001; ++i) values += (i == 0 ? "" : ",") + std::to_string(i);
  EXPECT_EQ(strict_misfit(json(R"({"type":"object","properties":{"a":{"type":"integer","enum":[)" + values +
                               R"(]}},"required":["a"],"additionalProperties":false})")),
            "too many enum values");
}

TEST(AnthropicSchema, ClosesObjectsAndMovesWhatItCannotEnforceIntoWords) {
  const auto closed = anthropic_output_schema(json(
      R"({"$schema":"x","type":"object","properties":{
            "score":{"type":"integer","minimum":1,"maximum":5,"description":"The score."},
            "tags":{"type":"array","items":{"type":"string","maxLength":9},"minItems":1,"maxItems":3},
            "when":{"type":"string","format":"date"},
            "either":{"oneOf":[{"type":"string"},{"type":"null"}]}},"required":["score"]})"));
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(to_text(*closed),
            R"({"type":"object","properties":{)"
            R"("score":{"type":"integer","description":"The score. Must also satisfy the JSON Schema )"
            R"({\"minimum\":1,\"maximum\":5}"},)"
            R"("tags":{"type":"array","items":{"type":"string",)"
            R"("description":"Must also satisfy the JSON Schema {\"maxLength\":9}"},"minItems":1,)"
            R"("description":"Must also satisfy the JSON Schema {\"maxItems\":3}"},)"
            R"("when":{"type":"string","format":"date"},)"
            R"("either":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["score"],)"
            R"("additionalProperties":false})");
}

TEST(AnthropicSchema, AllowsEveryInstanceThatItMayAskFor) {
  // What is sent may be weaker or closed, but an answer to it that is valid there and complete fits the
  // original.
  const Json original = json(kVerdict);
  const auto closed = anthropic_output_schema(original);
  ASSERT_TRUE(closed.has_value());
  const Json answer = json(R"({"score":3,"reasons":["a"],"label":"yes","next":{"what":"go"}})");
  EXPECT_TRUE(Schema::compile(*closed)->valid(answer));
  EXPECT_TRUE(Schema::compile(original)->valid(answer));
}

TEST(AnthropicSchema, RefusesObjectsWithFreeKeysAndOtherRoots) {
  EXPECT_FALSE(
      anthropic_output_schema(json(R"({"type":"object","additionalProperties":{"type":"string"}})")));
  EXPECT_FALSE(anthropic_output_schema(json(R"({"type":"array","items":{"type":"string"}})")));
  EXPECT_FALSE(anthropic_output_schema(json(R"({"type":"object","properties":{"m":{"type":"object"}}})")));
  EXPECT_FALSE(anthropic_output_schema(json("true")));
}

TEST(WireSchema, IsSentWithoutAnnotationsAndInItsOwnOrder) {
  EXPECT_EQ(
      to_text(without_annotations(json(R"({"$schema":"x","type":"object","$comment":"c","properties":{}})"))),
      R"({"type":"object","properties":{}})");
  EXPECT_EQ(without_annotations(json("true")), json("true"));
}

TEST(WireSchema, DescribesAnObjectOnlyIfItSaysSo) {
  EXPECT_TRUE(describes_object(json(R"({"type":"object"})")));
  EXPECT_FALSE(describes_object(json(R"({"type":["object","null"]})")));
  EXPECT_FALSE(describes_object(json(R"({"properties":{}})")));
}

}  // namespace
}  // namespace assay
