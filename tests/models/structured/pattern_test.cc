#include "models/structured/pattern.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

// The definition itself, exponential but obviously right.
bool naive(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return naive(pattern.substr(1), text) || (!text.empty() && naive(pattern, text.substr(1)));
  }
  return !text.empty() && text.front() == pattern.front() && naive(pattern.substr(1), text.substr(1));
}

RC_GTEST_PROP(Pattern, MatchesAsItsDefinitionSays, ()) {
  const auto pattern = *rc::gen::resize(12, rc::gen::container<std::string>(rc::gen::element('*', 'a', 'b')));
  const auto text = *rc::gen::resize(12, rc::gen::container<std::string>(rc::gen::element('a', 'b')));
  RC_ASSERT(matches_pattern(pattern, text) == naive(pattern, text));
}

TEST(Pattern, StandsForModelNames) {
  EXPECT_TRUE(matches_pattern("gpt-4o*", "gpt-4o-mini"));
  EXPECT_TRUE(matches_pattern("*claude-*-4-5*", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"));
  EXPECT_FALSE(matches_pattern("gpt-5", "gpt-5-mini"));
  EXPECT_FALSE(matches_pattern("gpt-4o", "gpt-4O"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_FALSE(matches_pattern("", "a"));
}

TEST(Pattern, DoesNotBlowUpOnManyStars) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  pattern += "*b";
  EXPECT_FALSE(matches_pattern(pattern, text));
}

TEST(Pattern, WithMoreLettersIsMoreSpecific) {
  EXPECT_EQ(literal_length("gpt-*"), 4U);
  EXPECT_EQ(literal_length("**"), 0U);
}

}  // namespace
}  // namespace assay
