// Notices that everything asked of one address fails in the same way, so that a run stops with one message
// instead of failing a million times. A wrong key or certificate of a model is noticed at once; other
// failures after several in a row on whatever cases, with no success between. Only failures that are final
// (after all retries) count.
//
// Open, it refuses every call, for a while: then it begins anew, since the cause may be mended.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace assay {

// What is behind an address. A system under test that fails on case after case may be what a run is there to
// find out, and one that forbids does not have a wrong key.
enum class Behind { model, system_under_test };

class Circuit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kPause{1};

  Circuit(int threshold, Behind behind) : threshold_(threshold), behind_(behind) {}

  void success();
  // The error to stop with, if the circuit is open after this failure.
  std::optional<Error> failure(const Error& error, Time now);
  // The error to stop with, if nothing may be asked now.
  std::optional<Error> refusal(Time now);
  bool open() const { return reason_.has_value(); }

 private:
  std::int64_t threshold_;
  Behind behind_;
  std::int64_t in_a_row_ = 0;
  std::string signature_;
  std::optional<Error> reason_;  // while it is open
  Time opened_{};
};

}  // namespace assay
