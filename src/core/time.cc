#include "core/time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace assay {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct Fields {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<milliseconds> clock;
};

using MsTime = std::chrono::sys_time<milliseconds>;

Fields split(MsTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<milliseconds>(time - day)};
}

std::string iso_text(MsTime time) {
  const auto [date, clock] = split(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

// A time to the nanosecond in parts that cannot overflow: whole seconds since 1970, and what is beyond them.
struct ParsedTime {
  std::chrono::sys_seconds seconds;
  nanoseconds beyond{0};
};

std::optional<int> digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool skip(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Minutes east of UTC; absent if the text is not an offset.
std::optional<int> offset_minutes(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto hours = digits(text, 2);
  skip(text, ':');
  const auto minutes = text.empty() ? std::optional<int>(0) : digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

std::optional<double> unit_seconds(std::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit.empty()) return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nullopt;
}

Result<ParsedTime> parse_time(std::string_view text) {
  const auto wrong = [whole = std::string(text)] {
    return fail(ErrorKind::parse,
                fmt::format("found \"{}\", expected an ISO 8601 time such as 2026-09-01T08:30:00Z", whole));
  };
  const auto year = digits(text, 4);
  if (!year || !skip(text, '-')) return wrong();
  const auto month = digits(text, 2);
  if (!month || !skip(text, '-')) return wrong();
  const auto day = digits(text, 2);
  if (!day) return wrong();
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return wrong();
  std::chrono::seconds clock{0};
  nanoseconds beyond{0};
  int offset = 0;
  if (!text.empty()) {
    if (!skip(text, 'T') && !skip(text, 't') && !skip(text, ' ')) return wrong();
    const auto hour = digits(text, 2);
    if (!hour || !skip(text, ':')) return wrong();
    const auto minute = digits(text, 2);
    if (!minute || *hour > 23 || *minute > 59) return wrong();
    clock += std::chrono::hours(*hour) + std::chrono::minutes(*minute);
    if (skip(text, ':')) {
      const auto second = digits(text, 2);
      if (!second || *second > 60) return wrong();
      clock += std::chrono::seconds(*second);
      if (skip(text, '.') || skip(text, ',')) {
        std::int64_t scale = 100'000'000;
        std::size_t used = 0;
        while (used < text.size() && text[used] >= '0' && text[used] <= '9') {
          beyond += nanoseconds((text[used] - '0') * scale);
          scale /= 10;
          ++used;
        }
        if (used == 0) return wrong();
        text.remove_prefix(used);
      }
    }
    const auto minutes_east = offset_minutes(text);
    if (!minutes_east) return wrong();
    offset = *minutes_east;
  }
  return ParsedTime{std::chrono::sys_days(date) + clock - std::chrono::minutes(offset), beyond};
}

}  // namespace

std::string iso_time(WallTime time) {
  return iso_text(std::chrono::floor<milliseconds>(time));
}

std::string iso_time_of_ms(std::int64_t ms) {
  return iso_text(MsTime(milliseconds(std::clamp(ms, kFirstTimeMs, kLastTimeMs))));
}

std::string directory_time(WallTime time) {
  const auto [date, clock] = split(std::chrono::floor<milliseconds>(time));
  return fmt::format("{:04}-{:02}-{:02}T{:02}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

Result<WallTime> parse_iso_time(std::string_view text) {
  const auto parsed = parse_time(text);
  if (!parsed) return fail(parsed.error());
  using std::chrono::floor;
  // One second less at both ends, for what is beyond a whole one.
  constexpr auto kFirst = std::chrono::ceil<std::chrono::seconds>(WallTime::min()) + std::chrono::seconds(1);
  constexpr auto kLast = floor<std::chrono::seconds>(WallTime::max()) - std::chrono::seconds(1);
  if (parsed->seconds < kFirst || parsed->seconds > kLast) {
    return fail(ErrorKind::parse,
                fmt::format("found \"{}\", expected a time of the years 1678 to 2261", text));
  }
  return WallTime(parsed->seconds) + duration_cast<WallTime::duration>(parsed->beyond);
}

Result<std::int64_t> parse_iso_ms(std::string_view text) {
  const auto parsed = parse_time(text);
  if (!parsed) return fail(parsed.error());
  const auto time = MsTime(parsed->seconds) + std::chrono::floor<milliseconds>(parsed->beyond);
  // An offset may carry it out of the years that have four digits.
  return std::clamp<std::int64_t>(time.time_since_epoch().count(), kFirstTimeMs, kLastTimeMs);
}

Result<nanoseconds> parse_duration(std::string_view text) {
  const auto wrong = [whole = std::string(text)] {
    return fail(ErrorKind::parse,
                fmt::format("found \"{}\", expected a duration such as 250ms, 30s, 2m or 1h30m", whole));
  };
  if (text.empty()) return wrong();
  double seconds = 0;
  while (!text.empty()) {
    std::size_t end = 0;
    while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
    if (end == 0) return wrong();
    const std::string number(text.substr(0, end));
    char* stop = nullptr;
    const double amount = std::strtod(number.c_str(), &stop);
    if (*stop != '\0') return wrong();
    text.remove_prefix(end);
    std::size_t letters = 0;
    while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
    const auto unit = unit_seconds(text.substr(0, letters));
    if (!unit) return wrong();
    text.remove_prefix(letters);
    while (skip(text, ' ')) {
    }
    seconds += amount * *unit;
  }
  if (seconds > 1e9) return wrong();
  return nanoseconds(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

std::string duration_text(nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole % 3600 / 60);
}

std::string duration_literal(nanoseconds duration) {
  const auto count = duration.count();
  if (count % 1'000'000'000 == 0) return fmt::format("{}s", count / 1'000'000'000);
  if (count % 1'000'000 == 0) return fmt::format("{}ms", count / 1'000'000);
  return fmt::format("{}ns", count);
}

}  // namespace assay
