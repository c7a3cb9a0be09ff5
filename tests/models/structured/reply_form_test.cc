#include "models/structured/reply_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTool = "give_verdict";

ChatReply calls(Json arguments, FinishReason finish = FinishReason::tool_calls) {
  ChatReply reply;
  reply.message = {.role = Role::assistant,
                   .tool_calls = {{.id = "call_1", .name = kTool, .arguments = std::move(arguments)}}};
  reply.finish = finish;
  return reply;
}

AnswerReading read(const ChatReply& reply) {
  return read_answer(ReplyForm::tool_call, reply, kTool, {});
}

ChatRequest forcing() {
  ChatRequest request;
  request.messages.push_back({.role = Role::user, .text = "Judge it."});
  request.tool_choice = {ToolChoice::Mode::named, kTool};
  return request;
}

TEST(ReplyForm, TheArgumentsOfTheOneCallAreTheAnswer) {
  EXPECT_EQ(read(calls(json(R"({"score":4})"))).value, json(R"({"score":4})"));
  ChatReply loose = calls(Json());
  loose.message.tool_calls[0].arguments_text = "{\"score\": 4,}";
  const AnswerReading lenient = read(loose);
  EXPECT_EQ(lenient.value, json(R"({"score":4})"));
  EXPECT_FALSE(lenient.forgiven.empty());
  EXPECT_EQ(written_answer(ReplyForm::tool_call, loose), "{\"score\": 4,}");
}

TEST(ReplyForm, WhatIsNoCallOfTheToolIsNamedInWords) {
  ChatReply silent;
  silent.message.text = "Four.";
  EXPECT_THAT(read(silent).defects, ElementsAre("the tool give_verdict was not called"));
  ChatReply twice = calls(json("{}"));
  twice.message.tool_calls.push_back(twice.message.tool_calls[0]);
  EXPECT_THAT(read(twice).defects, ElementsAre("give_verdict was called 2 times; call it once"));
  ChatReply other = calls(json("{}"));
  other.message.tool_calls[0].name = "search";
  EXPECT_THAT(read(other).defects, ElementsAre("the tool \"search\" was called instead of give_verdict"));
  EXPECT_THAT(read(calls(json("{}"), FinishReason::length)).defects, ElementsAre(HasSubstr("cut off")));
  EXPECT_THAT(read(calls(Json())).defects, ElementsAre(HasSubstr("had no arguments")));
}

TEST(ReplyForm, ACallIsAnsweredAsACallAndAnythingElseIsQuoted) {
  const ChatRequest again = ask_again(ReplyForm::tool_call, forcing(), calls(json("{}")), {"no score"});
  ASSERT_EQ(again.messages.size(), 3U);
  EXPECT_EQ(again.messages[1].tool_calls.size(), 1U);
  EXPECT_EQ(again.messages[2].role, Role::tool);
  EXPECT_EQ(again.messages[2].tool_call_id, "call_1");
  EXPECT_TRUE(again.messages[2].is_error);
  EXPECT_THAT(again.messages[2].text, HasSubstr("- no score\nCall give_verdict again"));

  ChatReply silent;
  silent.message.text = "Four.";
  const ChatRequest quoted = ask_again(ReplyForm::tool_call, forcing(), silent, {"not called"});
  ASSERT_EQ(quoted.messages.size(), 3U);
  EXPECT_EQ(quoted.messages[1], (Message{.role = Role::assistant, .text = "Four."}));
  EXPECT_EQ(quoted.messages[2].role, Role::user);
}

TEST(ReplyForm, OfTextOnlyTheLatestAnswerIsGivenBack) {
  ChatReply wrong;
  wrong.message.text = "{}";
  ChatRequest request;
  request.messages.push_back({.role = Role::user, .text = "Judge it."});
  const ChatRequest again = ask_again(ReplyForm::text, request, wrong, {"/score: missing"});
  ASSERT_EQ(again.messages.size(), 3U);
  EXPECT_THAT(again.messages[2].text, HasSubstr("- /score: missing\nGive the whole answer again"));
  EXPECT_THAT(again.tools, IsEmpty());
}

}  // namespace
}  // namespace assay
