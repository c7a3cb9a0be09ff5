#include "net/http/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "core/text.h"

namespace assay {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongest = std::chrono::hours(24);

milliseconds bounded(double ms) {
  if (!(ms > 0)) return milliseconds(0);
  const double longest = static_cast<double>(kLongest.count());
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::min(ms, longest))));
}

milliseconds until(WallTime when, WallTime now) {
  const auto wait = std::chrono::ceil<milliseconds>(when - now);
  return std::clamp(wait, milliseconds(0), kLongest);
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string_view header(const Headers& headers, std::string_view name) {
  const std::string* value = headers.find(name);
  return value == nullptr ? std::string_view() : trim(*value);
}

// A number too large to be a wait is a time since 1970, in seconds or (OpenRouter) milliseconds.
milliseconds wait_of(double number, WallTime now) {
  constexpr double kLeastTime = 1e9;
  constexpr double kLeastMilliseconds = 1e12;
  if (!(number >= kLeastTime)) return bounded(number * 1000);
  const double since_1970 = number >= kLeastMilliseconds ? number : number * 1000;
  return bounded(since_1970 - std::chrono::duration<double, std::milli>(now.time_since_epoch()).count());
}

// "1s", "6m0s", "20ms", "1h2m3.5s", "12" (seconds), a time of day of RFC 3339 or a number since 1970.
std::optional<milliseconds> reset_time(std::string_view text, WallTime now) {
  if (text.empty()) return std::nullopt;
  if (const auto number = plain_number(text)) return wait_of(*number, now);
  if (const auto duration = parse_duration(text)) {
    return std::clamp(std::chrono::ceil<milliseconds>(*duration), milliseconds(0), kLongest);
  }
  if (const auto time = parse_iso_time(text)) return until(*time, now);
  return std::nullopt;
}

struct LimitHeaders {
  std::string_view reset;
  std::string_view remaining;
};

constexpr std::array<LimitHeaders, 7> kLimits{{
    {"x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"},
    {"x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"},
    {"anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"},
    {"anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"},
    {"anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"},
    {"anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"},
    {"x-ratelimit-reset", "x-ratelimit-remaining"},
}};

std::optional<milliseconds> latest_reset(const Headers& headers, WallTime now) {
  std::optional<milliseconds> latest;
  std::optional<milliseconds> latest_used_up;
  for (const auto& limit : kLimits) {
    const auto reset = reset_time(header(headers, limit.reset), now);
    if (!reset) continue;
    latest = std::max(latest.value_or(*reset), *reset);
    const auto remaining = plain_number(header(headers, limit.remaining));
    if (remaining && *remaining <= 0) latest_used_up = std::max(latest_used_up.value_or(*reset), *reset);
  }
  return latest_used_up ? latest_used_up : latest;
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text) {
  using namespace std::chrono;
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // "Sun, 06 Nov 1994 08:49:37 GMT": every field has its place.
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" || text[7] != ' ' ||
      text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') {
    return std::nullopt;
  }
  const auto month_at = std::ranges::find(months, text.substr(8, 3));
  const auto d = small_number(text.substr(5, 2));
  const auto y = small_number(text.substr(12, 4));
  const auto h = small_number(text.substr(17, 2));
  const auto m = small_number(text.substr(20, 2));
  const auto s = small_number(text.substr(23, 2));
  if (month_at == months.end() || !d || !y || !h || !m || !s) return std::nullopt;
  const auto number = static_cast<unsigned>(month_at - months.begin()) + 1;
  const year_month_day date{year(*y), month(number), day(static_cast<unsigned>(*d))};
  // A second of 60 is a leap second.
  if (!date.ok() || *h < 0 || *h > 23 || *m < 0 || *m > 59 || *s < 0 || *s > 60) return std::nullopt;
  // Outside of this the clock's 64-bit nanoseconds overflow.
  if (*y < 1970 || *y > 2200) return std::nullopt;
  return WallTime(sys_days(date)) + hours(*h) + minutes(*m) + seconds(*s);
}

std::optional<milliseconds> retry_after(int status, const Headers& headers, WallTime now) {
  if (const auto ms = plain_number(header(headers, "retry-after-ms"))) return bounded(*ms);
  const WallTime reference = parse_http_date(header(headers, "date")).value_or(now);
  const std::string_view text = header(headers, "retry-after");
  if (const auto seconds = plain_number(text)) return bounded(*seconds * 1000);
  if (const auto date = parse_http_date(text)) return until(*date, reference);
  if (status != 429) return std::nullopt;
  return latest_reset(headers, reference);
}

}  // namespace assay
