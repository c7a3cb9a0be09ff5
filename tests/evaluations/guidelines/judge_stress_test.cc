#include "evaluations/guidelines/judge_stress.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay::guidelines {
namespace {

Case conversation_case(const std::string& events, const std::string& guidelines) {
  Case input;
  input.id = "c1";
  input.payload =
      fmt::format(R"({{"id": "c1", "note": 1, "messages": [{}], "guidelines": [{}]}})", events, guidelines);
  return input;
}

Conversation read(const Case& input) {
  std::vector<std::string> problems;
  return read_conversation(*CaseTree(input), {}, {}, problems);
}

constexpr const char* kSaid =
    R"({"role": "user", "content": "What is a permit?"},
       {"role": "assistant", "content": "The permit costs 28 pounds. Bring a photo."},
       {"role": "user", "content": "Fine."},
       {"role": "assistant", "content": "See you soon. Take the tram. Good luck."})";
constexpr const char* kPrice = R"({"id": "p", "action": "Say that the permit costs 28 pounds"})";

TEST(StressOfGuidelines, ChangesTheMessageThatCarriesOutAGuideline) {
  const auto stressing = judge_stressing(read, 0.1);
  const Case input = conversation_case(kSaid, kPrice);
  const auto texts = stressing->texts(input);
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->answer, "The permit costs 28 pounds. Bring a photo.");
  EXPECT_FALSE(texts->reference.empty());
  const auto written = stressing->written(input, "c1~x", {.answer = "Changed."});
  Case changed;
  changed.payload = to_text(written.line);
  const Conversation before = read(input);
  const Conversation after = read(changed);
  EXPECT_EQ(after.id, "c1~x");
  ASSERT_EQ(after.events.size(), 4U);
  for (const std::size_t i : {0, 2, 3}) EXPECT_EQ(after.events[i], before.events[i]);
  EXPECT_EQ(text_at(*find_member(after.events[1], "data"), "message"), "Changed.");
  EXPECT_EQ(after.guidelines.size(), 1U);
  EXPECT_FALSE(written.line.contains("messages"));
  EXPECT_TRUE(written.line.contains("note"));
}

TEST(StressOfGuidelines, ClaimsNoFaultThatNeedNotCostAnything) {
  const auto stressing = judge_stressing(read, 0.1);
  // Nothing that was demanded is said by one sentence: the longest message is dressed, and no more.
  const auto open = stressing->texts(conversation_case(kSaid, R"({"id": "p", "action": "Name the price"})"));
  ASSERT_TRUE(open);
  EXPECT_EQ(open->answer, "See you soon. Take the tram. Good luck.");
  EXPECT_EQ(open->reference, "");
  // One guideline of ten is a tenth of the score, which is no more than what counts as a move.
  std::string ten = kPrice;
  for (int i = 0; i < 9; ++i) ten += fmt::format(R"(, {{"id": "g{}", "action": "Ask for the number"}})", i);
  EXPECT_EQ(stressing->texts(conversation_case(kSaid, ten))->reference, "");
  EXPECT_NE(judge_stressing(read, 0.05)->texts(conversation_case(kSaid, ten))->reference, "");
}

TEST(StressOfGuidelines, LeavesOutWhatAGuidelineAsksForAndWhatHasNoMessage) {
  const auto stressing = judge_stressing(read, 0.1);
  const Case thanks = conversation_case(kSaid, R"({"id": "t", "action": "Thank the customer"})");
  EXPECT_FALSE(stressing->tries(thanks, *stress::find_change("padding")));
  EXPECT_TRUE(stressing->tries(thanks, *stress::find_change("authority")));
  const Case limit = conversation_case(kSaid, R"({"id": "n", "action": "Never mention other companies"})");
  EXPECT_FALSE(stressing->tries(limit, *stress::find_change("padding")));
  EXPECT_TRUE(stressing->tries(limit, *stress::find_change("bullets")));
  // That a specialist has checked it is not true.
  const Case truth = conversation_case(kSaid, R"({"id": "f", "action": "Say what is factually correct"})");
  EXPECT_FALSE(stressing->tries(truth, *stress::find_change("authority")));
  EXPECT_TRUE(stressing->tries(truth, *stress::find_change("bullets")));
  // What explains an action is part of it.
  const Case explained =
      conversation_case(kSaid, R"({"id": "t", "action": "Close well", "description": "Thank the customer"})");
  EXPECT_FALSE(stressing->tries(explained, *stress::find_change("padding")));
  EXPECT_EQ(
      stressing
          ->texts(conversation_case(kSaid, R"({"id": "p", "action": "Say that the permit costs 28 pounds",
                                                    "description": "Or that it is free"})"))
          ->reference,
      "");
  EXPECT_FALSE(stressing->texts(conversation_case(R"({"role": "user", "content": "Hello?"})", kPrice)));
}

}  // namespace
}  // namespace assay::guidelines
