#include "sim/answers/pattern.h"

#include <string>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "core/text.h"

namespace assay::sim {
namespace {

TEST(TextPattern, MakesTextThatRe2Matches) {
  const char* expressions[] = {
      "^[a-z]{3,8}$",
      R"(^\d{4}-\d{2}-\d{2}$)",
      "^(foo|bar)+$",
      R"(^[^\s@]+@[^\s@]+\.[a-z]{2,}$)",
      "^a*b?c+$",
      R"(^\w+\s\W\D$)",
      "^(?:x|y(z|w){2})?$",
      R"(^\x41\u0042[\x30-\x35]$)",
      "^[A-Z][a-z]+( [A-Z][a-z]+)*$",
      R"(^\(\d{3}\) \d{3}-\d{4}$)",
      R"([.*+?^${}()|\[\]\\])",
      "^.{5}$",
      "needle",
      "^[^a-y]$",
      R"(^\p{L}+\p{Nd}$)",
  };
  for (const char* expression : expressions) {
    const auto pattern = TextPattern::parse(expression);
    ASSERT_TRUE(pattern) << expression;
    std::string for_re2 = expression;
    RE2::GlobalReplace(&for_re2, R"(\\u0042)", "B");  // RE2 has no \u
    const RE2 check(for_re2);
    ASSERT_TRUE(check.ok()) << expression;
    for (std::uint64_t key = 0; key < 50; ++key) {
      Chance chance(key);
      const std::string made = pattern->make(chance, 4);
      EXPECT_TRUE(RE2::PartialMatch(made, check)) << expression << " made " << made;
      EXPECT_TRUE(valid_utf8(made));
    }
  }
}

TEST(TextPattern, SaysNothingForWhatItCannotMake) {
  for (const char* expression :
       {"(", "[a", "a{2,1}", R"((a)\1)", R"(\p{Klingon})", "*a", "[z-a]", R"(\)", "a{1,2"}) {
    EXPECT_FALSE(TextPattern::parse(expression)) << expression;
  }
}

TEST(TextPattern, EndsSoonHoweverGroupsMultiply) {
  const auto empty_groups = TextPattern::parse("((((((((){99}){99}){99}){99}){99}){99}){99}){99}");
  ASSERT_TRUE(empty_groups);
  Chance chance(1);
  EXPECT_EQ(empty_groups->make(chance, 3), "");
  const auto huge = TextPattern::parse("(((a{99}){99}){99}){99}");
  ASSERT_TRUE(huge);
  EXPECT_LE(huge->make(chance, 3).size(), TextPattern::kMostCharacters);
  EXPECT_FALSE(TextPattern::parse(std::string(100'000, '(')));
}

TEST(TextPattern, KnowsWhichEndsAreOpen) {
  EXPECT_TRUE(TextPattern::parse("a$")->open_start());
  EXPECT_FALSE(TextPattern::parse("a$")->open_end());
  EXPECT_FALSE(TextPattern::parse("^a")->open_start());
  EXPECT_TRUE(TextPattern::parse("^a")->open_end());
}

}  // namespace
}  // namespace assay::sim
