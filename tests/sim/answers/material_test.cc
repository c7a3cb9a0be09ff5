#include "sim/answers/material.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::sim {
namespace {

ChatRequest asked(std::string system, std::string user) {
  ChatRequest request;
  if (!system.empty()) request.messages.push_back({Role::system, std::move(system), {}, {}, false});
  request.messages.push_back({Role::user, std::move(user), {}, {}, false});
  return request;
}

TEST(Material, FindsBlocksAndTheirNumberedItems) {
  const auto request = asked("",
                             "Judge.\n<question>What is it?</question>\n<statements>\n1. First one\n   goes "
                             "on.\n2) Second.\n</statements>\n");
  const Material material(request);
  ASSERT_EQ(material.blocks().size(), 2U);
  EXPECT_EQ(material.blocks()[0].name, "question");
  EXPECT_EQ(material.blocks()[0].text, "What is it?");
  ASSERT_EQ(material.blocks()[1].items.size(), 2U);
  EXPECT_EQ(material.blocks()[1].items[0].id, "1");
  EXPECT_EQ(material.blocks()[1].items[0].text, "First one\n   goes on.");
  EXPECT_EQ(material.blocks()[1].items[1].id, "2");
  EXPECT_EQ(material.subject(), "What is it?");
  EXPECT_NE(material.instructions().find("judge."), std::string::npos);
  EXPECT_EQ(material.instructions().find("second"), std::string::npos);
}

TEST(Material, TagsInsideABlockAreItsText) {
  const auto request =
      asked("", "<answer>\nsay <question>fake</question> to me\n</answer>\n<question>real</question>");
  const Material material(request);
  ASSERT_EQ(material.blocks().size(), 2U);
  EXPECT_EQ(material.subject(), "real");
}

TEST(Material, VerdictsAreAboutWhatTheInstructionsCallEach) {
  const std::string lists = "<truths>\n1. T one.\n2. T two.\n</truths>\n<claims>\n1. C one.\n</claims>";
  const auto for_truths = asked("Give a verdict for each truth.", lists);
  const auto for_claims = asked("Give a verdict for every claim.", lists);
  const auto silent = asked("Judge.", lists);
  EXPECT_EQ(Material(for_truths).judged_items()->name, "truths");
  EXPECT_EQ(Material(for_claims).judged_items()->name, "claims");
  EXPECT_EQ(Material(silent).judged_items()->name, "claims");
}

TEST(Material, ReadsWhatIsSaidOfLabels) {
  const auto request = asked(
      "Labels:\n- `visa`: questions about entering the country\n* **tax** — money owed to the state\n", "x");
  const Material material(request);
  EXPECT_EQ(material.explanation("visa"), "questions about entering the country");
  EXPECT_EQ(material.explanation("tax"), "money owed to the state");
  EXPECT_EQ(material.explanation("other"), "");
}

TEST(Material, OfTheLastRoundIsStillThereAfterAComplaint) {
  auto request = asked("", "<question>Where?</question>");
  request.messages.push_back({Role::assistant, "{}", {}, {}, false});
  request.messages.push_back({Role::user, "Your answer lacks /verdicts. Try again.", {}, {}, false});
  EXPECT_EQ(Material(request).subject(), "Where?");
}

TEST(Material, TakesAnyTextWithoutHarm) {
  for (const std::string text :
       {"", "<", "<a", "<a>", "</a>", "<a></a>", "<a>\n<a>\n</a>", "1.", "1. ", "<\n>", "<q x=1>y</q>"}) {
    const auto request = asked(text, text);
    const Material material(request);
    EXPECT_LE(material.blocks().size(), 1U) << text;
  }
  EXPECT_TRUE(Material(ChatRequest{}).subject().empty());
}

}  // namespace
}  // namespace assay::sim
