// How fast one address may be asked: at most so many requests at once, so many requests and tokens a minute,
// and less after it answers "too many". The window of requests in flight follows additive increase,
// multiplicative decrease: it halves on a 429 and grows back by one for each window of successes. The oldest
// case is served first, so that cases end one after the other instead of all at once; nothing polls.
//
// A request is in flight until its answer is there. From then until the answer is durable it counts as
// received, and that is bounded too: a disk that is slower than the address holds requests back instead of
// filling the memory, and a kill repeats no more than what was open.
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "gateway/waits.h"
#include "net/event_loop.h"

namespace assay {

struct LimitOptions {
  int concurrency = 64;
  std::optional<double> requests_per_minute = {};
  std::optional<double> tokens_per_minute = {};
};

// In flight, or received and not yet durable. Enough that an instant address is not held back by a disk that
// takes a few milliseconds for a commit.
constexpr int most_open(int concurrency) {
  return (std::min(concurrency, 1'000'000) * 2) + 16;
}
// Of what is received and not yet durable; nothing is sent while there is more.
inline constexpr std::size_t kMostReceivedBytes = std::size_t{64} << 20;

class Limiter;

// The right to one request. Given back with how it went, or, whatever happens, when it is destroyed.
class Permit {
 public:
  enum class Feedback { success, too_many, other };

  Permit() = default;
  Permit(Permit&& other) noexcept
      : limiter_(std::exchange(other.limiter_, nullptr)), tokens_(other.tokens_), bytes_(other.bytes_) {}
  Permit& operator=(Permit&&) = delete;
  ~Permit();

  // `used` are the tokens that it took, in the place of the estimate. `pause` is what the server asked for:
  // nothing is sent to it before.
  void give_back(Feedback feedback, double used = 0, std::optional<Duration> pause = std::nullopt);
  // A success whose answer, of so many bytes, is not durable yet: the next request may be sent, and this one
  // stays open until it is destroyed.
  void arrived(double used, std::size_t bytes);
  explicit operator bool() const { return limiter_ != nullptr; }

 private:
  friend class Limiter;
  Permit(Limiter& limiter, double tokens) : limiter_(&limiter), tokens_(tokens) {}
  Limiter* limiter_ = nullptr;
  double tokens_ = 0;                 // estimated
  std::optional<std::size_t> bytes_;  // once it has arrived
};

class Limiter {
 public:
  Limiter(EventLoop& loop, LimitOptions options);
  ~Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  // Permit permit = co_await limiter.acquire(tokens, waits, turn): none if `waits` was cut short. The lowest
  // turn that waits is served first, equal ones in the order of their coming. Destroyed while it waits, it
  // leaves the queue.
  class Acquire final : public Wait {
   public:
    Acquire(Limiter& limiter, double tokens, Waits& waits, std::int64_t turn)
        : Wait(waits), limiter_(limiter), tokens_(tokens), turn_(turn) {}
    ~Acquire() {
      if (waiting()) take_back();
    }
    bool await_ready();
    void await_suspend(std::coroutine_handle<> handle);
    Permit await_resume() { return granted_ ? Permit(limiter_, tokens_) : Permit(); }

   private:
    friend class Limiter;
    void take_back() override { limiter_.queue_.erase(place_in_queue_); }
    Limiter& limiter_;
    double tokens_;
    std::int64_t turn_;
    bool granted_ = false;
    std::multimap<std::int64_t, Acquire*>::iterator place_in_queue_;
  };
  Acquire acquire(double estimated_tokens, Waits& waits, std::int64_t turn) {
    return {*this, estimated_tokens, waits, turn};
  }

  // From now on; what is in flight stays.
  void change(const LimitOptions& options);

  int in_flight() const { return in_flight_; }
  int received() const { return received_; }  // and not yet durable
  int waiting() const { return static_cast<int>(queue_.size()); }
  double window() const { return window_; }
  // "rate limit: 40 requests a minute" while something other than the window holds waiters back; else empty.
  std::string waiting_for() const;

 private:
  // A bucket that fills at `rate` a second up to `capacity`; it may go into debt, and then must recover
  // first.
  struct Bucket {
    double rate = 0;
    double capacity = 0;
    double level = 0;
    Clock::time_point updated;
    void refill(Clock::time_point now);
    void change(double per_second, double at_once, Clock::time_point now);
    Duration until_positive() const;
  };

  friend class Permit;
  void release(Permit::Feedback feedback, double tokens_off, std::optional<Duration> pause);
  // Of a coroutine that is being destroyed: others go on by way of the loop, not inside of it.
  void drop(double estimated_tokens);
  // What was received is durable.
  void kept(std::size_t bytes);
  // Nothing but the end of an open request lets another one go.
  bool full() const;
  bool may_send(Clock::time_point now);
  void take(double tokens);
  void serve();
  // Once the coroutine that gave back its permit has asked for its next one: an older case goes on before a
  // younger one begins.
  void serve_soon();
  void wake_later(Clock::time_point now);

  EventLoop& loop_;
  LimitOptions options_;
  double window_;
  int in_flight_ = 0;
  int received_ = 0;
  std::size_t received_bytes_ = 0;
  bool serving_ = false;
  Clock::time_point paused_until_{};
  Clock::time_point last_decrease_{};
  std::optional<Bucket> requests_;
  std::optional<Bucket> tokens_;
  std::multimap<std::int64_t, Acquire*> queue_;  // by turn
  EventLoop::TimerId timer_ = 0;
  Clock::time_point timer_at_{};
  EventLoop::TimerId soon_ = 0;
};

}  // namespace assay
