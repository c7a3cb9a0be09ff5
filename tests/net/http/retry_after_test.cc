#include "net/http/retry_after.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

// 2024-03-01T12:00:00Z is 1709294400 seconds after the epoch (date -d @1709294400 -u).
const WallTime kNoon{std::chrono::seconds(1709294400)};

std::optional<std::chrono::milliseconds> wait(const Headers& headers, int status = 429) {
  return retry_after(status, headers, kNoon);
}

TEST(RetryAfter, IsReadAsSecondsOrMilliseconds) {
  EXPECT_EQ(wait({{"Retry-After", "20"}}), 20s);
  EXPECT_EQ(wait({{"retry-after", " 0.5 "}}), 500ms);
  EXPECT_EQ(wait({{"Retry-After", "20"}, {"retry-after-ms", "1500"}}), 1500ms);
  EXPECT_EQ(wait({{"Retry-After", "7"}}, 503), 7s);
  EXPECT_EQ(wait({}), std::nullopt);
  EXPECT_EQ(wait({{"Retry-After", "soon"}}), std::nullopt);
}

TEST(RetryAfter, IsReadAsADateAgainstTheServersOwnClock) {
  EXPECT_EQ(wait({{"Retry-After", "Fri, 01 Mar 2024 12:00:30 GMT"}}), 30s);
  EXPECT_EQ(
      wait({{"Retry-After", "Fri, 01 Mar 2024 15:00:30 GMT"}, {"Date", "Fri, 01 Mar 2024 15:00:00 GMT"}}),
      30s);
  EXPECT_EQ(wait({{"Retry-After", "Fri, 01 Mar 2024 11:00:00 GMT"}}), 0s);
}

TEST(RetryAfter, IsBounded) {
  EXPECT_EQ(wait({{"Retry-After", "99999999999999999999"}}), 24h);
  EXPECT_EQ(wait({{"Retry-After", "-5"}}), 0s);
  EXPECT_EQ(wait({{"Retry-After", "Fri, 01 Mar 2199 12:00:30 GMT"}}), 24h);
  EXPECT_EQ(wait({{"x-ratelimit-reset-requests", "9999h"}}), 24h);
  EXPECT_EQ(wait({{"Retry-After", "nan"}}), std::nullopt);
  EXPECT_EQ(wait({{"Retry-After", "inf"}}), std::nullopt);
  EXPECT_EQ(wait({{"Retry-After", "1e308"}}), 24h);
  EXPECT_EQ(wait({{"Retry-After", "1e999"}}), std::nullopt);
  EXPECT_EQ(wait({{"Retry-After", "-1e308"}}), 0s);
  EXPECT_EQ(wait({{"retry-after-ms", "nan"}}), std::nullopt);
  EXPECT_EQ(wait({{"x-ratelimit-reset-requests", "-inf"}}), std::nullopt);
}

TEST(RetryAfter, OfOpenAiComesFromTheLimitThatIsUsedUp) {
  const Headers tokens{{"x-ratelimit-remaining-requests", "4999"},
                       {"x-ratelimit-reset-requests", "6m0s"},
                       {"x-ratelimit-remaining-tokens", "0"},
                       {"x-ratelimit-reset-tokens", "1.25s"}};
  EXPECT_EQ(wait(tokens), 1250ms);
  EXPECT_EQ(wait({{"x-ratelimit-reset-requests", "20ms"}, {"x-ratelimit-reset-tokens", "6m0s"}}), 6min);
  EXPECT_EQ(wait({{"x-ratelimit-reset-tokens", "1h2m3s"}}), 1h + 2min + 3s);
  // The headers stand in every reply; only a 429 means them.
  EXPECT_EQ(wait(tokens, 500), std::nullopt);
  // Azure counts in plain seconds.
  EXPECT_EQ(wait({{"x-ratelimit-reset-requests", "12"}}), 12s);
}

TEST(RetryAfter, OfGatewaysComesAsATimeSince1970) {
  EXPECT_EQ(wait({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1709294415000"}}), 15s)
      << "OpenRouter";
  EXPECT_EQ(wait({{"x-ratelimit-reset", "1709294407"}}), 7s);
  EXPECT_EQ(wait({{"x-ratelimit-reset", "1709294300000"}}), 0s) << "it is over";
  EXPECT_EQ(wait({{"x-ratelimit-reset", "999999999"}}), 24h) << "seconds, and too many";
}

TEST(RetryAfter, OfAnthropicComesAsATimeOfDay) {
  EXPECT_EQ(wait({{"anthropic-ratelimit-requests-remaining", "10"},
                  {"anthropic-ratelimit-requests-reset", "2024-03-01T12:59:00Z"},
                  {"anthropic-ratelimit-input-tokens-remaining", "0"},
                  {"anthropic-ratelimit-input-tokens-reset", "2024-03-01T12:00:45Z"}}),
            45s);
  EXPECT_EQ(wait({{"anthropic-ratelimit-tokens-reset", "2024-03-01T13:00:02+01:00"}}), 2s);
}

// OpenRouter tells milliseconds since 1970, GitHub seconds: an hour of pause would end each case at once.
TEST(RetryAfter, MayBeAMomentSince1970) {
  EXPECT_EQ(wait({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1709294430"}}), 30s);
  EXPECT_EQ(wait({{"x-ratelimit-remaining", "0"}, {"X-RateLimit-Reset", "1709294430000"}}), 30s);
  EXPECT_EQ(wait({{"x-ratelimit-reset", "1709294399000"}}), 0s) << "it has passed";
  EXPECT_EQ(wait({{"Retry-After", "1709294430"}}), 30s);
  EXPECT_EQ(wait({{"x-ratelimit-reset", "1709298030"}, {"Date", "Fri, 01 Mar 2024 13:00:00 GMT"}}), 30s)
      << "by the server's clock";
  EXPECT_EQ(wait({{"Retry-After", "86400"}}), 24h) << "seconds, however long";
}

TEST(HttpDate, IsReadInItsOneForm) {
  // The example of RFC 9110, section 5.6.7; 784111777 by `date -u -d "1994-11-06 08:49:37" +%s`.
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), WallTime(std::chrono::seconds(784111777)));
  for (const std::string_view text :
       {"", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 2024 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov 9999 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(RetryAfter, OfAnyTextIsNothingOrBetweenNowAndADay, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element(
      '0', '9', '1', 's', 'm', 'h', '.', '-', ':', ' ', 'T', 'Z', 'e', '+', 'G', 'n', 'a', 'i', 'f', '\xff'));
  for (const char* name :
       {"retry-after-ms", "retry-after", "x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset"}) {
    const auto found = retry_after(429, {{name, text}}, kNoon);
    if (found) RC_ASSERT(*found >= 0ms && *found <= 24h);
  }
}

}  // namespace
}  // namespace assay
