// A value that comes later, or does not: one coroutine waits for it until a deadline. It goes on in a later
// round of the loop, never from inside set(), so that whoever sets may be destroyed by it.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "net/event_loop.h"

namespace assay {

template <class T>
class Arrival {
 public:
  Arrival(EventLoop& loop, Clock::time_point deadline) : loop_(loop), deadline_(deadline) {}
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival() { loop_.cancel(timer_); }

  // The first one counts.
  void set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    if (waiting_) wake_at(Clock::now());
  }
  bool has_value() const { return value_.has_value(); }

  // co_await arrival: the value, or nothing if the deadline came first.
  bool await_ready() const noexcept { return value_.has_value(); }
  void await_suspend(std::coroutine_handle<> handle) {
    waiting_ = handle;
    wake_at(deadline_);
  }
  std::optional<T> await_resume() { return std::exchange(value_, std::nullopt); }

 private:
  void wake_at(Clock::time_point when) {
    loop_.cancel(timer_);
    timer_ = loop_.call_at(when, [this] {
      timer_ = 0;
      std::exchange(waiting_, nullptr).resume();
    });
  }

  EventLoop& loop_;
  Clock::time_point deadline_;
  std::optional<T> value_;
  std::coroutine_handle<> waiting_;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace assay
