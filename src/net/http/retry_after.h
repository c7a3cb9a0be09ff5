// How long a server asks to be left alone, from the headers of its reply. Pure: the time is an argument.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "core/time.h"
#include "net/http/http.h"

namespace assay {

// In this order: retry-after-ms; Retry-After (seconds or an HTTP date); for a 429 also the reset headers of
// the rate limits (x-ratelimit-reset-requests/-tokens, anthropic-ratelimit-*-reset): of those that are used
// up, or of all if none is said to be, the latest. Dates are taken against the reply's own Date where it has
// one, since clocks differ. Between 0 and 24 hours.
std::optional<std::chrono::milliseconds> retry_after(int status, const Headers& headers, WallTime now);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110; the two older forms are not in use any more).
std::optional<WallTime> parse_http_date(std::string_view text);

}  // namespace assay
