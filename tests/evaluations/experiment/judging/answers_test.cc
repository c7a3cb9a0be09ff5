#include "evaluations/experiment/judging/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/judging/answer_values.h"

namespace assay::experiment {
namespace {

std::string choice(std::string_view text) {
  const auto read = read_choice(text);
  return read ? read->value : "?";
}

TEST(AnswerValues, ChoicesAsModelsWriteThem) {
  for (const char* text : {"A",
                           "[A]",
                           "**A**",
                           "a",
                           "(A)",
                           "Response A",
                           "response a",
                           "**Response A**",
                           "[Response A]",
                           "Answer A",
                           "option A",
                           "A - it is better",
                           "A: it is better",
                           "A, because",
                           "[A]-better",
                           "A – better",
                           "A — better",
                           "A. Better.",
                           "A is better",
                           "A wins",
                           "\"A\"",
                           "`A`",
                           "- A",
                           "→ A",
                           "A\nbecause of this",
                           "The response A",
                           "Response_A",
                           "A (slightly)",
                           "| A | why |"})
    EXPECT_EQ(choice(text), "A") << text;
  for (const char* text : {"B", "[b]", "Response B is clearer", "B explains more", "b", "**B** – more"})
    EXPECT_EQ(choice(text), "B") << text;
  for (const char* text : {"Tie", "tie", "[TIE]", "**Tie** - both", "It's a tie", "a tie", "Draw", "Equal",
                           "equal.", "Both", "Neither - both fail", "no difference", "Tied", "None", "Same"})
    EXPECT_EQ(choice(text), "Tie") << text;
}

TEST(AnswerValues, WhatCouldBeReadInTwoWaysIsNotRead) {
  for (const char* text : {"[A/B/Tie]",
                           "A/B/Tie",
                           "A or B",
                           "A and B are good",
                           "a better answer is B",
                           "A clearer structure helps B",
                           "Both are good but B is better",
                           "",
                           "[explanation]",
                           "C",
                           "Apple",
                           "better",
                           "A|B|Tie",
                           "Not A",
                           "Response",
                           "A = B",
                           "A=B",
                           "A == B",
                           "A < B",
                           "Response A < Response B",
                           "A better explanation is given by Response B",
                           "A clearly written answer comes from B",
                           "A is worse than B",
                           "A was outclassed by B",
                           "A has less detail, so B",
                           "A answers less than B does",
                           "A as well as B",
                           "Response A is weaker; B wins",
                           "B is worse",
                           "Response B does not answer"})
    EXPECT_EQ(choice(text), "?") << text;
}

double score(std::string_view text) {
  const auto read = read_score(text);
  return read ? read->value : -1;
}

TEST(AnswerValues, ScoresAsModelsWriteThem) {
  for (const char* text :
       {"4", "[4]", "**4**", "4/5", "4 / 5", "4 out of 5", "4.0", "(4)", "4 - good", "4: good", "4.",
        "4 – good", "four", "Score: 4", "[4] - good", "4/5 - good", "4 - 5 reasons speak for it"})
    EXPECT_EQ(score(text), 4) << text;
  EXPECT_EQ(score("4.5"), 4.5);
  EXPECT_EQ(score("7"), 7) << "the schema complains";
  for (const char* text : {"[1-5]", "1-5", "1–5", "1 to 5", "8/10", "good", "", "[1 - 5]", "4 or 5"})
    EXPECT_EQ(score(text), -1) << text;
}

TEST(AnswerValues, ReasonsStandBehindWithoutTheirSeparators) {
  EXPECT_EQ(read_choice("[A] - it names the price.")->rest, "it names the price.");
  EXPECT_EQ(read_choice("**B** — [more complete]")->rest, "more complete");
  EXPECT_EQ(read_choice("Tie")->rest, "");
  EXPECT_EQ(read_score("4/5: clear (mostly)")->rest, "clear (mostly)");
  EXPECT_EQ(read_score("[3] - ok")->rest, "ok");
}

TEST(AnswerValues, YesAndNo) {
  const auto yes = [](std::string_view text) {
    const auto read = read_yes_no(text);
    return read ? read->value : "?";
  };
  for (const char* text : {"Yes", "yes, it fits", "[Yes] - because", "**Yes**", "true", "Appropriate"})
    EXPECT_EQ(yes(text), "yes") << text;
  for (const char* text : {"No", "no - wrong", "[No]", "Not appropriate", "false", "inappropriate"})
    EXPECT_EQ(yes(text), "no") << text;
  for (const char* text : {"Yes/No", "[Yes/No + why]", "partly", "", "Nobody knows", "Yes or no"})
    EXPECT_EQ(yes(text), "?") << text;
}

TEST(AnswerValues, WhichOfTheTwo) {
  const auto which = [](std::string_view text) {
    const auto read = read_which(text);
    return read ? read->value : "?";
  };
  EXPECT_EQ(which("Yes, A shifts in the middle"), "A");
  EXPECT_EQ(which("Response B"), "B");
  EXPECT_EQ(which("No"), "Neither");
  EXPECT_EQ(which("Neither - smooth"), "Neither");
  EXPECT_EQ(which("Both of them"), "Both");
  EXPECT_EQ(which("hard to say"), "?");
}

TEST(AnswerValues, Lists) {
  EXPECT_THAT(read_list("Librarian, Advisor or Coach."),
              testing::ElementsAre("Librarian", "Advisor", "Coach"));
  EXPECT_THAT(read_list("[Research Librarian; Domain Expert]"),
              testing::ElementsAre("Research Librarian", "Domain Expert"));
  EXPECT_THAT(read_list("none"), testing::IsEmpty());
}

std::string lines(std::string_view text, AnswerForm form) {
  const auto read = read_lines(text, form);
  return read ? canonical_text(*read) : "nothing";
}

constexpr const char* kAllA =
    R"({"actionability":{"choice":"A","reason":"r4"},"appropriateness":{"choice":"B","reason":"r2"},)"
    R"("completeness":{"choice":"Tie","reason":"r3"},"helpfulness":{"choice":"A","reason":"r1"},)"
    R"("overall":{"choice":"A","reason":"r5"},"winner":"A"})";

TEST(AnswerLines, TheFormOfTheSourceAndItsRelatives) {
  for (const char* text : {
           "Helpfulness: [A] - r1\nAppropriateness: [B] - r2\nCompleteness: [Tie] - r3\nActionability: [A] - "
           "r4\n"
           "Overall: [A] - r5\n\nOverall Winner: [A]",
           "helpfulness: a - r1\nappropriateness: b - r2\ncompleteness: tie - r3\nactionability: a - r4\n"
           "overall: a - r5\noverall winner: a",
           "**Helpfulness:** A – r1\n**Appropriateness:** B – r2\n**Completeness:** Tie – "
           "r3\n**Actionability:** A – r4\n"
           "**Overall:** A – r5\n\n**Overall Winner:** A",
           "1. **Helpfulness**: Response A - r1\n2. **Appropriateness**: Response B - r2\n3. "
           "**Completeness**: Tie - r3\n"
           "4. **Actionability**: Response A - r4\n5. **Overall Quality**: Response A - r5\n\nWinner: "
           "Response A",
           "Helpfulness:[A]-r1\nAppropriateness:[B]-r2\nCompleteness:[Tie]-r3\nActionability:[A]-r4\nOverall:"
           "[A]-r5\n"
           "Overall Winner:[A]",
           "Here is my evaluation.\n\n- Helpfulness - A: r1\n- Appropriateness - B: r2\n- Completeness - "
           "Tie: r3\n"
           "- Actionability - A: r4\n- Overall - A: r5\n- Final verdict: A",
           "| Helpfulness | A | r1 |\n| Appropriateness | B | r2 |\n| Completeness | Tie | r3 |\n"
           "| Actionability | A | r4 |\n| Overall | A | r5 |\n| Overall Winner | A |",
           "### Helpfulness\nA - r1\n### Appropriateness\nChoice: B - r2\n### Completeness\nTie - r3\n"
           "### Actionability\nA - r4\n### Overall\nA - r5\n### Overall Winner\n**A**",
           "Helpfulness (A/B/Tie): A - r1\nAppropriateness (A/B/Tie): B - r2\nCompleteness (A/B/Tie): Tie - "
           "r3\n"
           "Actionability (A/B/Tie): A - r4\nOverall (A/B/Tie): A - r5\nOverall Winner (A/B/Tie): A",
           "> Helpfulness = A, r1\n> Appropriateness = B, r2\n> Completeness = Tie, r3\n> Actionability = A, "
           "r4\n"
           "> Overall = A, r5\n> Winner = A",
           "Format:\nHelpfulness: [A/B/Tie] - [explanation]\n\nHelpfulness: A - r1\nAppropriateness: B - r2\n"
           "Completeness: Tie - r3\nActionability: A - r4\nOverall: A - r5\nOverall Winner: A",
       }) {
    EXPECT_EQ(lines(text, AnswerForm::pairwise), kAllA) << text;
  }
}

TEST(AnswerLines, AReasonMayGoOverLines) {
  EXPECT_EQ(
      lines("Helpfulness: 4 - it helps\nand says why.\n\nOverall: 5", AnswerForm::absolute),
      R"({"helpfulness":{"reason":"it helps and says why.","score":4},"overall":{"reason":"","score":5}})");
}

TEST(AnswerLines, WhatIsMissingIsLeftOutAndWhatContradictsItselfToo) {
  EXPECT_EQ(lines("Helpfulness: A\nOverall Winner: B", AnswerForm::pairwise),
            R"({"helpfulness":{"choice":"A","reason":""},"winner":"B"})");
  EXPECT_EQ(lines("Helpfulness: A - x\nHelpfulness: B - y", AnswerForm::pairwise), "{}");
  EXPECT_EQ(lines("Helpfulness: A - x\nHelpfulness: A - y", AnswerForm::pairwise),
            R"({"helpfulness":{"choice":"A","reason":"y"}})");
  EXPECT_EQ(lines("I cannot decide.", AnswerForm::pairwise), "nothing");
  EXPECT_EQ(lines("Helpfulness: [A/B/Tie] - [explanation]", AnswerForm::pairwise), "{}");
  EXPECT_EQ(lines("Overall, A is the better one. Helpfulness matters.", AnswerForm::pairwise), "nothing");
}

TEST(AnswerLines, Tone) {
  EXPECT_EQ(
      lines("Tone Consistency: A: 4, B: 3\nInteraction Feel (A): 5\nInteraction Feel (B): 2\n"
            "Jarring shift: No\nMore natural: A - it flows\nAwkward transitions: B - stiff",
            AnswerForm::pairwise_tone),
      R"({"awkward_language":{"choice":"B","reason":"stiff"},"interaction_feel":{"a":5,"b":2},)"
      R"("jarring_shift":{"choice":"Neither","reason":""},"more_natural":{"choice":"A","reason":"it flows"},)"
      R"("tone_consistency":{"a":4,"b":3}})");
  EXPECT_EQ(lines("Tone consistency: 4/5 - even\nInteraction feel: [3]", AnswerForm::absolute_tone),
            R"({"interaction_feel":{"reason":"","score":3},"tone_consistency":{"reason":"even","score":4}})");
}

TEST(AnswerLines, Roles) {
  EXPECT_EQ(lines("Yes - a librarian knows sources", AnswerForm::role),
            R"({"appropriate":true,"reason":"a librarian knows sources"})");
  EXPECT_EQ(lines("Appropriate: No\nReason: it needs advice", AnswerForm::role),
            R"({"appropriate":false,"reason":"it needs advice"})");
  EXPECT_EQ(lines("Yes, it fits.\nOther roles: Coach, Teacher", AnswerForm::role_ambiguous),
            R"({"appropriate":true,"other_roles":["Coach","Teacher"],"reason":"it fits."})");
}

TEST(AnswerJson, OtherSpellingsBecomeTheUsualOne) {
  const char* const kFull =
      R"({"helpfulness":{"choice":"A","reason":"r1"},"overall":{"choice":"Tie","reason":"r5"},"winner":"B"})";
  for (
      const char* text : {
          R"({"helpfulness":{"reason":"r1","choice":"A"},"overall":{"reason":"r5","choice":"Tie"},"winner":"B"})",
          R"({"Helpfulness":"A - r1","Overall Quality":"tie - r5","Overall Winner":"Response B"})",
          R"({"evaluation":{"helpfulness":{"winner":"a","explanation":"r1"},"overall":{"verdict":"[Tie]","why":"r5"}},"winner":"b","notes":"x"})",
      }) {
    EXPECT_EQ(canonical_text(with_usual_spelling(parse_json(text).value(), AnswerForm::pairwise)), kFull)
        << text;
  }
  EXPECT_EQ(
      canonical_text(with_usual_spelling(
          parse_json(R"({"Helpfulness": 4, "completeness": {"rating": "5/5"}, "overall": 9})").value(),
          AnswerForm::absolute)),
      R"({"completeness":{"reason":"","score":5},"helpfulness":{"reason":"","score":4},"overall":{"reason":"","score":9}})");
  EXPECT_EQ(
      canonical_text(with_usual_spelling(
          parse_json(R"({"appropriate": {"answer": "Yes", "why": "fits"}, "other_roles": "Coach or Guide"})")
              .value(),
          AnswerForm::role_ambiguous)),
      R"({"appropriate":true,"other_roles":["Coach","Guide"],"reason":"fits"})");
}

}  // namespace
}  // namespace assay::experiment
