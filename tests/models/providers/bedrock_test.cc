#include "models/providers/bedrock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/providers/aws_event_stream.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

ModelSpec claude() {
  return {.provider = "bedrock", .name = "anthropic.claude-sonnet-4-5-20250929-v1:0"};
}

TEST(BedrockBody, ThinksInTheWayThatTheModelTakes) {
  ModelSpec spec = claude();
  spec.thinking = true;
  spec.max_tokens = 4000;
  const auto sent = [&](const Capabilities& model) {
    return to_text(
        bedrock_body(ask("Hello"), spec, {model, std::nullopt}).at("additionalModelRequestFields"));
  };
  EXPECT_EQ(sent({}), R"({"thinking":{"type":"adaptive"}})");
  Capabilities older;
  older.adaptive_thinking = false;
  EXPECT_EQ(sent(older), R"({"thinking":{"type":"enabled","budget_tokens":2000}})");
}

TEST(BedrockBody, HasEverythingUnderItsOwnNames) {
  ChatRequest request = ask("weather?");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be brief."});
  request.messages.push_back(
      {.role = Role::assistant, .tool_calls = {{"t1", "weather", json(R"({"city":"Ulm"})"), ""}}});
  request.messages.push_back(
      {.role = Role::tool, .text = "no such city", .tool_call_id = "t1", .is_error = true});
  request.tools = {{"weather", "The weather", json(R"({"type":"object"})")}};
  request.tool_choice = {ToolChoice::Mode::named, "weather"};
  request.sampling = {0.2, 0.9, 10, 42, {"END"}};
  EXPECT_EQ(
      to_text(bedrock_body(request, claude(), {})),
      R"({"messages":[{"role":"user","content":[{"text":"weather?"}]},)"
      R"({"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"weather","input":{"city":"Ulm"}}}]},)"
      R"({"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"no such city"}],"status":"error"}}]}],)"
      R"("system":[{"text":"Be brief."}],)"
      R"("toolConfig":{"tools":[{"toolSpec":{"name":"weather","description":"The weather","inputSchema":{"json":{"type":"object"}}}}],)"
      R"("toolChoice":{"tool":{"name":"weather"}}},)"
      R"("inferenceConfig":{"maxTokens":10,"temperature":0.2,"topP":0.9,"stopSequences":["END"]}})");
}

TEST(BedrockBody, AsksForASchemaAsText) {
  ChatRequest request = ask("q");
  request.output =
      OutputSchema{"verdict", "", json(R"({"type":"object","properties":{"ok":{"type":"boolean"}}})")};
  const Json body = bedrock_body(request, claude(), {.capabilities = {}, .way = StructuredWay::json_schema});
  const Json* schema = find_pointer(body, "/outputConfig/textFormat/structure/jsonSchema/schema");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(parse_json(*as_text(*schema))->at("additionalProperties"), Json(false));
}

constexpr std::string_view kThinking =
    R"({"output":{"message":{"role":"assistant","content":[)"
    R"({"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"s1"}}},{"text":"I look."},)"
    R"({"toolUse":{"toolUseId":"t1","name":"weather","input":{"city":"Ulm"}}}]}},"stopReason":"tool_use",)"
    R"("usage":{"inputTokens":5,"outputTokens":7,"totalTokens":22,"cacheReadInputTokens":10,"cacheWriteInputTokens":0}})";

TEST(BedrockReply, SetsThoughtsApartAndKeepsThemForTheNextTurn) {
  const auto reply = bedrock_reply(json(kThinking));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->message.text, "I look.");
  EXPECT_EQ(reply->message.reasoning, "Hm.");
  EXPECT_EQ(reply->finish, FinishReason::tool_calls);
  EXPECT_EQ(reply->usage, (Usage{.prompt_tokens = 15, .completion_tokens = 7, .cached_tokens = 10}));
  ChatRequest next = ask("weather?");
  next.messages.push_back(reply->message);
  next.messages.push_back({.role = Role::tool, .text = "12", .tool_call_id = "t1"});
  EXPECT_EQ(bedrock_body(next, claude(), {}).at_pointer("/messages/1/content"),
            json(kThinking).at_pointer("/output/message/content"));
}

TEST(BedrockReply, KnowsHowItEnded) {
  const auto finish = [](std::string_view reason) {
    return bedrock_reply(json(R"({"output":{"message":{"content":[{"text":"x"}]}},"stopReason":")" +
                              std::string(reason) + R"("})"))
        ->finish;
  };
  EXPECT_EQ(finish("end_turn"), FinishReason::stop);
  EXPECT_EQ(finish("max_tokens"), FinishReason::length);
  EXPECT_EQ(finish("guardrail_intervened"), FinishReason::refusal);
  EXPECT_EQ(finish("malformed_tool_use"), FinishReason::other);
  EXPECT_FALSE(bedrock_reply(json(R"({"message":"no"})")).has_value());
}

std::string frames() {
  std::string bytes;
  const auto add = [&](std::string_view kind, std::string_view payload) {
    bytes += aws_event_frame(kind, payload);
  };
  add("messageStart", R"({"role":"assistant"})");
  add("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hm"}}})");
  add("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"."}}})");
  add("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s1"}}})");
  add("contentBlockDelta", R"({"contentBlockIndex":1,"delta":{"text":"I look."}})");
  add("contentBlockStart",
      R"({"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"t1","name":"weather"}}})");
  add("contentBlockDelta", R"({"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"city\":"}}})");
  add("contentBlockDelta", R"({"contentBlockIndex":2,"delta":{"toolUse":{"input":"\"Ulm\"}"}}})");
  add("messageStop", R"({"stopReason":"tool_use"})");
  add("metadata",
      R"({"usage":{"inputTokens":5,"outputTokens":7,"totalTokens":22,"cacheReadInputTokens":10,"cacheWriteInputTokens":0}})");
  return bytes;
}

TEST(BedrockStream, GivesTheReplyThatWouldHaveComeInOnePieceHoweverItIsCut) {
  const ChatReply whole = *bedrock_reply(json(kThinking));
  for_every_chunking(frames(), [&](const std::vector<std::string_view>& chunks) {
    BedrockStream stream;
    AwsEventStreamParser parser;
    for (const auto chunk : chunks)
      parser.feed(chunk, [&](const ServerSentEvent& event) { stream.take(event); });
    ASSERT_TRUE(stream.finished());
    ASSERT_EQ(*stream.reply(), whole);
  });
}

TEST(BedrockStream, TellsAnExceptionAndAFrameThatIsBroken) {
  BedrockStream stream;
  AwsEventStreamParser parser;
  const auto take = [&](const ServerSentEvent& event) { stream.take(event); };
  parser.feed(aws_event_frame("throttlingException", R"({"message":"slow down"})"), take);
  ASSERT_TRUE(stream.error().has_value());
  EXPECT_EQ(to_text(*stream.error()), R"({"message":"slow down","type":"throttlingException"})");

  std::string bytes = frames();
  bytes[40] ^= 1;
  BedrockStream other;
  AwsEventStreamParser again;
  again.feed(bytes, [&](const ServerSentEvent& event) { other.take(event); });
  EXPECT_TRUE(other.broken().has_value());
  EXPECT_FALSE(other.finished());
}

// Made with Python's struct and zlib.crc32 from the description of the encoding.
TEST(AwsEventFrame, HasLengthsHeadersAndChecksums) {
  constexpr std::string_view expected =
      "0000005900000047b899a6e00d3a6d6573736167652d747970650700056576656e740b3a6576656e742d7479706507000161"
      "0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b7d78ccb7f5";
  std::string written;
  for (const char c : aws_event_frame("a", "{}"))
    written += fmt::format("{:02x}", static_cast<unsigned char>(c));
  EXPECT_EQ(written, expected);
}

}  // namespace
}  // namespace assay
