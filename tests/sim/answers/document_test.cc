#include "sim/answers/document.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "core/schema/schema.h"
#include "sim/answers/answer.h"

namespace assay::sim {
namespace {

ChatRequest asking(const char* document, const char* schema) {
  ChatRequest request;
  request.model = "sim/judge";
  request.messages = {{.role = Role::system, .text = "Rate each of them."},
                      {.role = Role::user, .text = document}};
  request.tools = {{"rate", "Return the ratings.", parse_json(schema).value()}};
  request.tool_choice = {ToolChoice::Mode::named, "rate"};
  return request;
}

Json arguments_of(const ChatRequest& request) {
  const ChatReply reply = answer(request, {.seed = 3});
  EXPECT_EQ(reply.message.tool_calls.size(), 1U) << reply.message.text;
  return reply.message.tool_calls.empty() ? Json() : reply.message.tool_calls[0].arguments;
}

TEST(SimDocument, FlatIdsAreRepeatedOneEntryEach) {
  const Json given = arguments_of(asking(
      R"({"things": [{"id": {"a": "x1", "b": "y1"}, "note": "red"}, {"id": {"a": "x2", "b": "y2"}, "note": null}]})",
      R"({"type": "object", "properties": {"ratings": {"type": "array", "items": {"type": "object", "properties": {
        "id": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]},
        "seen": {"type": ["string", "null"], "description": "As given in `note`."},
        "score": {"type": "integer", "minimum": 1, "maximum": 5}}, "required": ["id", "seen", "score"]}}},
        "required": ["ratings"]})"));
  const JsonArray& ratings = list_at(given, "ratings");
  ASSERT_EQ(ratings.size(), 2U);
  EXPECT_EQ(text_at(*find_member(ratings[1], "id"), "b"), "y2");
  EXPECT_EQ(text_at(ratings[0], "seen"), "red");
  EXPECT_TRUE(find_member(ratings[1], "seen")->is_null());
}

TEST(SimDocument, NestedListsFollowTheNearestListOfThatName) {
  const Json given = arguments_of(asking(
      R"({"judges": [{"id": "j1"}, {"id": "j2"}], "items": [{"itemId": "i1", "kinds": [{"name": "k1"}]},
          {"itemId": "i2", "kinds": [{"name": "k1"}, {"name": "k2"}]}]})",
      R"({"type": "object", "properties": {"results": {"type": "array", "items": {"type": "object", "properties": {
        "itemId": {"type": "string"}, "parts": {"type": "array", "items": {"type": "object", "properties": {
          "kindName": {"type": "string"}, "votes": {"type": "array", "items": {"type": "object", "properties": {
            "judgeId": {"type": "string"}, "agrees": {"type": "boolean"}}, "required": ["judgeId", "agrees"]}}},
          "required": ["kindName", "votes"]}}}, "required": ["itemId", "parts"]}}}, "required": ["results"]})"));
  const JsonArray& results = list_at(given, "results");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(text_at(results[1], "itemId"), "i2");
  const JsonArray& parts = list_at(results[1], "parts");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(text_at(parts[1], "kindName"), "k2");
  const JsonArray& votes = list_at(parts[1], "votes");
  ASSERT_EQ(votes.size(), 2U);
  EXPECT_EQ(text_at(votes[1], "judgeId"), "j2");
}

TEST(SimDocument, AListThatTheDocumentDoesNotHaveIsMadeAsBefore) {
  const Json given = arguments_of(asking(
      R"({"words": ["a", "b"]})",
      R"({"type": "object", "properties": {"tags": {"type": "array", "minItems": 1, "items": {"type": "object",
               "properties": {"label": {"type": "string"}}, "required": ["label"]}}}, "required": ["tags"]})"));
  EXPECT_FALSE(list_at(given, "tags").empty());
}

}  // namespace
}  // namespace assay::sim
