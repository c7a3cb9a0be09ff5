#include "evaluations/stress/demands.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::stress {
namespace {

using Texts = std::vector<std::string>;
using testing::HasSubstr;
using testing::Not;

const Texts kRefund{"Say that we refund the purchase within 14 days"};
const std::string kSaid =
    "Sorry to hear that. We refund the purchase within 14 days of order 4711. Anything else?";

bool carried(const Texts& demands, const Texts& texts, const std::string& done = "") {
  return carried_alone(demands, texts, done).has_value();
}

TEST(Demands, OneSentenceCarriesADemandAlone) {
  const auto carried = carried_alone(kRefund, Texts{"Hello!", kSaid}, "");
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->text, 1U);
  // A fault is planted in what is demanded: the days, not the order.
  const JudgedTexts texts{.answer = kSaid, .reference = carried->reference};
  EXPECT_THAT(carried->reference, Not(HasSubstr("4711")));
  for (int i = 0; i < 20; ++i) {
    const auto wrong = with_wrong_figure(texts, Random::keyed("test", i));
    ASSERT_TRUE(wrong);
    EXPECT_THAT(wrong->answer, testing::AllOf(HasSubstr("order 4711"), Not(HasSubstr("14 days"))));
    EXPECT_EQ(with_sentence_left_out(texts, Random::keyed("test", i))->answer,
              "Sorry to hear that. Anything else?");
  }
}

TEST(Demands, AreNotCarriedAloneWhereSomethingElseMeetsThem) {
  EXPECT_TRUE(carried(kRefund, {kSaid}));
  EXPECT_FALSE(carried(kRefund, {kSaid, "As I said, the purchase is refunded: we refund within days."}));
  EXPECT_FALSE(carried(kRefund, {kSaid, "It takes 14 days, then."}));
  EXPECT_FALSE(carried(kRefund, {kSaid}, R"({"tool_id": "refund", "arguments": {"days": 14}})"));
  EXPECT_FALSE(carried(kRefund, {"We refund it."}));
  EXPECT_FALSE(carried(kRefund, {"We refund the purchase within 30 days."}));
}

TEST(Demands, ThatCanBeMetOtherwiseClaimNothing) {
  for (const char* demand : {"Say that we refund the purchase within at least 14 days",
                             "Never say that we refund the purchase in days",
                             "Say that we refund the purchase within 14 days or exchange it",
                             "Say sorry, and that we refund the purchase within 14 days", "Name the day"})
    EXPECT_FALSE(carried({demand}, {kSaid})) << demand;
}

TEST(Demands, AreAboutWhatSomeChangesDo) {
  const auto demanded = [](const char* change, const char* demand) {
    return is_demanded(*find_change(change), Texts{"Name the price of the tube", demand});
  };
  EXPECT_TRUE(demanded("padding", "Thank the customer for the call"));
  EXPECT_TRUE(demanded("padding", "Is short"));
  EXPECT_TRUE(demanded("bullets", "Is one paragraph"));
  EXPECT_TRUE(demanded("authority", "Introduce yourself"));
  EXPECT_FALSE(demanded("authority", "Thank the customer for the call"));
  EXPECT_FALSE(demanded("padding", "Introduce yourself"));
  EXPECT_FALSE(demanded("figure", "Is short"));
}

std::vector<std::string_view> tried(const char* demand) {
  std::vector<std::string_view> tried;
  for (const Change& change : changes()) {
    if (change.matter == Matter::must_not && change.part == Part::answer &&
        !is_demanded(change, Texts{"Name the price of the tube", demand}))
      tried.push_back(change.name);
  }
  return tried;
}

TEST(Demands, OnFormAndExtentAllowNothingToBeAddedAndNoOtherLayout) {
  for (const char* demand :
       {"Answer in one paragraph", "Answer in at most two sentences", "The reply has at most 20 words",
        "Keep the reply under twenty words", "Put everything on one line",
        "Begin the message with the case number", "End every reply with the signature of the office",
        "Say nothing but the price", "Reply in German only", "State only what the list says",
        "The query is valid SQL", "The program runs without errors",
        "Use letters and digits but no symbols such as # or *"})
    EXPECT_THAT(tried(demand), testing::IsEmpty()) << demand;
}

TEST(Demands, ThatLimitWhatIsSaidAllowNothingToBeAdded) {
  for (const char* demand : {"Never mention other companies", "Do not invite further contact",
                             "Don’t ask the citizen to write again", "Make no claims about yourself",
                             "Is relevant", "Keeps to the point", "Can't be misread"})
    EXPECT_THAT(tried(demand), testing::ElementsAre("bullets")) << demand;
  EXPECT_THAT(tried("Contains nothing that was not asked for"), testing::IsEmpty());
  // "no" and "form" are words, not parts of "notes" and "information".
  EXPECT_EQ(tried("Take notes of the information on the postcode").size(), 6U);
}

TEST(Demands, OnTheTruthOfTheWholeAreKnown) {
  for (const char* demand : {"Is factually accurate", "The answer is correct", "Makes no false claims"})
    EXPECT_TRUE(asks_for_truth(Texts{"Names the price", demand})) << demand;
  EXPECT_FALSE(asks_for_truth(Texts{"Says that we refund the purchase"}));
}

TEST(Demands, LeaveFiguresOpenThatAreExamplesOrRough) {
  for (const auto& [demand, answer] :
       {std::pair{"Name the price of a ticket, for example 30 pounds",
                  "The price of a ticket is 30 pounds. Bring a photograph."},
        {"Say that repairs take about 14 working days",
         "The repairs take about 14 working days. Bring a photograph."},
        {"Ask for a paper that proves residence, e.g. form 12",
         "Send a paper that proves residence, e.g. form 12. Bring a photograph."},
        {"Mention roughly 40 minutes waiting time", "The waiting time is 40 minutes. Bring a photograph."},
        {"Ask which of the 3 permits the citizen wants",
         "Say which of the 3 permits the citizen wants. Bring a photograph."}}) {
    const auto carried = carried_alone(Texts{demand}, Texts{answer}, "");
    ASSERT_TRUE(carried) << demand;
    const JudgedTexts texts{.answer = answer, .reference = carried->reference};
    EXPECT_FALSE(with_wrong_figure(texts, Random::keyed("test"))) << demand;
    // The sentence itself must be there all the same.
    EXPECT_EQ(with_sentence_left_out(texts, Random::keyed("test"))->answer, "Bring a photograph.") << demand;
  }
}

TEST(Demands, AreNotCarriedAloneWhereTheFigureIsSaidInWords) {
  EXPECT_FALSE(carried(kRefund, {kSaid, "It is fourteen of them."}));
  EXPECT_FALSE(carried(kRefund, {kSaid}, R"({"days": "fourteen"})"));
  EXPECT_TRUE(carried(kRefund, {kSaid, "It is forty of them."}));
}

}  // namespace
}  // namespace assay::stress
