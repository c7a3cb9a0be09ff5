#include "models/structured/answer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

ChatReply says(std::string text) {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = std::move(text)};
  return reply;
}

ChatRequest judging() {
  ChatRequest request;
  request.messages.push_back({.role = Role::user, .text = "Judge it."});
  return request;
}

TEST(AnswerText, IsReadStrictlyThenLeniently) {
  EXPECT_EQ(read_answer(says(R"({"score":4})"), {}).value, json(R"({"score":4})"));
  const AnswerReading lenient = read_answer(says("Here: {\"score\": 4,}"), {});
  EXPECT_EQ(lenient.value, json(R"({"score":4})"));
  EXPECT_FALSE(lenient.forgiven.empty());
}

TEST(AnswerText, SaysWhatIsNoAnswerInWords) {
  EXPECT_THAT(read_answer(says("  "), {}).defects, ElementsAre("the answer was empty; it must be JSON"));
  EXPECT_THAT(read_answer(says("Four."), {}).defects, ElementsAre(HasSubstr("was not JSON")));
  ChatReply cut = says(R"({"score":)");
  cut.finish = FinishReason::length;
  EXPECT_THAT(read_answer(cut, {}).defects, ElementsAre(HasSubstr("cut off")));
}

TEST(AnswerText, OnlyTheLatestAnswerIsGivenBackAndTheCallerSaysWhatIsWantedAgain) {
  const ChatRequest again = ask_again(judging(), says("{}"), {"/score: missing"});
  ASSERT_EQ(again.messages.size(), 3U);
  EXPECT_EQ(again.messages[1], (Message{.role = Role::assistant, .text = "{}"}));
  EXPECT_THAT(again.messages[2].text, HasSubstr("- /score: missing\nGive the whole answer again"));
  EXPECT_THAT(again.tools, IsEmpty());
  EXPECT_THAT(ask_again(judging(), says("{}"), {"/score: missing"}, "Give the score only.").messages[2].text,
              EndsWith("- /score: missing\nGive the score only."));
}

}  // namespace
}  // namespace assay
