// One thread, one epoll: sockets, timers, functions posted by other threads, and the coroutines that wait for
// them. Timers live in a heap whose top is the timeout of epoll_wait; no timerfd, no busy waiting.
// Everything but post() and stop() must be called on the loop's thread (or before run()). What is called back
// may call anything here, except destroy the loop. Whatever uses the loop must be destroyed before it.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/error.h"
#include "core/poster.h"
#include "core/task.h"

namespace assay {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;

class EventLoop final : public Poster {
 public:
  // Also ignores SIGPIPE in this process: a peer that goes away is an error code, not a signal.
  EventLoop();
  // Destroys the coroutines that were spawned and have not finished.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs until stop(). May be called again afterwards. A stop() that came before makes it return at once.
  void run();
  // Runs until `task` is done and gives its result: the way from main() or a test into coroutines.
  template <class T>
  T run_until_done(Task<T> task);
  // Thread-safe: leaves run() after the current round.
  void stop();
  // Thread-safe: runs `work` on the loop's thread, in the order of posting.
  void post(std::function<void()> work) override;
  // Starts a coroutine that nobody awaits; it belongs to the loop. An exception that leaves it ends the
  // program.
  void spawn(Task<void> task);

  using TimerId = std::uint64_t;  // never 0
  // Timers run in the order of their times, those of the same time in the order of setting; never early, and
  // up to 1 ms late.
  TimerId call_at(Clock::time_point when, std::function<void()> work);
  TimerId call_after(Duration delay, std::function<void()> work);
  // No effect if it has run already, or on 0.
  void cancel(TimerId timer);

  // Calls `ready(events)` while `fd` has one of `events` (EPOLLIN, EPOLLOUT, …; EPOLLERR and EPOLLHUP come
  // unasked). Watching an fd again replaces events and function. The kernel hears of it before the next wait,
  // so changes within one round cost one system call at most.
  void watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready);
  // Changes only the events of a watched fd; 0 pauses it.
  void set_events(int fd, std::uint32_t events);
  // Must come before close(fd): the number may be given out again at once. No effect if it is not watched.
  void unwatch(int fd);
  // The same for an fd that is closed already, which the kernel has noticed: its number is left alone.
  void forget(int fd);

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
  Sleep sleep(Duration delay) { return Sleep(*this, after(delay)); }

  // Now plus `delay`, which may be as long as it likes.
  static Clock::time_point after(Duration delay);

  // What the loop holds, for tests and diagnosis.
  struct Load {
    std::size_t timers = 0;       // that will run
    std::size_t timer_slots = 0;  // kept for them and for cancelled ones
    std::size_t watches = 0;
    std::size_t spawned = 0;
  };
  Load load() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Lets this process open as many files as its hard limit allows and returns that number.
std::size_t raise_open_file_limit();

namespace task_detail {

// The coroutine that follows the last one of run_until_done(): owned by its caller, never awaited.
class Ending {
 public:
  struct promise_type {
    Ending get_return_object() { return Ending(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const { std::terminate(); }
  };
  explicit Ending(std::coroutine_handle<> handle) : handle_(handle) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() { handle_.destroy(); }
  std::coroutine_handle<> handle() const { return handle_; }

 private:
  std::coroutine_handle<> handle_;
};

inline Ending stop_at_end(EventLoop& loop) {
  loop.stop();
  co_return;
}

}  // namespace task_detail

template <class T>
T EventLoop::run_until_done(Task<T> task) {
  const auto ending = task_detail::stop_at_end(*this);
  post([&task, &ending] { task.await_suspend(ending.handle()).resume(); });
  while (!ending.handle().done()) run();
  return task.await_resume();
}

}  // namespace assay
