#include "models/providers/anthropic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::HasSubstr;

ModelSpec claude() {
  return {.provider = "anthropic", .name = "claude-sonnet-4-5"};
}

TEST(AnthropicBody, HasTheSystemAtTheTopAndAlwaysALimit) {
  ChatRequest request = ask("Hello");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be brief."});
  request.messages.push_back({.role = Role::system, .text = "Be kind."});
  EXPECT_EQ(to_text(anthropic_body(request, claude(), {})),
            R"({"model":"claude-sonnet-4-5","max_tokens":4096,"system":"Be brief.\n\nBe kind.",)"
            R"("messages":[{"role":"user","content":"Hello"}]})");
  ModelSpec spec = claude();
  spec.max_tokens = 50;
  EXPECT_EQ(anthropic_body(request, spec, {}).at("max_tokens"), Json(50));
  request.sampling.max_tokens = 60;
  EXPECT_EQ(anthropic_body(request, spec, {}).at("max_tokens"), Json(60));
}

TEST(AnthropicBody, ThinksInTheWayThatTheModelTakes) {
  const auto sent = [](Json thinking, const Capabilities& model, std::optional<int> max_tokens = {}) {
    ModelSpec spec = claude();
    spec.thinking = std::move(thinking);
    spec.max_tokens = max_tokens;
    const Json body = anthropic_body(ask("Hello"), spec, {model, std::nullopt});
    return to_text(body.at("max_tokens")) + to_text(body.at("thinking"));
  };
  Capabilities older;
  older.adaptive_thinking = false;
  Capabilities newer;
  newer.thinking_budget = false;
  EXPECT_EQ(sent(true, {}), R"(16384{"type":"adaptive"})");
  EXPECT_EQ(sent(4000, {}), R"(8096{"type":"enabled","budget_tokens":4000})");
  EXPECT_EQ(sent(true, older), R"(8192{"type":"enabled","budget_tokens":4096})");
  EXPECT_EQ(sent(true, older, 3000), R"(3000{"type":"enabled","budget_tokens":1500})");
  EXPECT_EQ(sent(true, older, 1200), R"(1200{"type":"enabled","budget_tokens":1024})");
  EXPECT_EQ(sent(4000, newer), R"(16384{"type":"adaptive"})");
  EXPECT_EQ(sent(false, older), R"(4096{"type":"disabled"})");
  EXPECT_EQ(sent(json(R"({"type":"enabled","budget_tokens":9000})"), newer),
            R"(13096{"type":"enabled","budget_tokens":9000})");
  EXPECT_EQ(anthropic_body(ask("Hello"), claude(), {}).get_object().if_contains("thinking"), nullptr);
}

TEST(AnthropicBody, MergesTheResultsOfSeveralCallsIntoOneMessage) {
  ChatRequest request = ask("weather?");
  request.messages.push_back({.role = Role::assistant,
                              .text = "I look.",
                              .tool_calls = {{"t1", "weather", json(R"({"city":"Ulm"})"), ""},
                                             {"t2", "weather", nullptr, "{city"}}});
  request.messages.push_back({.role = Role::tool, .text = "12 degrees", .tool_call_id = "t1"});
  request.messages.push_back({.role = Role::tool, .text = "", .tool_call_id = "t2", .is_error = true});
  request.messages.push_back({.role = Role::user, .text = "And now?"});
  EXPECT_EQ(
      to_text(anthropic_body(request, claude(), {}).at("messages")),
      R"([{"role":"user","content":"weather?"},)"
      R"({"role":"assistant","content":[{"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"t1","name":"weather","input":{"city":"Ulm"}},)"
      R"({"type":"tool_use","id":"t2","name":"weather","input":{"arguments_text":"{city"}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"12 degrees"},)"
      R"({"type":"tool_result","tool_use_id":"t2","is_error":true},{"type":"text","text":"And now?"}]}])");
}

TEST(AnthropicBody, HasNoEmptyTextAndNoEmptyAnswer) {
  ChatRequest request = ask("a");
  request.messages.push_back({.role = Role::assistant, .text = ""});
  request.messages.push_back({.role = Role::user, .text = "b"});
  EXPECT_EQ(to_text(anthropic_body(request, claude(), {}).at("messages")),
            R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
}

TEST(AnthropicBody, CarriesSamplingUnderItsOwnNamesAndNoSeed) {
  ChatRequest request = ask("q");
  request.sampling = {0.2, 0.9, 10, 42, {"END"}};
  const Json body = anthropic_body(request, claude(), {});
  EXPECT_EQ(body.at("temperature"), Json(0.2));
  EXPECT_EQ(body.at("top_p"), Json(0.9));
  EXPECT_EQ(body.at("stop_sequences"), json(R"(["END"])"));
  EXPECT_EQ(find_member(body, "seed"), nullptr);
  EXPECT_EQ(find_member(body, "stop"), nullptr);
  WirePlan plan;
  plan.capabilities = known_capabilities("claude-opus-4-7");
  EXPECT_EQ(find_member(anthropic_body(request, claude(), plan), "temperature"), nullptr);
}

TEST(AnthropicBody, WritesToolsAndTheChoice) {
  ChatRequest request = ask("q");
  request.tools.push_back(
      {"look", "Looks.", json(R"({"type":"object","properties":{"x":{"type":"string"}}})")});
  request.tools.push_back({"now", "", nullptr});
  const auto choice = [&](ToolChoice wanted) {
    request.tool_choice = std::move(wanted);
    const Json body = anthropic_body(request, claude(), {});
    const Json* found = find_member(body, "tool_choice");
    return found == nullptr ? std::string("-") : to_text(*found);
  };
  EXPECT_EQ(choice({}), "-");
  EXPECT_EQ(choice({ToolChoice::Mode::none, ""}), R"({"type":"none"})");
  EXPECT_EQ(choice({ToolChoice::Mode::any, ""}), R"({"type":"any"})");
  EXPECT_EQ(choice({ToolChoice::Mode::named, "look"}), R"({"type":"tool","name":"look"})");
  EXPECT_EQ(to_text(anthropic_body(request, claude(), {}).at("tools")),
            R"([{"name":"look","description":"Looks.",)"
            R"("input_schema":{"type":"object","properties":{"x":{"type":"string"}}}},)"
            R"({"name":"now","input_schema":{"type":"object","properties":{}}}])");
}

TEST(AnthropicBody, AsksForJsonInEachWay) {
  ChatRequest request = ask("good?");
  request.output =
      OutputSchema{"verdict", "", json(R"({"type":"object","properties":{"good":{"type":"boolean"}}})")};
  const Json tool = anthropic_body(request, claude(), {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(find_pointer(tool, "/tools/0/name")->as_string(), "verdict");
  EXPECT_EQ(to_text(tool.at("tool_choice")), R"({"type":"tool","name":"verdict"})");

  const Json native = anthropic_body(request, claude(), {{}, StructuredWay::json_schema, false, false});
  EXPECT_EQ(
      to_text(native.at("output_config")),
      R"({"format":{"type":"json_schema","schema":{"type":"object","properties":{"good":{"type":"boolean"}},)"
      R"("additionalProperties":false}}})");
  EXPECT_EQ(find_member(native, "tools"), nullptr);

  const Json text = anthropic_body(request, claude(), {{}, StructuredWay::text, false, false});
  EXPECT_THAT(std::string(text.at("system").as_string()), HasSubstr(R"("good":{"type":"boolean"})"));

  WirePlan unforced{known_capabilities("claude-opus-5-5"), StructuredWay::tools, false, false};
  const Json asked = anthropic_body(request, claude(), unforced);
  EXPECT_EQ(find_member(asked, "tool_choice"), nullptr);
  EXPECT_THAT(std::string(asked.at("system").as_string()), HasSubstr("verdict"));
}

TEST(AnthropicReply, OfTextCountsTheWholePrompt) {
  const auto reply = anthropic_reply(json(R"({"id":"msg_1","type":"message","role":"assistant",
      "model":"claude-sonnet-4-5-20250929","content":[{"type":"thinking","thinking":"hm","signature":"x"},
      {"type":"redacted_thinking","data":"abc"},{"type":"text","text":"Bl"},{"type":"text","text":"ue"}],
      "stop_reason":"end_turn","stop_sequence":null,
      "usage":{"input_tokens":12,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":6}})"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->message, (Message{.role = Role::assistant, .text = "Blue", .reasoning = "hm"}));
  EXPECT_EQ(reply->finish, FinishReason::stop);
  EXPECT_EQ(reply->usage, (Usage{1112, 6, 1000, 100, 0}));
  EXPECT_EQ(reply->model, "claude-sonnet-4-5-20250929");
}

TEST(AnthropicReply, OfToolUse) {
  const auto reply = anthropic_reply(json(R"({"content":[{"type":"text","text":"I look."},
      {"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Ulm"}},
      {"type":"server_tool_use","id":"s","name":"web_search","input":{}}],"stop_reason":"tool_use"})"));
  EXPECT_EQ(reply->finish, FinishReason::tool_calls);
  EXPECT_EQ(reply->message.tool_calls,
            (std::vector<ToolCall>{{"toolu_1", "weather", json(R"({"city":"Ulm"})"), ""}}));
  EXPECT_EQ(reply->message.text, "I look.");
}

TEST(AnthropicReply, FinishesAsItsReasonSays) {
  const auto finish = [](std::string_view reason) {
    return anthropic_reply(
               json(R"({"content":[{"type":"text","text":"x"}],"stop_reason":)" + std::string(reason) + "}"))
        ->finish;
  };
  EXPECT_EQ(finish(R"("end_turn")"), FinishReason::stop);
  EXPECT_EQ(finish(R"("stop_sequence")"), FinishReason::stop);
  EXPECT_EQ(finish(R"("max_tokens")"), FinishReason::length);
  EXPECT_EQ(finish(R"("model_context_window_exceeded")"), FinishReason::length);
  EXPECT_EQ(finish(R"("refusal")"), FinishReason::refusal);
  EXPECT_EQ(finish(R"("pause_turn")"), FinishReason::other);
  EXPECT_EQ(finish("null"), FinishReason::stop);
}

TEST(AnthropicReply, OfARefusalGivesTheExplanationOrTheText) {
  EXPECT_EQ(anthropic_reply(json(R"({"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal",
      "category":"cyber","explanation":"Not allowed."}})"))
                ->refusal,
            "Not allowed.");
  EXPECT_EQ(
      anthropic_reply(json(R"({"content":[{"type":"text","text":"I can't."}],"stop_reason":"refusal"})"))
          ->refusal,
      "I can't.");
}

TEST(AnthropicReply, WithoutContentIsRefused) {
  for (const std::string_view text : {"{}", "[]", R"({"content":"x"})", R"({"type":"error"})"}) {
    EXPECT_FALSE(anthropic_reply(json(text)).has_value()) << text;
  }
}

constexpr std::string_view kStream =
    "event: message_start\n"
    "data: "
    "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\","
    "\"content\":[],"
    "\"model\":\"claude-sonnet-4-5-20250929\",\"stop_reason\":null,\"usage\":{\"input_tokens\":25,"
    "\"cache_read_input_tokens\":5,\"cache_creation_input_tokens\":0,\"output_tokens\":1}}}\n\n"
    "event: content_block_start\n"
    "data: "
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":"
    "\"\"}}\n\n"
    "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    "event: content_block_delta\n"
    "data: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":"
    "\"hm\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "event: content_block_start\n"
    "data: "
    "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Ich "
    "se\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"hé "
    "😀\"}}\n\n"
    "event: content_block_start\n"
    "data: "
    "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_"
    "1\","
    "\"name\":\"weather\",\"input\":{}}}\n\n"
    "event: content_block_delta\n"
    "data: "
    "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
    "\"\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"{\\\"city\\\":\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"\\\"Ulm\\\"}\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
    "event: message_delta\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},"
    "\"usage\":{\"output_tokens\":89}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

TEST(AnthropicStream, GivesTheSameReplyHoweverItIsCut) {
  const auto whole = anthropic_reply(json(R"({"id":"m","model":"claude-sonnet-4-5-20250929","content":[
      {"type":"thinking","thinking":"hm"},{"type":"text","text":"Ich sehé 😀"},
      {"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Ulm"}}],"stop_reason":"tool_use",
      "usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":89}})"));
  for_every_chunking(kStream, [&](const auto& chunks) {
    AnthropicStream stream;
    feed(stream, chunks);
    ASSERT_TRUE(stream.finished());
    ASSERT_EQ(*stream.reply(), *whole);
  });
}

TEST(AnthropicStream, IsNotFinishedAnywhereBeforeItsEnd) {
  for (std::size_t length = 0; length + 1 < kStream.size(); ++length) {
    AnthropicStream stream;
    feed(stream, {kStream.substr(0, length)});
    ASSERT_FALSE(stream.finished()) << length;
  }
}

TEST(AnthropicStream, KeepsAnErrorEventApart) {
  AnthropicStream stream;
  feed(stream, {"event: error\ndata: "
                "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"
                "\n\n"});
  ASSERT_TRUE(stream.error().has_value());
  EXPECT_EQ(find_pointer(*stream.error(), "/error/type")->as_string(), "overloaded_error");
  EXPECT_FALSE(stream.finished());
}

TEST(AnthropicStream, IgnoresWhatItDoesNotKnowAndKeepsArgumentsThatAreNotJson) {
  AnthropicStream stream;
  stream.take({"message_start", R"({"type":"message_start","message":{"content":[]}})"});
  stream.take({"news", R"({"type":"news"})"});
  stream.take(
      {"content_block_delta", R"({"type":"content_block_delta","index":7,"delta":{"type":"text_delta"}})"});
  stream.take(
      {"content_block_start",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}})"});
  stream.take(
      {"content_block_delta",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{oops"}})"});
  stream.take({"message_stop", R"({"type":"message_stop"})"});
  EXPECT_EQ(stream.reply()->message.tool_calls, (std::vector<ToolCall>{{"t", "f", nullptr, "{oops"}}));
}

TEST(AnthropicStream, WithoutAStartIsNoReply) {
  AnthropicStream stream;
  stream.take({"message_stop", R"({"type":"message_stop"})"});
  EXPECT_FALSE(stream.reply().has_value());
}

}  // namespace
}  // namespace assay
