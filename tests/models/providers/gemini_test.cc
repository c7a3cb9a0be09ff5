#include "models/providers/gemini.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

ModelSpec flash() {
  return {.provider = "gemini", .name = "gemini-2.5-flash"};
}

// The first call has the service's id, which its result repeats; the other one was given none.
TEST(GeminiBody, HasEverythingUnderItsOwnNames) {
  ChatRequest request = ask("weather?");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be brief."});
  request.messages.push_back({.role = Role::assistant,
                              .text = "I look.",
                              .tool_calls = {{"t1", "weather", json(R"({"city":"Ulm"})"), ""},
                                             {"call_2", "time", json(R"({})"), ""}}});
  request.messages.push_back({.role = Role::tool, .text = R"({"degrees":12})", .tool_call_id = "t1"});
  request.messages.push_back(
      {.role = Role::tool, .text = "no clock", .tool_call_id = "call_2", .is_error = true});
  request.tools = {{"weather", "The weather", json(R"({"type":"object"})")}, {"time", "", nullptr}};
  request.tool_choice = {ToolChoice::Mode::named, "weather"};
  request.sampling = {0.5, 0.25, 10, 42, {"END"}};
  EXPECT_EQ(
      to_text(gemini_body(request, flash(), {})),
      R"({"systemInstruction":{"parts":[{"text":"Be brief."}]},)"
      R"("contents":[{"role":"user","parts":[{"text":"weather?"}]},)"
      R"({"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"weather","args":{"city":"Ulm"},"id":"t1"}},)"
      R"({"functionCall":{"name":"time","args":{}}}]},)"
      R"({"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"degrees":12},"id":"t1"}},)"
      R"({"functionResponse":{"name":"time","response":{"error":"no clock"}}}]}],)"
      R"("tools":[{"functionDeclarations":[{"name":"weather","description":"The weather","parametersJsonSchema":{"type":"object"}},)"
      R"({"name":"time","description":"time"}]}],)"
      R"("toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["weather"]}},)"
      R"("generationConfig":{"temperature":0.5,"topP":0.25,"seed":42,"stopSequences":["END"],"maxOutputTokens":10}})");
}

TEST(GeminiBody, SendsOnlyKeywordsThatTheServiceKnows) {
  ChatRequest request = ask("q");
  request.output = OutputSchema{
      "v", "",
      json(
          R"({"$schema":"x","type":"object","properties":{"a":{"const":"yes"},"b":{"type":"string","minLength":2}}})")};
  const Json body = gemini_body(request, flash(), {.capabilities = {}, .way = StructuredWay::json_schema});
  EXPECT_EQ(to_text(body.at("generationConfig")),
            R"({"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":)"
            R"({"a":{"enum":["yes"]},"b":{"type":"string","description":)"
            R"("Must also satisfy the JSON Schema {\"minLength\":2}"}}}})");
}

TEST(GeminiOptions, BecomeAThinkingConfig) {
  ModelSpec spec = flash();
  const auto options = [&] { return to_text(*kGeminiWire.options(spec, ThinkingForm::none)); };
  EXPECT_EQ(options(), "{}");
  spec.thinking = 1024;
  EXPECT_EQ(options(),
            R"({"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":1024}}})");
  spec.thinking = false;
  EXPECT_EQ(options(), R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}})");
  spec.thinking = nullptr;
  spec.reasoning_effort = "low";
  spec.name = "gemini-3-flash";
  EXPECT_EQ(options(), R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}})");
  spec.thinking = true;
  EXPECT_EQ(options(),
            R"({"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}})");
}

// Gemini answers both with 400: "Thinking level is not supported for this model", "You can only set only one
// of thinking budget and thinking level".
TEST(GeminiOptions, AreRefusedWhereGeminiTakesNoLevel) {
  ModelSpec spec = flash();
  spec.reasoning_effort = "low";
  const auto told = [&] { return kGeminiWire.options(spec, ThinkingForm::none).error().message; };
  EXPECT_THAT(told(), testing::HasSubstr("takes no level: say in thinking how many tokens"));
  spec.name = "gemini-3-flash";
  spec.thinking = 1024;
  EXPECT_THAT(told(), testing::HasSubstr("either a level or a number of tokens"));
}

constexpr std::string_view kThinking =
    R"({"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"I look."},)"
    R"({"functionCall":{"name":"weather","args":{"city":"Ulm"}},"thoughtSignature":"s1"}],"role":"model"},)"
    R"("finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,)"
    R"("totalTokenCount":20,"cachedContentTokenCount":4,"thoughtsTokenCount":6},)"
    R"("modelVersion":"gemini-2.5-flash","responseId":"r1"})";

TEST(GeminiReply, SetsThoughtsApartAndKeepsThemForTheNextTurn) {
  const auto reply = gemini_reply(json(kThinking));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->message.text, "I look.");
  EXPECT_EQ(reply->message.reasoning, "Hm.");
  EXPECT_EQ(reply->finish, FinishReason::tool_calls);
  EXPECT_EQ(reply->model, "gemini-2.5-flash");
  EXPECT_EQ(reply->usage,
            (Usage{.prompt_tokens = 9, .completion_tokens = 11, .cached_tokens = 4, .reasoning_tokens = 6}));
  ChatRequest next = ask("weather?");
  next.messages.push_back(reply->message);
  EXPECT_EQ(gemini_body(next, flash(), {}).at_pointer("/contents/1/parts"),
            json(kThinking).at_pointer("/candidates/0/content/parts"));
}

TEST(GeminiReply, KnowsHowItEnded) {
  const auto reply = [](std::string_view reason) {
    return *gemini_reply(json(R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":")" +
                              std::string(reason) + R"("}]})"));
  };
  EXPECT_EQ(reply("STOP").finish, FinishReason::stop);
  EXPECT_EQ(reply("MAX_TOKENS").finish, FinishReason::length);
  EXPECT_EQ(reply("SAFETY").finish, FinishReason::refusal);
  EXPECT_EQ(reply("MALFORMED_FUNCTION_CALL").finish, FinishReason::other);
  const auto blocked = gemini_reply(json(R"({"promptFeedback":{"blockReason":"SAFETY"}})"));
  ASSERT_TRUE(blocked.has_value());
  EXPECT_EQ(blocked->finish, FinishReason::refusal);
  EXPECT_EQ(blocked->refusal, "the prompt was blocked: SAFETY");
  EXPECT_FALSE(gemini_reply(json("{}")).has_value());
}

TEST(GeminiStream, GivesTheReplyThatWouldHaveComeInOnePieceHoweverItIsCut) {
  const std::string_view tail = R"("usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,)"
                                R"("totalTokenCount":20,"cachedContentTokenCount":4,"thoughtsTokenCount":6},)"
                                R"("modelVersion":"gemini-2.5-flash","responseId":"r1"})";
  std::string bytes;
  for (
      const std::string_view parts :
      {R"({"text":"H","thought":true})", R"({"text":"m.","thought":true})", R"({"text":"I "})",
       R"({"text":"look."},{"functionCall":{"name":"weather","args":{"city":"Ulm"}},"thoughtSignature":"s1"})"}) {
    const bool last = parts.contains("functionCall");
    bytes += R"(data: {"candidates":[{"content":{"parts":[)" + std::string(parts) + R"(],"role":"model"},)" +
             (last ? R"("finishReason":"STOP",)" : "") + R"("index":0}],)" + std::string(tail) + "\r\n\r\n";
  }
  const ChatReply whole = *gemini_reply(json(kThinking));
  for_every_chunking(bytes, [&](const std::vector<std::string_view>& chunks) {
    GeminiStream stream;
    feed(stream, chunks);
    ASSERT_TRUE(stream.finished());
    ASSERT_EQ(*stream.reply(), whole);
  });
}

}  // namespace
}  // namespace assay
