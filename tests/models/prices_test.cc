#include "models/prices.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

// Made-up prices; the arithmetic is what counts.
Prices prices() {
  return Prices::from_json(json(R"({
      "openai/small":{"prompt":0.15,"completion":0.6,"cached":0.075},
      "claude*":{"prompt":"3","completion":15,"cached":0.3,"cache_write":3.75},
      "claude-tiny*":{"prompt":0.000001,"completion":0},
      "*-free":{"prompt":0,"completion":0}})"))
      .value();
}

TEST(Prices, AreExact) {
  // 1 token at 0.15 USD a million is 0.00000015 USD.
  EXPECT_EQ(usd_text(*prices().cost({.prompt_tokens = 1}, "openai/small")), "0.00000015");
  // A million calls of one token are the million's price to the last digit, which doubles do not give.
  const Prices known = prices();
  Cost sum;
  for (int i = 0; i < 1'000'000; ++i) sum += *known.cost({.prompt_tokens = 1}, "openai/small");
  EXPECT_EQ(usd_text(sum), "0.15");
}

TEST(Prices, CountCachedAndWrittenTokensApart) {
  // 1000 prompt tokens: 700 at 3, 200 read at 0.3, 100 written at 3.75, and 10 at 15 USD a million:
  // 2100 + 60 + 375 + 150 = 2685 millionths of a dollar.
  const Usage usage{1000, 10, 200, 100, 4};
  EXPECT_EQ(usd_text(*prices().cost(usage, "anthropic/claude-x")), "0.002685");
  // Without a price of their own they cost as the prompt does: 1000 × 0.15 + 10 × 0.6 = 156 millionths, and
  // the cached price is known: 200 × 0.075 instead of 200 × 0.15 saves 15.
  EXPECT_EQ(usd_text(*prices().cost(usage, "openai/small")), "0.000141");
}

TEST(Prices, AreUndefinedWhereNoneIsKnown) {
  EXPECT_EQ(prices().cost({.prompt_tokens = 1}, "openai/other"), std::nullopt);
  EXPECT_EQ(Prices().cost({.prompt_tokens = 1}, "openai/gpt-4o"), std::nullopt);
  EXPECT_EQ(Prices().cost({.prompt_tokens = 1}, "sim/judge"), Cost{});
}

TEST(Prices, OfTheMostSpecificNameCount) {
  EXPECT_EQ(prices().find("claude-tiny-1")->prompt, 1);
  EXPECT_EQ(prices().find("claude-2")->prompt, 3'000'000);
  EXPECT_EQ(prices().find("claude-free")->prompt, 3'000'000) << "6 letters beat 5";
  EXPECT_EQ(prices().find("openai/llama-free")->prompt, 0);
  const Prices both =
      Prices::from_json(json(R"({"a*":{"prompt":1,"completion":1},"abc":{"prompt":2,"completion":2},
                                 "abc*":{"prompt":3,"completion":3}})"))
          .value();
  EXPECT_EQ(both.find("abc")->prompt, 2'000'000);
  EXPECT_EQ(both.find("abcd")->prompt, 3'000'000);
}

TEST(Prices, ThatAreWrongAreNamed) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"([])", "prices"},
      {R"({"m":3})", "prices.m"},
      {R"({"m":{"prompt":1}})", "prices.m.completion"},
      {R"({"m":{"prompt":1,"completion":1,"input":1}})", "prices.m.input"},
      {R"({"m":{"prompt":-1,"completion":1}})", "prices.m.prompt"},
      {R"({"m":{"prompt":"cheap","completion":1}})", "prices.m.prompt"},
      {R"({"m":{"prompt":true,"completion":1}})", "prices.m.prompt"},
      {R"({"m":{"prompt":0.0000001,"completion":1}})", "prices.m.prompt"},
      {R"({"m":{"prompt":1e30,"completion":1}})", "prices.m.prompt"},
      {R"({"m":{"prompt":"1.","completion":1}})", "prices.m.prompt"},
  };
  for (const auto& [text, place] : cases) {
    const auto found = Prices::from_json(json(text));
    ASSERT_FALSE(found.has_value()) << text;
    EXPECT_EQ(found.error().kind, ErrorKind::config);
    EXPECT_EQ(found.error().context.at(0).second, place) << text;
  }
}

TEST(Cost, IsReadAndWrittenExactly) {
  for (const std::string_view text :
       {"0.00", "0.15", "20.00", "0.000000000001", "9223372.036854775807", "1.50"}) {
    EXPECT_EQ(usd_text(*parse_usd(text)), text);
  }
  EXPECT_EQ(parse_usd("1e-3")->picodollars, 1'000'000'000);
  EXPECT_EQ(parse_usd("2.5E+1")->picodollars, 25'000'000'000'000);
  EXPECT_EQ(parse_usd("100e-2")->picodollars, 1'000'000'000'000);
  EXPECT_DOUBLE_EQ(parse_usd("0.25")->usd(), 0.25);
  for (const std::string_view text : {"", "-1", "1.", ".5", "1,5", "0.0000000000001", "1e400",
                                      "9223372.036854775808", "1e", "NaN", "0x10", "1 2"}) {
    EXPECT_FALSE(parse_usd(text).has_value()) << text;
  }
}

TEST(Cost, SaturatesInsteadOfWrapping) {
  const Price dear{std::numeric_limits<std::int64_t>::max(), 1, 1, 1};
  const Cost most = cost_of({.prompt_tokens = 1'000'000}, dear);
  EXPECT_EQ(most.picodollars, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(most + most, most);
}

RC_GTEST_PROP(Cost, OfASumIsTheSumOfTheCosts, ()) {
  const auto tokens = rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const Price price{*tokens, *tokens, *tokens, *tokens};
  Usage total;
  Cost sum;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t cached = *tokens;
    const std::int64_t written = *tokens;
    const Usage usage{cached + written + *tokens, *tokens, cached, written, 0};
    total += usage;
    sum += cost_of(usage, price);
  }
  RC_ASSERT(cost_of(total, price) == sum);
}

RC_GTEST_PROP(Cost, TextReadsBackAsTheSameAmount, ()) {
  const Cost cost{*rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max())};
  RC_ASSERT(*parse_usd(usd_text(cost)) == cost);
}

}  // namespace
}  // namespace assay
