// Times and durations as people and ISO 8601 write them. All times are UTC.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

using WallTime = std::chrono::system_clock::time_point;

std::string iso_time(WallTime time);                     // 2026-09-01T08:30:00.250Z
std::string directory_time(WallTime time);               // 2026-09-01T08-30-00, fit for a directory's name
Result<WallTime> parse_iso_time(std::string_view text);  // with Z, an offset, or neither (then UTC)

// "250ms", "30s", "2m", "1h30m", "1.5s"; a bare number is seconds. Never negative.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
std::string duration_text(std::chrono::nanoseconds duration);  // "1h 02m", "3.4 s", "250 ms"
// The exact form that parse_duration reads back: "1500ms", "30s".
std::string duration_literal(std::chrono::nanoseconds duration);

}  // namespace assay
