// How long to wait before trying again: exponential with full jitter, and never shorter than the server asked
// for.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/random.h"

namespace assay {

inline constexpr std::chrono::milliseconds kFirstBackoff{500};
inline constexpr std::chrono::milliseconds kLongestBackoff{60'000};
// A server that asks for more than this is not waited for: the failure is final.
inline constexpr std::chrono::minutes kLongestPause{10};

// `failed_tries` from 1.
inline std::chrono::nanoseconds backoff(int failed_tries,
                                        std::optional<std::chrono::milliseconds> retry_after,
                                        Random& random) {
  const auto ceiling = std::min<std::chrono::nanoseconds>(
      kFirstBackoff * (1LL << std::min(failed_tries - 1, 20)), kLongestBackoff);
  const auto jitter = std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(ceiling.count()) * random.uniform()));
  return retry_after ? *retry_after + jitter / 4 : jitter;
}

}  // namespace assay
