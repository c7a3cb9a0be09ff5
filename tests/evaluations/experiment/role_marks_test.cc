#include "evaluations/experiment/role_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/leaks.h"

namespace assay::experiment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kAnswer = "Copilot costs 10 dollars a month.\n\nSee the [price list](https://x.y).";

TEST(RoleMarks, AreTakenOutInEverySpellingAndTheAnswerStays) {
  const std::vector<std::string> marks = {
      "[Role: Research Librarian]",        "[role: Research Librarian]",
      "[ROLE: Research Librarian]",        "[Role:Research Librarian]",
      "[ Role : Research Librarian ]",     "[Role - Research Librarian]",
      "[Role – Research Librarian]",       "[Role — Research Librarian]",
      "[Role = Research Librarian]",       "[Role：Research Librarian]",
      "［Role：Research Librarian］",      "【Role: Research Librarian】",
      "〔Role: Research Librarian〕",      "[Role:\u00A0Research Librarian]",
      "**[Role: Research Librarian]**",    "*[Role: Research Librarian]*",
      "__[Role: Research Librarian]__",    "`[Role: Research Librarian]`",
      "[**Role:** Research Librarian]",    "[**Role: Research Librarian**]",
      "[[Role: Research Librarian]]",      "\\[Role: Research Librarian\\]",
      "[Role: \"Research Librarian\"]",    "[Role: *Research Librarian*]",
      "[My role: Research Librarian]",     "[Selected Role: Research Librarian]",
      "[Persona: Research Librarian]",     "(Role: Research Librarian)",
      "（Role：Research Librarian）",      "{Role: Research Librarian}",
      "<Role: Research Librarian>",        "<role>Research Librarian</role>",
      "Role: Research Librarian",          "ROLE : Research Librarian",
      "**Role:** Research Librarian",      "**Role: Research Librarian**",
      "*Role*: Research Librarian",        "### Role: Research Librarian",
      "> Role: Research Librarian",        "- Role: Research Librarian",
      "Role - Research Librarian",         "Role — Research Librarian.",
      "🎭 Role: Research Librarian",       "[Role]: Research Librarian",
      "Assigned role: Research Librarian",
  };
  EXPECT_GE(marks.size(), 20U);
  for (const std::string& mark : marks) {
    for (const std::string& text :
         {mark + "\n\n" + kAnswer, mark + "\n" + kAnswer, "\n" + mark + "\r\n\r\n" + kAnswer,
          std::string(kAnswer) + "\n\n" + mark, std::string(kAnswer) + "\n" + mark + "\n"}) {
      const Unmarked found = take_out_roles(text);
      EXPECT_EQ(found.text, kAnswer) << text;
      EXPECT_THAT(found.roles, ElementsAre("Research Librarian")) << text;
    }
  }
}

TEST(RoleMarks, InSquareBracketsAreFoundAnywhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"[Role: X] The answer.", "The answer."},
      {"[Role: X] - The answer.", "The answer."},
      {"[Role: X]: The answer.", "The answer."},
      {"**[Role: X]** The answer.", "The answer."},
      {"The answer. [Role: X]", "The answer."},
      {"The answer [role: X] goes on.", "The answer goes on."},
      {"The answer [role: X], it goes on.", "The answer, it goes on."},
      {"The answer[role: X].", "The answer."},
      {"One.\n[Role: X]\nTwo.", "One.\nTwo."},
      {"One.\n\n[Role: X]\n\nTwo.", "One.\n\nTwo."},
      {"One.\n\n  [Role: X] Two.", "One.\n\n  Two."},
      {"One. [Role: X]\nTwo.", "One.\nTwo."},
      {"- a\n- [Role: X] b", "- a\n- b"},
      {"[Role: X]**Bold** stays", "**Bold** stays"},
      {"**[Role: X] Bold**", "**Bold**"},
      {"[Role: X][Role: X] twice", "twice"},
      {"**Role: X** The answer.", "The answer."},
      {"[Role:\nX]\nThe answer.", "The answer."},
      {"[Ro[Role: X]le: X] nested", "nested"},
      {"[Role: X]", ""},
      {"[Role: X]\n", ""},
  };
  for (const auto& [text, expected] : cases) {
    const Unmarked found = take_out_roles(text);
    EXPECT_EQ(found.text, expected) << text;
    EXPECT_THAT(found.roles, ElementsAre("X")) << text;
  }
  EXPECT_THAT(take_out_roles("[Role: A]\nText [Role: B]\n[role: A]").roles, ElementsAre("A", "B"));
  EXPECT_THAT(take_out_roles("[Role: ] text").roles, IsEmpty());
  EXPECT_EQ(take_out_roles("[Role: ] text").text, "text");
  EXPECT_THAT(take_out_roles("[Role: Expert [senior]] text").roles, ElementsAre("Expert [senior]"));
}

TEST(RoleMarks, TheAnswersOwnWordsStayByteForByte) {
  for (const char* text : {
           "As a librarian, I would look it up.",
           "Your role: lead the team. The role of the lead is described below.\n\nMore.",
           "A CV has these lines:\n\nRole: Engineer\nYears: 3\n\nThat is all.",
           "The user (role: admin) may delete it, others may not.",
           "Set `role` to [admin] and [user: x].",
           "  leading and trailing space \n\n",
           "The role - and this matters - is not the person.",
           "Roles: writer, editor",
           "[role models] matter",
           "",
           "\n\n",
           "bytes \xff\xfe that are no UTF-8",
       }) {
    EXPECT_EQ(take_out_roles(text).text, text);
    EXPECT_THAT(take_out_roles(text).roles, IsEmpty()) << text;
  }
}

TEST(RoleMarks, ManyMarksTakeNoQuadraticTime) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "word [Role: X] ";
  EXPECT_EQ(take_out_roles(text).text.find("Role"), std::string::npos);
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> found;
  for (const TellingWord& one : telling_words(text, {{"test_2_predefined", "the condition name"},
                                                     {"control", "the condition name"},
                                                     {"Research Librarian", "the role"},
                                                     {"Expert", "the role"},
                                                     {"control_responses.json", "the file name"}}))
    found.push_back(one.word);
  return found;
}

TEST(Leaks, NamesThatCanBeNothingElseAreFoundInAnyCase) {
  EXPECT_THAT(words_in("Written under TEST_2_Predefined rules"), ElementsAre("test_2_predefined"));
  EXPECT_THAT(words_in("as research librarian, I"), ElementsAre("Research Librarian"));
  EXPECT_THAT(words_in("see control_responses.json"), ElementsAre("control_responses.json"));
  EXPECT_THAT(words_in("my_test_2_predefined_thing, research librarians"), IsEmpty());
}

TEST(Leaks, APlainWordCountsOnlyWhereItsNeighboursMakeItAName) {
  EXPECT_THAT(words_in("Take the remote control and ask an expert."), IsEmpty());
  EXPECT_THAT(words_in("This is the control condition."), ElementsAre("control"));
  EXPECT_THAT(words_in("Speaking as an expert, yes."), ElementsAre("Expert"));
  EXPECT_THAT(words_in("I'm an Expert."), ElementsAre("Expert"));
}

TEST(Leaks, AMarkOfAnUnknownKindIsTold) {
  EXPECT_THAT(words_in("One (my persona is Bob) two"), ElementsAre("(my persona is Bob)"));
}

}  // namespace
}  // namespace assay::experiment
