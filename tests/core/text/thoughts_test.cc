#include "core/text/thoughts.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct Parted {
  std::string text;
  std::string thoughts;
  bool operator==(const Parted&) const = default;
};

Parted parted(std::string_view text) {
  PartedThoughts found = part_thoughts(text);
  return {std::move(found.text), std::move(found.thoughts)};
}

TEST(Thoughts, AreTakenOutOfTheAnswer) {
  EXPECT_EQ(parted("<think>\nIs it {\"a\": 1}?\n</think>\n\n{\"a\":2}"),
            (Parted{"{\"a\":2}", "Is it {\"a\": 1}?"}));
  EXPECT_EQ(parted("[THINK]hm[/THINK]Yes."), (Parted{"Yes.", "hm"}));
  EXPECT_EQ(parted("Well.\n<think>one</think>\n<think>two</think>\nYes."),
            (Parted{"Well.\n\nYes.", "one\n\ntwo"}));
}

TEST(Thoughts, WhoseBeginningStoodInThePromptEndAtALineOfTheirOwn) {
  EXPECT_EQ(parted("I weigh it.\n</think>\n\nYes."), (Parted{"Yes.", "I weigh it."}));
}

TEST(Thoughts, WhoseBeginningStoodInThePromptMayEndInALine) {
  EXPECT_EQ(parted("SECRET ponder.</think>\nFinal"), (Parted{"Final", "SECRET ponder."}));
  EXPECT_EQ(parted("SECRET\n</think> Final"), (Parted{"Final", "SECRET"}));
  EXPECT_EQ(parted("SECRET ponder.</think>Final"), (Parted{"Final", "SECRET ponder."}));
  EXPECT_EQ(parted("我想。</think>Final"), (Parted{"Final", "我想。"}));
  // The fence that the thoughts broke off in quotes nothing.
  EXPECT_EQ(parted("I try\n```py\nSECRET\n</think>\nFinal"), (Parted{"Final", "I try\n```py\nSECRET"}));
}

TEST(Thoughts, MayStandInTheMidstOfALine) {
  EXPECT_EQ(parted("Sure. <think>SECRET</think> Final."), (Parted{"Sure. Final.", "SECRET"}));
  EXPECT_EQ(parted("Sure. <think>one\ntwo</think>\nFinal."), (Parted{"Sure.\n\nFinal.", "one\ntwo"}));
  EXPECT_EQ(parted("<think>I quote `</think>` here.</think>Final"),
            (Parted{"Final", "I quote `\n\n` here."}));
}

TEST(Thoughts, AreMarkedInAnyCase) {
  EXPECT_EQ(parted("<Think>SECRET</THINK>Final"), (Parted{"Final", "SECRET"}));
  EXPECT_EQ(parted("[think]SECRET[/Think] Final"), (Parted{"Final", "SECRET"}));
}

TEST(Thoughts, ThatWereCutOffLeaveNoAnswer) {
  EXPECT_EQ(parted("<think>I weigh it and"), (Parted{"", "I weigh it and"}));
  EXPECT_EQ(parted("Sure.\n<think>I weigh it and"), (Parted{"Sure.", "I weigh it and"}));
}

TEST(Thoughts, AreNotWhatAnAnswerSaysAboutThem) {
  for (const std::string text :
       {"Models write <think> before they answer.", "It ends with </think>, always.", "Plain.", "",
        "```\n<think>\nx\n</think>\n```\nThat is how.", "It writes `<think>x</think>` around them.",
        "Between `<think>` and `</think>`.", "Look at ``a ` <think>b</think>`` only.",
        "`</think>` ends them.", "They end with \"</think>\", he says.", "They end with “</think>”, he says.",
        R"({"a":"<think>x</think> y","b":["</think>"]})"}) {
    EXPECT_EQ(parted(text), (Parted{text, ""}));
  }
}

}  // namespace
}  // namespace assay
