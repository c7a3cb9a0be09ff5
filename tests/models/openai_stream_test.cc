#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/openai.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

constexpr std::string_view kText =
    "data: "
    "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-4o-2024-08-06\",\"choices\":[{"
    "\"index\":0,"
    "\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},\"finish_reason\":null}],\"usage\":"
    "null}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grün\"},\"finish_reason\":null}]}\n\n"
    ": keep-alive\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" 😀\\n\"},\"finish_reason\":null}]}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,\"total_tokens\":12,"
    "\"prompt_tokens_details\":{\"cached_tokens\":2}}}\n\n"
    "data: [DONE]\n\n";

// OpenRouter's place for it.
TEST(OpenAiStream, FindsTheErrorInsideOfAChoice) {
  OpenAiStream stream;
  feed(stream, {"data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\","
                "\"error\":{\"code\":502,\"message\":\"gone\"}}]}\n\n"});
  ASSERT_TRUE(stream.error().has_value());
  EXPECT_EQ(to_text(*stream.error()), R"({"error":{"code":502,"message":"gone"}})");
}

TEST(OpenAiStream, GivesTheSameReplyHoweverItIsCut) {
  const auto whole =
      openai_reply(json(R"({"id":"c1","model":"gpt-4o-2024-08-06","choices":[{"message":{"role":"assistant",
      "content":"Grün 😀\n"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,
      "prompt_tokens_details":{"cached_tokens":2}}})"));
  for_every_chunking(kText, [&](const auto& chunks) {
    OpenAiStream stream;
    feed(stream, chunks);
    ASSERT_TRUE(stream.finished());
    const auto reply = stream.reply();
    ASSERT_TRUE(reply.has_value());
    ASSERT_EQ(*reply, *whole);
  });
}

TEST(OpenAiStream, IsNotFinishedAnywhereBeforeItsEnd) {
  // Finish reason and usage are both there from here on, so nothing can follow.
  const std::size_t complete = kText.find("data: [DONE]");
  for (std::size_t length = 0; length < complete; ++length) {
    OpenAiStream stream;
    feed(stream, {kText.substr(0, length)});
    ASSERT_FALSE(stream.finished()) << length;
  }
}

TEST(OpenAiStream, PutsToolCallsTogetherByTheirIndex) {
  constexpr std::string_view bytes =
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\","
      "\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]}}]}\n\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}"
      "}]}}]}\n\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"time\","
      "\"arguments\":\"{}\"}}]}}]}\n\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Ulm\\\"}\"}}]"
      "}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
      "data: [DONE]\n\n";
  for_every_chunking(bytes, [&](const auto& chunks) {
    OpenAiStream stream;
    feed(stream, chunks);
    const auto reply = stream.reply();
    ASSERT_EQ(reply->message.tool_calls,
              (std::vector<ToolCall>{{"a", "weather", json(R"({"city":"Ulm"})"), ""},
                                     {"b", "time", json("{}"), ""}}));
    ASSERT_EQ(reply->finish, FinishReason::tool_calls);
  });
}

ChatReply reply_of(std::initializer_list<std::string_view> events) {
  OpenAiStream stream;
  for (const auto data : events) stream.take({"message", std::string(data)});
  stream.take({"message", "[DONE]"});
  return stream.reply().value();
}

TEST(OpenAiStream, TellsCallsApartThatServersNumberBadly) {
  // The same index for both.
  EXPECT_EQ(
      reply_of(
          {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\":"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"2}"}}]}}]})"})
          .message.tool_calls,
      (std::vector<ToolCall>{{"a", "f", json(R"({"x":1})"), ""}, {"b", "g", json(R"({"y":2})"), ""}}));
  // No index at all.
  EXPECT_EQ(
      reply_of(
          {R"({"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{\"y\""}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":2}"}}]}}]})"})
          .message.tool_calls,
      (std::vector<ToolCall>{{"a", "f", json("{}"), ""}, {"b", "g", json(R"({"y":2})"), ""}}));
}

TEST(OpenAiStream, CollectsARefusal) {
  const ChatReply reply = reply_of({R"({"choices":[{"delta":{"refusal":"I can"}}]})",
                                    R"({"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]})"});
  EXPECT_EQ(reply.refusal, "I cannot.");
  EXPECT_EQ(reply.finish, FinishReason::refusal);
}

TEST(OpenAiStream, KeepsAnErrorEventApart) {
  for (const std::string_view data :
       {R"({"error":{"message":"The server had an error","type":"server_error"}})",
        R"({"error":"overloaded"})"}) {
    OpenAiStream stream;
    stream.take({"message", R"({"choices":[{"delta":{"content":"Hal"}}]})"});
    stream.take({"message", std::string(data)});
    stream.take({"message", "[DONE]"});
    ASSERT_TRUE(stream.error().has_value()) << data;
    EXPECT_EQ(to_text(*stream.error()), data);
  }
}

TEST(OpenAiStream, NamesAnEventThatIsNotJson) {
  OpenAiStream stream;
  stream.take({"message", R"({"choices":[{"del)"});
  EXPECT_EQ(stream.broken(), R"({"choices":[{"del)");
}

TEST(OpenAiStream, WithoutChoicesIsNoReply) {
  OpenAiStream stream;
  stream.take({"message", R"({"choices":null,"usage":{"prompt_tokens":1}})"});
  stream.take({"message", "[DONE]"});
  EXPECT_TRUE(stream.finished());
  EXPECT_FALSE(stream.reply().has_value());
}

TEST(OpenAiStream, HoldsABoundedNumberOfCalls) {
  OpenAiStream stream;
  for (int i = 0; i < 3000; ++i) {
    stream.take({"message", R"({"choices":[{"delta":{"tool_calls":[{"index":)" +
                                std::to_string(i * 1'000'003LL) +
                                R"(,"id":"x","function":{"name":"f"}}]}}]})"});
  }
  stream.take({"message", "[DONE]"});
  EXPECT_EQ(stream.reply()->message.tool_calls.size(), 1024U);
}

}  // namespace
}  // namespace assay
