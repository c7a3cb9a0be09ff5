#include "evaluations/experiment/design/role_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/design/leaks.h"

namespace assay::experiment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kAnswer = "Copilot costs 10 dollars a month.\n\nSee the [price list](https://x.y).";

TEST(RoleMarks, AreTakenOutInEverySpellingAndTheAnswerStays) {
  const std::vector<std::string> marks = {
      "[Role: Research Librarian]",         "[role: Research Librarian]",
      "[ROLE: Research Librarian]",         "[Role:Research Librarian]",
      "[ Role : Research Librarian ]",      "[Role - Research Librarian]",
      "[Role – Research Librarian]",        "[Role — Research Librarian]",
      "[Role = Research Librarian]",        "[Role：Research Librarian]",
      "［Role：Research Librarian］",       "【Role: Research Librarian】",
      "〔Role: Research Librarian〕",       "[Role:\u00A0Research Librarian]",
      "**[Role: Research Librarian]**",     "*[Role: Research Librarian]*",
      "__[Role: Research Librarian]__",     "`[Role: Research Librarian]`",
      "[**Role:** Research Librarian]",     "[**Role: Research Librarian**]",
      "[[Role: Research Librarian]]",       "\\[Role: Research Librarian\\]",
      "[Role: \"Research Librarian\"]",     "[Role: *Research Librarian*]",
      "[My role: Research Librarian]",      "[Selected Role: Research Librarian]",
      "[Persona: Research Librarian]",      "(Role: Research Librarian)",
      "（Role：Research Librarian）",       "{Role: Research Librarian}",
      "<Role: Research Librarian>",         "<role>Research Librarian</role>",
      "Role: Research Librarian",           "ROLE : Research Librarian",
      "**Role:** Research Librarian",       "**Role: Research Librarian**",
      "*Role*: Research Librarian",         "### Role: Research Librarian",
      "> Role: Research Librarian",         "- Role: Research Librarian",
      "Role - Research Librarian",          "Role — Research Librarian.",
      "🎭 Role: Research Librarian",        "[Role]: Research Librarian",
      "Assigned role: Research Librarian",  "[Role Research Librarian]",
      "[Primary Role: Research Librarian]", "[Role is: Research Librarian]",
      "[Role 1: Research Librarian]",       "[Roles: Research Librarian]",
      "[Role(s): Research Librarian]",      "[Personas: Research Librarian]",
      "[\nRole: Research Librarian\n]",     "[ Role:\r\n Research\n Librarian\t]",
      "&#91;Role: Research Librarian&#93;", "&lbrack;Role: Research Librarian&rbrack;",
      "[R\u200Bole: Research Librarian]",   "[\u2060Role\u200B: Research\uFEFF Librarian\u200D]",
      "[Acting as: Research Librarian]",    "[Acting as a Research Librarian]",
      "[Speaking as: Research Librarian]",  "# **Role: Research Librarian**",
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
      {"# [Role: X]\nThe answer.", "The answer."},
      {"One.\n> [Role: X]\nTwo.", "One.\nTwo."},
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

TEST(RoleMarks, OutsideBracketsAreFoundWhereModelsPutThem) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"Sure!\n\nRole: Research Librarian\n\nIt costs 10.", "Sure!\n\nIt costs 10.", "Research Librarian"},
      {"# Answer\n**Role:** Research Librarian\nIt costs 10.", "# Answer\nIt costs 10.",
       "Research Librarian"},
      {"One.\nTwo.\n## Role: X\nThree.", "One.\nTwo.\nThree.", "X"},
      {"Sure!\n\nRole: X\nTone: warm\n\nIt is.", "Sure!\n\nTone: warm\n\nIt is.", "X"},
      {"I will answer. **Role: Research Librarian**\nIt costs 10.", "I will answer.\nIt costs 10.",
       "Research Librarian"},
      {"One.\n\nTwo.\n\nThree.\n\nFour, **Persona: X** five.", "One.\n\nTwo.\n\nThree.\n\nFour, five.", "X"},
      {"One.\n\nTwo.\n\nThree.\n\n**Role: X**\n\nFour.", "One.\n\nTwo.\n\nThree.\n\nFour.", "X"},
      {"---\nrole: X\n---\nThe answer.", "The answer.", "X"},
      {"---\nrole: \"X\"\n---\n\nThe answer.\n", "The answer.\n", "X"},
      {"---\ntitle: T\nrole: X\n---\nThe answer.", "---\ntitle: T\n---\nThe answer.", "X"},
      {"{\"role\": \"X\"}\nThe answer.", "The answer.", "X"},
      {"{\n  \"role\": \"X\"\n}\n\nThe answer.", "The answer.", "X"},
      {"{'persona': 'X'} The answer.", "The answer.", "X"},
      {"[Roles: X, Y]\nThe answer.", "The answer.", "X, Y"},
      {"A [\n Role: X \n] b", "A b", "X"},
      {"[Role: X]\nRole: it stores data.", "Role: it stores data.", "X"},
  };
  for (const auto& [text, expected, role] : cases) {
    const Unmarked found = take_out_roles(text);
    EXPECT_EQ(found.text, expected) << text;
    EXPECT_THAT(found.roles, ElementsAre(role)) << text;
  }
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
           "[Role Models](https://x.y) matter",
           "The role: it stores data.",
           "RAM has one job.\n\nThe role: it stores data. More.",
           "Role: it stores working data.",
           "Role: it stores working data.\n\nThe cache is faster.",
           "RAM:\n\nRole: stores data\n\nThat is all.",
           "**Role: Librarian**",
           "Role: Librarian\n",
           "---\nrole: admin\n---\n",
           "{\"role\": \"admin\"}",
           "{\"role\": \"user\", \"content\": \"Hi\"}\n\nis a message.",
           "Send this:\n\n```json\n{\"role\": \"user\"}\n```\n\nThat is all.",
           "Send this\n```yaml\nrole: user\n```\nThat is all.",
           "```yaml\nrole: user\n```\nThat is all.",
           "A message has\n```json\n[{\"role\": \"user\", \"content\": \"Hi\"}]\n```\nand more.",
           "Name: Bob\nRole: Engineer\nYears: 3",
           "# Job\n\n**Role:** Engineer\n\n**Location:** Berlin\n\nApply now.",
           "One.\n\nTwo.\n\nThree.\n\nRole: Engineer\n\nFour.",
           "# Role-based access control\n\nIt is common.",
           "Use **role-based access control** or **Role: it depends**, then.",
           "| Role | Rights |\n|---|---|\n| admin | all |",
           "An enzyme [acting as a catalyst] speeds it up.",
           "zero\u200Bwidth stays",
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

TEST(Leaks, LinesThatStateARoleAreTold) {
  for (const char* line : {
           "Role: Engineer",
           "**Persona:** Chemist",
           "Roles: Chemist, Editor",
           "Primary role - Chemist",
           "{\"role\": \"Chemist\", \"answer\": \"Yes\"}",
           "My role is chemist.",
           "As a chemist, I would wait.",
           "I am acting as your chemist today.",
           "R\u200Bole: Chemist",
       })
    EXPECT_THAT(words_in("One.\n\n" + std::string(line) + "\n\nTwo."), testing::SizeIs(1)) << line;
  EXPECT_THAT(words_in("```json\n{\"role\": \"Chemist\"}\n```\nTwo."), testing::SizeIs(1));
  EXPECT_THAT(words_in("One [Roles X and Y] two"), ElementsAre("[Roles X and Y]"));
  EXPECT_THAT(words_in("One &#91;your roles X&#93; two"), ElementsAre("&#91;your roles X&#93;"));
}

TEST(Leaks, ProseAndCodeAboutRolesTellNothing) {
  for (const char* text : {
           "The role of the cache is to be fast.",
           "As an AI, I cannot know.",
           "Salt is acting as a buffer here.",
           "Send this:\n```json\n{\"role\": \"user\", \"content\": \"Hi\"}\n```\nThat is all.",
           "```json\n{\"role\": \"user\"}\n```",
           "| Role | Rights |\n|---|---|",
       })
    EXPECT_THAT(words_in(text), IsEmpty()) << text;
}

TEST(Leaks, ZeroWidthCharactersAndLineEndsHideNoRole) {
  EXPECT_THAT(words_in("says the Re\u200Bsearch\nLibrarian"), ElementsAre("Research Librarian"));
}

TEST(Leaks, RolesOfOtherQueriesTellUnlessTheQueryHasThem) {
  Design design;
  design.conditions = {{.name = "control", .control = true}, {.name = "test_1"}};
  Query query;
  query.id = "q1";
  query.text = "What does a data analyst do?";
  const BlindAnswers answers =
      blinded({"Ask a Data Analyst.", "[Role: Editor]\nThe Research Librarian knows."});
  EXPECT_THAT(leak_sentences(design, query, answers), IsEmpty());
  EXPECT_THAT(
      leak_sentences(design, query, answers, {"Data Analyst", "Research Librarian"}),
      ElementsAre("test_1, run 1, query q1: the role \"Research Librarian\" is left in the blinded text"));
}

}  // namespace
}  // namespace assay::experiment
