#include "models/tokens.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

TEST(TokenEstimate, CountsCharactersNotBytes) {
  EXPECT_EQ(estimate_tokens(""), 0);
  EXPECT_EQ(estimate_tokens("a"), 1);
  EXPECT_EQ(estimate_tokens("abcdefgh"), 2);
  EXPECT_EQ(estimate_tokens("äöüß"), 2);      // four letters of two bytes
  EXPECT_EQ(estimate_tokens("漢字仮名"), 4);  // four characters of three bytes
  EXPECT_EQ(estimate_tokens("😀"), 2);
}

TEST(TokenEstimate, OfEnglishProseIsWithinAQuarter) {
  // OpenAI's rule of thumb is 100 tokens for 75 words; these are 36 words, hence 48 tokens.
  const std::string_view text =
      "The quick brown fox jumps over the lazy dog and then the dog wakes up and wonders why all of "
      "these foxes keep jumping over him on such a fine and sunny day in the park.";
  const std::int64_t estimate = estimate_tokens(text);
  EXPECT_GE(estimate, 36);
  EXPECT_LE(estimate, 60);
}

TEST(TokenEstimate, OfARequestHoldsEverythingThatIsSent) {
  ChatRequest request = ask(std::string(400, 'a'));
  const std::int64_t plain = estimate_prompt_tokens(request);
  EXPECT_EQ(plain, 104);
  request.output = OutputSchema{"o", "", json(R"({"type":"object","properties":{}})")};
  const std::int64_t with_schema = estimate_prompt_tokens(request);
  EXPECT_GT(with_schema, plain);
  request.tools.push_back({"look", "Looks at things.", json(R"({"type":"object"})")});
  EXPECT_GT(estimate_prompt_tokens(request), with_schema);
}

RC_GTEST_PROP(TokenEstimate, SurvivesAnyBytesAndGrowsWithThem, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  RC_ASSERT(estimate_tokens(bytes) <= static_cast<std::int64_t>(bytes.size()));
  RC_ASSERT(estimate_tokens(bytes + "abcd") == estimate_tokens(bytes) + 1);
}

}  // namespace
}  // namespace assay
