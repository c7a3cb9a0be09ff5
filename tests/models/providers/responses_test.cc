#include "models/providers/responses.h"

#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

TEST(ResponsesBody, HasEverythingUnderItsOwnNames) {
  ChatRequest request = ask("weather?");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be brief."});
  request.messages.push_back({.role = Role::assistant,
                              .text = "I look.",
                              .tool_calls = {{"t1", "weather", json(R"({"city":"Ulm"})"), ""}}});
  request.messages.push_back({.role = Role::tool, .text = "no", .tool_call_id = "t1", .is_error = true});
  request.tools = {{"weather", "The weather", json(R"({"type":"object"})")}};
  request.tool_choice = {ToolChoice::Mode::named, "weather"};
  request.sampling = {0.5, 0.25, 10, 42, {"END"}};
  const ModelSpec spec{.provider = "openai", .name = "gpt-5-mini"};
  EXPECT_EQ(
      to_text(responses_body(request, spec,
                             {.capabilities = kResponsesWire.capabilities, .way = {}, .stream = true})),
      R"({"model":"gpt-5-mini","input":[{"role":"system","content":"Be brief."},)"
      R"({"role":"user","content":"weather?"},{"role":"assistant","content":"I look."},)"
      R"({"type":"function_call","call_id":"t1","name":"weather","arguments":"{\"city\":\"Ulm\"}"},)"
      R"({"type":"function_call_output","call_id":"t1","output":"Error: no"}],"store":false,)"
      R"("tools":[{"type":"function","name":"weather","description":"The weather","parameters":{"type":"object"},"strict":false}],)"
      R"("tool_choice":{"type":"function","name":"weather"},)"
      R"("temperature":0.5,"top_p":0.25,"max_output_tokens":10,"stream":true})");
}

TEST(ResponsesBody, AsksForASchema) {
  ChatRequest request = ask("q");
  request.output = OutputSchema{"verdict", "Whether", json(R"({"type":"object"})")};
  const Json body =
      responses_body(request, {}, {.capabilities = {}, .way = StructuredWay::json_schema, .strict = true});
  EXPECT_EQ(
      to_text(body.at("text")),
      R"({"format":{"type":"json_schema","name":"verdict","schema":{"type":"object"},"strict":true,"description":"Whether"}})");
}

constexpr std::string_view kThinking =
    R"({"id":"resp_1","object":"response","created_at":1735689600,"status":"completed","incomplete_details":null,)"
    R"("model":"gpt-5-mini","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],)"
    R"("encrypted_content":"e1"},{"id":"msg_1","type":"message","status":"completed","role":"assistant",)"
    R"("content":[{"type":"output_text","text":"I look.","annotations":[]}]},)"
    R"({"id":"fc_1","type":"function_call","status":"completed","call_id":"t1","name":"weather","arguments":"{\"city\":\"Ulm\"}"}],)"
    R"("usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"output_tokens":11,)"
    R"("output_tokens_details":{"reasoning_tokens":6},"total_tokens":20}})";

TEST(ResponsesReply, SetsThoughtsApartAndKeepsItsItemsForTheNextTurn) {
  const auto reply = responses_reply(json(kThinking));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->message.text, "I look.");
  EXPECT_EQ(reply->message.reasoning, "Hm.");
  EXPECT_EQ(reply->finish, FinishReason::tool_calls);
  EXPECT_EQ(reply->message.tool_calls.at(0).arguments, json(R"({"city":"Ulm"})"));
  EXPECT_EQ(reply->usage, (Usage{.prompt_tokens = 9,
                                 .completion_tokens = 11,
                                 .cached_tokens = 4,
                                 .cache_write_tokens = 3,
                                 .reasoning_tokens = 6}));
  ChatRequest next = ask("weather?");
  next.messages.push_back(reply->message);
  const Json body = responses_body(next, {}, {});
  EXPECT_EQ(body.at_pointer("/input/1/encrypted_content"), Json("e1"));
  EXPECT_EQ(body.at_pointer("/input/3/call_id"), Json("t1"));
  EXPECT_EQ(body.at_pointer("/input/2").as_object().if_contains("status"), nullptr);
}

TEST(ResponsesReply, KnowsHowItEnded) {
  const auto cut = responses_reply(
      json(R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})"));
  EXPECT_EQ(cut->finish, FinishReason::length);
  const auto refused = responses_reply(json(
      R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})"));
  EXPECT_EQ(refused->finish, FinishReason::refusal);
  EXPECT_EQ(refused->refusal, "No.");
  EXPECT_FALSE(responses_reply(json(R"({"error":{"message":"x"}})")).has_value());
}

TEST(ResponsesStream, GivesTheReplyThatWouldHaveComeInOnePieceHoweverItIsCut) {
  const std::string bytes =
      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n"
      "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"I "
      "look.\"}\n\n"
      "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":" +
      std::string(kThinking) + "}\n\n";
  const ChatReply whole = *responses_reply(json(kThinking));
  for_every_chunking(bytes, [&](const std::vector<std::string_view>& chunks) {
    ResponsesStream stream;
    feed(stream, chunks);
    ASSERT_TRUE(stream.finished());
    ASSERT_EQ(*stream.reply(), whole);
    ASSERT_GT(stream.tokens(), 0);
  });
}

TEST(ResponsesStream, TellsAFailure) {
  ResponsesStream stream;
  feed(stream, {"data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\","
                "\"message\":\"x\"}}}\n\n"});
  ASSERT_TRUE(stream.error().has_value());
  EXPECT_FALSE(stream.finished());
}

}  // namespace
}  // namespace assay
