// How fast one provider may be asked: at most so many requests at once, so many requests and tokens a minute,
// and less after it answers "too many". The window of requests in flight follows additive increase,
// multiplicative decrease: it halves on a 429 and grows back by one for each window of successes. Waiters are
// served in order; nothing polls.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/error.h"
#include "net/event_loop.h"

namespace assay {

struct LimitOptions {
  int concurrency = 64;
  std::optional<double> requests_per_minute = {};
  std::optional<double> tokens_per_minute = {};
};

class Limiter {
 public:
  Limiter(EventLoop& loop, LimitOptions options);
  ~Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  // co_await limiter.acquire(tokens): true when a request may be sent, false when the run is stopping. Each
  // true must be paired with one release().
  class Acquire {
   public:
    bool await_ready();
    void await_suspend(std::coroutine_handle<> handle);
    bool await_resume() const { return granted_; }

   private:
    friend class Limiter;
    Acquire(Limiter& limiter, double tokens) : limiter_(limiter), tokens_(tokens) {}
    Limiter& limiter_;
    double tokens_;
    bool granted_ = false;
    std::coroutine_handle<> handle_;
  };
  Acquire acquire(double estimated_tokens) { return Acquire(*this, estimated_tokens); }

  enum class Feedback { success, too_many, other };
  // `tokens_off` corrects the estimate (used minus estimated). `pause` is what the server asked for: nothing
  // is sent to it before.
  void release(Feedback feedback, double tokens_off, std::optional<Duration> pause);

  // Wakes every waiter with false, and refuses from now on.
  void stop();

  int in_flight() const { return in_flight_; }
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
    Duration until_positive() const;
  };

  bool may_send(Clock::time_point now);
  void take(double tokens);
  void serve();
  void wake_later(Clock::time_point now);

  EventLoop& loop_;
  LimitOptions options_;
  double window_;
  int in_flight_ = 0;
  bool stopped_ = false;
  bool serving_ = false;
  Clock::time_point paused_until_{};
  Clock::time_point last_decrease_{};
  std::optional<Bucket> requests_;
  std::optional<Bucket> tokens_;
  std::deque<Acquire*> queue_;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace assay
