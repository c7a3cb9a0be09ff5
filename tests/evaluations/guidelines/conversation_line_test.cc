#include "evaluations/guidelines/conversation_line.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::guidelines {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Verdict verdict(const std::string& guideline, std::optional<bool> applied) {
  Verdict one;
  one.guideline = guideline;
  one.applied = applied;
  one.confidence = applied ? 1 : 0;
  if (!applied) one.undetermined = "the votes are tied";
  return one;
}

struct ConversationLineTest : testing::Test {
  Case input{.line = 1, .id = "c1"};
  Conversation conversation;
  ResultLine line;

  ConversationLineTest() {
    for (const char* id : {"greet", "price", "thank"}) {
      Guideline guideline;
      guideline.id = id;
      guideline.action = "do it";
      guideline.continuous = guideline.id == "thank";
      conversation.guidelines.push_back(guideline);
    }
    conversation.expected = {{"greet", true}, {"price", true}};
  }

  std::string write(Outcome outcome) {
    const FinishedCase finished{std::move(outcome), JsonObject{}, 5};
    line.begin(&finished);
    conversation_line(input, finished.outcome, conversation, {.continuous = true}, line);
    return std::string(line.whole(input, &finished));
  }
  std::optional<double> score(std::string_view name) const {
    for (const Score& one : line.scores()) {
      if (one.figure == name) return one.value;
    }
    return std::nullopt;
  }
  std::vector<std::pair<double, std::string>> notable() {
    std::vector<std::pair<double, std::string>> found;
    for (const auto& [goodness, shown] : line.notable()) found.emplace_back(goodness, shown.why);
    return found;
  }
};

TEST_F(ConversationLineTest, ScoresWhatWasJudgedAndShowsWhatWasExpectedOtherwise) {
  const std::string written =
      write({OutcomeKind::scored, outcome_json({verdict("greet", true), verdict("price", false)}), ""});
  EXPECT_THAT(written, HasSubstr(R"("guideline":"price","applied":false,"votes":[],)"));
  EXPECT_THAT(written, HasSubstr(R"("expected":true}],"scores":{"applied_rate_per_conversation":0.5,)"));
  EXPECT_THAT(written, HasSubstr(R"("parts":{"applied_rate":{"greet":1,"price":0}})")) << "not those skipped";
  EXPECT_EQ(score("accuracy_per_conversation"), 0.5);
  EXPECT_EQ(score("exact_set_rate"), 0);
  EXPECT_THAT(notable(), ElementsAre(std::pair(0.0, "price: not applied instead of applied")));
  EXPECT_EQ(line.rows(), "c1,greet,,true,true,1,,,,\r\nc1,price,,false,true,1,,,,\r\n");
}

TEST_F(ConversationLineTest, WhatTheAgentLeftOutIsWorthALookByHowMuchDependsOnIt) {
  conversation.expected.clear();
  conversation.guidelines[1].criticality = Criticality::high;
  conversation.events.push_back(JsonObject{
      {"event_kind", "message"}, {"event_source", "ai_agent"}, {"data", JsonObject{{"message", "Eight."}}}});
  Verdict partly = verdict("price", false);
  partly.degree = "partially";
  partly.missing = "functional";
  partly.missing_rationale = "no currency";
  partly.segments = {{"SAY the price", 0, "SAID eight"}};
  write({OutcomeKind::scored, outcome_json({verdict("greet", false), partly}), ""});
  EXPECT_THAT(notable(),
              ElementsAre(std::pair(2.0, "greet: not applied"), std::pair(1.5, "price: not applied")));
  const auto& fields = line.notable()[1].second.fields;
  EXPECT_THAT(fields,
              testing::Contains(testing::Pair("message 0", "SAY the price: SAID eight\nai_agent: Eight.")));
  EXPECT_THAT(fields, testing::Contains(testing::Pair("missing part", "functional: no currency")));
}

TEST_F(ConversationLineTest, AnUndeterminedGuidelineLeavesTheExactSetOpen) {
  write({OutcomeKind::judge_failed, outcome_json({verdict("greet", true), verdict("price", std::nullopt)}),
         "guideline price is undetermined"});
  ASSERT_EQ(line.parts().list.size(), 2U);
  EXPECT_EQ(line.parts().list[1].value, std::nullopt);
  EXPECT_EQ(line.parts().list[1].missing, "undetermined");
  EXPECT_EQ(line.facts<ConversationFacts>().exact, ExactSet::open);
  EXPECT_EQ(score("exact_set_rate"), std::nullopt);
  EXPECT_EQ(score("accuracy_per_conversation"), 1);
  EXPECT_THAT(notable(), ElementsAre(std::pair(-1.0, "price: undetermined")));
}

TEST_F(ConversationLineTest, ACaseThatNeverCameToItsVerdictsLacksAllButTheSkippedOnes) {
  const std::string written = write({OutcomeKind::infra_failed, {}, "connection refused"});
  EXPECT_THAT(written, HasSubstr(R"({"guideline":"thank","skipped":"continuous"})"));
  EXPECT_THAT(notable(),
              ElementsAre(std::pair(-1.0, "greet: undetermined"), std::pair(-1.0, "price: undetermined")));
  EXPECT_EQ(score("applied_rate_per_conversation"), std::nullopt);
}

}  // namespace
}  // namespace assay::guidelines
