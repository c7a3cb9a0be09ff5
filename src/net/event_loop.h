// One thread, one epoll: sockets, timers, functions posted by other threads, and the coroutines that wait for
// them. Timers live in a heap whose top is the timeout of epoll_wait; no timerfd, no busy waiting.
// Everything but post() and stop() must be called on the loop's thread (or before run()).
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/error.h"
#include "net/task.h"

namespace assay {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs until stop(). May be called again afterwards.
  void run();
  // Runs until `task` is done and gives its result: the way from main() or a test into coroutines.
  template <class T>
  T run_until_done(Task<T> task);
  // Thread-safe: leaves run() after the current round.
  void stop();
  // Thread-safe: runs `work` on the loop's thread, in the order of posting.
  void post(std::function<void()> work);
  // Starts a coroutine that nobody awaits.
  void spawn(Task<void> task) { start_detached(std::move(task)); }

  using TimerId = std::uint64_t;  // never 0
  TimerId call_at(Clock::time_point when, std::function<void()> work);
  TimerId call_after(Duration delay, std::function<void()> work);
  // No effect if it has run already.
  void cancel(TimerId timer);

  // Calls `ready(events)` while `fd` has one of `events` (EPOLLIN, EPOLLOUT, …). Watching an fd again replaces
  // events and function.
  void watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready);
  void unwatch(int fd);

  // co_await loop.sleep(50ms)
  class Sleep {
   public:
    Sleep(EventLoop& loop, Clock::time_point when) : loop_(loop), when_(when) {}
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;
    ~Sleep();
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle);
    void await_resume() noexcept { timer_ = 0; }

   private:
    EventLoop& loop_;
    Clock::time_point when_;
    TimerId timer_ = 0;
  };
  Sleep sleep(Duration delay) { return Sleep(*this, Clock::now() + delay); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class T>
T EventLoop::run_until_done(Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    bool done = false;
    post([&] {
      start_detached([](Task<void> inner, EventLoop& loop, bool& finished) -> Task<void> {
        co_await inner;
        finished = true;
        loop.stop();
      }(std::move(task), *this, done));
    });
    while (!done) run();
  } else {
    std::optional<T> result;
    post([&] {
      start_detached([](Task<T> inner, EventLoop& loop, std::optional<T>& slot) -> Task<void> {
        slot.emplace(co_await inner);
        loop.stop();
      }(std::move(task), *this, result));
    });
    while (!result) run();
    return std::move(*result);
  }
}

}  // namespace assay
