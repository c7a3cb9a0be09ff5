#include "core/secrets/secrets.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

Secrets holding(std::initializer_list<std::string_view> values, std::string_view mark = "[key]") {
  Secrets secrets(mark);
  for (const std::string_view value : values) secrets.add(value);
  return secrets;
}

TEST(Secrets, AreReplacedWhereverTheyStand) {
  const Secrets secrets = holding({"hunter2"});
  EXPECT_EQ(secrets.hide("hunter2, xhunter2x and hunter2hunter2"), "[key], x[key]x and [key][key]");
  EXPECT_EQ(secrets.hide("hunter1 hunter"), "hunter1 hunter");
  EXPECT_EQ(secrets.hide(""), "");
  EXPECT_EQ(Secrets().hide("nothing is known"), "nothing is known");
}

TEST(Secrets, AreMarkedAsTheirOwnerLikes) {
  EXPECT_EQ(holding({"hunter2"}, "[hidden]").hide("is hunter2"), "is [hidden]");
}

TEST(Secrets, OfFourOrFiveCharactersAreReplacedAsWordsOnly) {
  const Secrets secrets = holding({"user"});
  EXPECT_EQ(secrets.hide("user: the users of superuser, user_1 and üser, \"user\""),
            "[key]: the users of superuser, user_1 and üser, \"[key]\"");
  EXPECT_EQ(secrets.hide_pieces("the user, not users"), "the [key], not users");
  EXPECT_EQ(secrets.hide("éuser usér"), "éuser usér");
}

TEST(Secrets, ThatAreShorterStay) {
  const Secrets secrets = holding({"k", "1", "abc", "", "  "});
  EXPECT_EQ(secrets.hide("check 1 abc"), "check 1 abc");
  EXPECT_EQ(secrets.hide_pieces("check 1 abc"), "check 1 abc");
}

TEST(Secrets, HaveNoWhiteSpaceAroundThem) {
  EXPECT_EQ(holding({" hunter2\n"}).hide("(hunter2)"), "([key])");
}

TEST(Secrets, ThatHoldEachOtherAreReplacedByTheLongest) {
  for (const Secrets& secrets : {holding({"abcdef", "abcdefgh"}), holding({"abcdefgh", "abcdef"})}) {
    EXPECT_EQ(secrets.hide("abcdefghi abcdefg"), "[key]i [key]g");
  }
}

TEST(Secrets, AreRecognisedByPiecesInMessages) {
  const Secrets secrets = holding({"sk-proj-AbCdEf0123456789-secret"});
  EXPECT_EQ(secrets.hide_pieces("key sk-proj-AbCdEf0123456789-secret is wrong"), "key [key] is wrong");
  EXPECT_EQ(secrets.hide_pieces("starts with AbCdEf0123, ends with 89-secret"),
            "starts with [key], ends with [key]");
  EXPECT_EQ(secrets.hide_pieces("seven are few: AbCdEf0"), "seven are few: AbCdEf0");
  EXPECT_EQ(secrets.hide("data keep what is only a piece: AbCdEf0123"),
            "data keep what is only a piece: AbCdEf0123");
}

TEST(Secrets, AreSuspectedInMessagesWhereverSomethingLooksLikeAKey) {
  EXPECT_EQ(Secrets().hide_pieces("Incorrect API key provided: sk-proj-********************cret."),
            "Incorrect API key provided: [key]");
  EXPECT_EQ(Secrets().hide_pieces("ask-me sk-1"), "ask-me sk-1");
  EXPECT_EQ(Secrets().hide_pieces("a task-specific disk-management"), "a task-specific disk-management");
}

TEST(Secrets, AreNotedWhenAnEnvironmentGivesThem) {
  Secrets secrets;
  const std::map<std::string, std::string, std::less<>> variables{{"A", "first-value"}, {"B", "other-value"}};
  const Environment noting = secrets.noting([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_EQ(fill_environment("Bearer ${A}", noting), "Bearer first-value");
  EXPECT_EQ(noting("C"), std::nullopt);
  EXPECT_EQ(secrets.hide("first-value other-value"), "[key] other-value");
}

RC_GTEST_PROP(Secrets, LeaveNothingOfThemselvesInAMessage, ()) {
  const auto letters = rc::gen::container<std::string>(rc::gen::element('a', 'b', '-', ' ', '7', '\xc3'));
  const auto value = *letters;
  const auto text = *letters + value + *letters + value + *letters;
  Secrets secrets("*");
  secrets.add(value);
  const std::string clean = secrets.hide_pieces(text);
  const std::string bare = value.substr(std::min(value.find_first_not_of(' '), value.size()));
  for (std::size_t at = 0; at + 8 <= bare.find_last_not_of(' ') + 1; ++at) {
    RC_ASSERT(clean.find(bare.substr(at, 8)) == std::string::npos);
  }
}

}  // namespace
}  // namespace assay
