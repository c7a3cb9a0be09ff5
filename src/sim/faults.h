// What the simulated endpoint does wrong, decided by the seed and the number of the request alone, so that a
// run with faults can be repeated.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"
#include "sim/answers/instance.h"
#include "sim/chance.h"

namespace assay {

// Shares of requests, each 0 to 1, together at most 1: a request has at most one fault.
struct SimFaultOptions {
  std::chrono::nanoseconds latency{0};         // before an answer
  std::chrono::nanoseconds latency_spread{0};  // the latency varies by up to so much, both ways
  double rate_429 = 0;                         // too many requests, with retry-after
  double rate_500 = 0;                         // internal error
  double rate_503 = 0;                         // overloaded; 529 in Anthropic's protocol
  double rate_drop = 0;   // the connection is reset instead of an answer, or in the middle of a stream
  double rate_stall = 0;  // nothing comes, or nothing more in the middle of a stream
  double rate_truncate =
      0;  // the body ends before its announced length; a stream ends without its last events
  double rate_malformed = 0;  // 200 with a body, or an event, that is not JSON
  double rate_wrong_schema =
      0;                   // well-formed JSON that does not fit the schema; no fault where none was asked for
  double rate_length = 0;  // the answer is cut off with finish reason length
  double retry_after = 1;  // seconds that a 429 and a 503 ask for; below 0: the header is left out
  std::chrono::nanoseconds batch_time{0};  // that a batch takes; its requests have their turns within it
  double rate_batch_errored = 0;           // of the requests in batches, together at most 1: a server error
  double rate_batch_expired = 0;           // never had its turn
};

namespace sim {

enum class Fault {
  none,
  rate_limited,
  server_error,
  overloaded,
  drop,
  stall,
  truncate,
  malformed,
  wrong_schema,
  length
};
inline constexpr std::size_t kFaultKinds = 10;

// "429", "500", "503", "drop", …; as in flags, scripts and statistics.
std::string_view to_string(Fault fault);
std::optional<Fault> fault_named(std::string_view name);
// All names but "none".
std::span<const std::string_view> fault_names();

struct FaultPlan {
  Fault fault = Fault::none;
  std::chrono::nanoseconds latency{0};
};

// Kind config; names the rate that is wrong.
Status check_faults(const SimFaultOptions& options);
FaultPlan plan_faults(const SimFaultOptions& options, std::uint64_t seed, std::uint64_t request_number);

// Changes the JSON of the answer (its text, or the arguments of its call) so that it does not fit the
// request's schema any more. False if there is none, or if every value fits it.
bool spoil_answer(ChatReply& reply, const ChatRequest& request, InstanceMakers& makers, Chance chance);

// At most `limit` requests in each minute, counted from the first one. Thread-safe; the time is an argument.
class MinuteWindow {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit MinuteWindow(std::uint64_t limit) : limit_(limit) {}

  struct Admission {
    bool admitted = true;
    std::uint64_t remaining = 0;
    std::chrono::nanoseconds until_reset{0};
  };
  Admission admit(Time now);
  void reset();
  std::uint64_t limit() const { return limit_; }

 private:
  std::mutex mutex_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::optional<Time> start_;
};

}  // namespace sim
}  // namespace assay
