// Times and durations as people and ISO 8601 write them. All times are UTC.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// Counts nanoseconds: from 1677-09-21T00:12:43Z to 2262-04-11T23:47:16Z.
using WallTime = std::chrono::system_clock::time_point;

std::string iso_time(WallTime time);        // 2026-09-01T08:30:00.250Z
std::string directory_time(WallTime time);  // 2026-09-01T08-30-00, fit for a directory's name
// With Z, an offset, or neither (then UTC). A time that WallTime cannot hold is an error.
Result<WallTime> parse_iso_time(std::string_view text);

// Milliseconds since 1970, for times of any year that ISO 8601 writes with four digits.
constexpr std::int64_t kFirstTimeMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
constexpr std::int64_t kLastTimeMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z
Result<std::int64_t> parse_iso_ms(std::string_view text);
std::string iso_time_of_ms(std::int64_t ms);  // ms from kFirstTimeMs to kLastTimeMs; others as the nearest

// "250ms", "30s", "2m", "1h30m", "1.5s"; a bare number is seconds. Never negative.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
std::string duration_text(std::chrono::nanoseconds duration);  // "1h 02m", "3.4 s", "250 ms"
// The exact form that parse_duration reads back: "1500ms", "30s".
std::string duration_literal(std::chrono::nanoseconds duration);

}  // namespace assay
