#include "evaluations/stress/changes.h"

#include <set>
#include <string>

#include <boost/json/array.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "evaluations/stress/code_text.h"
#include "evaluations/stress/text_parts.h"
#include "evaluations/stress/told_figures.h"

namespace assay::stress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Random any() {
  return Random::keyed("test");
}

const JudgedTexts kAppeal{
    .answer = "The term of an appeal is 28 days. It costs 1,200 pounds. Send form A1 to the office.",
    .contexts = {"The term of an appeal is 28 days.", "The fee is 1,200 pounds."},
    .reference = "The term of an appeal is 28 days; it costs 1,200 pounds.",
    .sources = "The term of an appeal is 28 days.\nThe fee is 1,200 pounds."};

TEST(Sentences, StandWithoutMarksAndHeadings) {
  EXPECT_THAT(
      sentences_of(
          "## Answer\n\nApply to Dr. Smith, e.g. by post. It costs 3.50!\nYou need:\n- a photo\n2. a card"),
      ElementsAre("Apply to Dr. Smith, e.g. by post.", "It costs 3.50!", "a photo", "a card"));
  EXPECT_THAT(sentences_of(""), IsEmpty());
}

TEST(Figures, AreNoPartsOfWordsAndNoNumbersOfItems) {
  EXPECT_THAT(figures_of("1. Pay £12 or 1,200.50 within 28 days\n2) form A1, rag-01, x_2"),
              ElementsAre("12", "1,200.50", "28"));
}

TEST(Changes, AreNamedOnceAndSaySomething) {
  std::set<std::string_view> names;
  for (const Change& change : changes()) {
    EXPECT_TRUE(names.insert(change.name).second) << change.name;
    EXPECT_FALSE(change.what.empty() || change.does.empty()) << change.name;
    EXPECT_EQ(change.matter == Matter::must_not, !change.raised.empty() && !change.lowered.empty())
        << change.name;
    ASSERT_NE(change.apply, nullptr);
    EXPECT_EQ(find_change(change.name), &change);
    // The same case and seed, the same change.
    const auto once = change.apply(kAppeal, any());
    const auto again = change.apply(kAppeal, any());
    ASSERT_TRUE(once) << change.name;
    EXPECT_EQ(once->answer, again->answer);
    EXPECT_TRUE(once->answer != kAppeal.answer || once->contexts != kAppeal.contexts) << change.name;
  }
  EXPECT_EQ(find_change("unknown"), nullptr);
}

TEST(Changes, ThatMustNotMatterKeepEverySentence) {
  for (const Change& change : changes()) {
    if (change.matter == Matter::must) continue;
    const auto changed = change.apply(kAppeal, any());
    ASSERT_TRUE(changed);
    for (const std::string_view sentence : sentences_of(kAppeal.answer))
      EXPECT_THAT(changed->answer, HasSubstr(std::string(sentence))) << change.name;
    EXPECT_GE(changed->contexts.size(), kAppeal.contexts.size());
  }
}

TEST(Changes, OfNothingAreNone) {
  const JudgedTexts bare{.answer = "Yes"};
  for (const auto apply : {as_bullets, with_order_in_context, with_contexts_turned, with_wrong_figure,
                           with_negation, with_invented_source, with_sentence_left_out})
    EXPECT_FALSE(apply(bare, any()));
  // What is a list already is not made one.
  EXPECT_FALSE(as_bullets({.answer = "- a photo\n- a card"}, any()));
}

TEST(Changes, TakeAnyTextAndGiveWholeCharacters) {
  constexpr std::string_view kPieces[] = {"is not ", "12",    ".5", ",",     ". ", "\n",   "- ",
                                          "3. ",     "## ",   "£",  "ß",     "„",  "can ", "A1",
                                          "?",       "e.g. ", " ",  "word ", "•",  "漢字", "'"};
  Random random = Random::keyed("any text");
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(12); i > 0; --i) text += kPieces[random.below(std::size(kPieces))];
    const JudgedTexts texts{.answer = text, .contexts = {text, "b"}, .reference = text, .sources = text};
    for (const Change& change : changes()) {
      const auto changed = change.apply(texts, random);
      if (!changed) continue;
      EXPECT_TRUE(valid_utf8(changed->answer)) << change.name << ": " << text;
      EXPECT_TRUE(changed->answer != text || changed->contexts != texts.contexts)
          << change.name << ": " << text;
    }
  }
}

TEST(Dress, IsPutOnNoCodeAndNoData) {
  for (const char* code :
       {"def f(x):\n    return x + 28\nprint(f(3))", "SELECT name, price FROM permits WHERE price < 28",
        R"({"price": 28, "what": "It is a permit. It is good."})", R"(["It is good."])",
        "Use this. It is short.\n```\nls\n```", "total = 28", "print(28)", "price: 28\nname: permit",
        "<p>It is good. It is short.</p>", "int f() { return 28; }", "#!/bin/sh\nls"}) {
    EXPECT_TRUE(looks_like_code(code)) << code;
    for (const Change& change : changes()) {
      if (change.matter == Matter::must_not && change.part == Part::answer)
        EXPECT_FALSE(change.apply({.answer = code}, any())) << change.name << ": " << code;
    }
  }
  for (const char* prose : {"28", "The permit costs 28 pounds (two photos). It's from the office: go there.",
                            "Dear Ms Lee,\n\nNote: bring form(s) A1.\n- a photo\n- a card", "[1] says so."})
    EXPECT_FALSE(looks_like_code(prose)) << prose;
}

TEST(Bullets, HaveTheSameSentences) {
  EXPECT_EQ(as_bullets(kAppeal, any())->answer,
            "- The term of an appeal is 28 days.\n- It costs 1,200 pounds.\n- Send form A1 to the office.");
}

TEST(WrongFigure, IsPlantedWhereTheReferenceOrAContextHasIt) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto changed = with_wrong_figure(kAppeal, Random::keyed("figure", i));
    ASSERT_TRUE(changed);
    EXPECT_TRUE(changed->grounds.reference && changed->grounds.contexts);
    const auto figures = figures_of(changed->answer);
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_EQ((figures[0] != "28") + (figures[1] != "1,200"), 1) << changed->answer;
    EXPECT_EQ(figures[1].size(), 5U);
    EXPECT_THAT(changed->answer, HasSubstr("form A1"));
  }
  EXPECT_FALSE(with_wrong_figure({.answer = "It takes 3 weeks.", .reference = "Soon."}, any()));
}

TEST(WrongFigure, IsWrongEverywhereInTheAnswer) {
  const auto changed =
      with_wrong_figure({.answer = "28 days. I mean 28 days, not 280.", .reference = "28 days"}, any());
  ASSERT_TRUE(changed);
  EXPECT_THAT(figures_of(changed->answer), Not(testing::Contains("28")));
  EXPECT_THAT(changed->answer, HasSubstr("280"));
}

TEST(WrongFigure, OfAYearStaysAYear) {
  const auto changed = with_wrong_figure({.answer = "It was built in 1954.", .reference = "1954"}, any());
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->answer, testing::MatchesRegex("It was built in 19[0-9]4\\."));
  EXPECT_THAT(changed->answer, Not(HasSubstr("1954")));
}

TEST(WrongFigure, IsNotPlantedWhereTheRightOneStays) {
  const auto planted = [](const char* answer, const char* elsewhere = "") {
    return with_wrong_figure({.answer = answer, .reference = "28 pounds", .elsewhere = elsewhere}, any())
        .has_value();
  };
  EXPECT_TRUE(planted("It costs 28 pounds.", R"({"price": 280, "in": "thirty-eight"})"));
  EXPECT_FALSE(planted("It costs 28 pounds. That makes twenty-eight in all."));
  EXPECT_FALSE(planted("It costs 28 pounds.", R"({"price": 28})"));
  EXPECT_FALSE(planted("It costs 28 pounds.", R"({"price": "Twenty eight"})"));
  EXPECT_FALSE(planted("It costs about 28 pounds."));
  EXPECT_TRUE(tells_figure("a hundred and five thousand", "105,000"));
  EXPECT_TRUE(tells_figure("1500 in all", "1,500"));
}

TEST(Negation, IsNotPlantedWhereBothMayHold) {
  for (const char* said : {"The clerk checks whether the form is complete.", "It may rain tomorrow in Ulm.",
                           "The repair may take a week and is free.", "The form is complete if it is signed.",
                           "The form could be complete and is here.",
                           "Is the form complete? It is, says Ulm?", "The office is not only open on Monday.",
                           "Some forms are complete.", "Residents who are exempt pay at the desk."})
    EXPECT_FALSE(with_negation({.answer = said, .reference = said}, any())) << said;
}

TEST(Negation, TurnsASentenceThatIsBorneOut) {
  const auto changed = with_negation(kAppeal, any());
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->answer, HasSubstr("The term of an appeal is not 28 days."));
  EXPECT_TRUE(changed->grounds.reference);
  const auto taken =
      with_negation({.answer = "Cards are not taken here.", .reference = "Cards are not taken."}, any());
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->answer, "Cards are taken here.");
  // Nothing says anything of it: nobody could notice.
  EXPECT_FALSE(with_negation({.answer = "Dogs are welcome.", .reference = "It costs 12 pounds."}, any()));
}

TEST(LeftOut, IsTheSentenceThatTheReferenceBearsOut) {
  const auto changed =
      with_sentence_left_out({.answer = "Thanks for asking. The licence costs twelve pounds.",
                              .reference = "The licence costs twelve pounds."},
                             any());
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->answer, "Thanks for asking.");
  const auto item = with_sentence_left_out(
      {.answer = "You need:\n- a recent photo\n- a payment card", .reference = "payment card"}, any());
  ASSERT_TRUE(item);
  EXPECT_EQ(item->answer, "You need:\n- a recent photo");
}

TEST(InventedSource, IsOneThatTheGroundsDoNotHave) {
  const auto changed = with_invented_source(kAppeal, any());
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->answer, testing::StartsWith(kAppeal.answer));
  EXPECT_TRUE(changed->grounds.contexts);
  EXPECT_LT(share_told(changed->answer.substr(kAppeal.answer.size()), telling_words(kAppeal.sources)), 0.1);
}

}  // namespace
}  // namespace assay::stress
