// The loop of tests that have no event loop: other threads post, and the test's thread works it off while it
// waits for a task.
// The thread that makes it is at work for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/later.h"
#include "core/task.h"

namespace assay {

class Mailbox final : public Poster {
 public:
  void post(std::function<void()> work) override {
    // Under the lock: whoever waits may take this away as soon as it has the work.
    const std::lock_guard guard(mutex_);
    queue_.push_back(std::move(work));
    came_.notify_one();
  }

  // Waits for one thing that was posted, and does it.
  void work_off_one() {
    std::function<void()> work;
    {
      std::unique_lock guard(mutex_);
      came_.wait(guard, [this] { return !queue_.empty(); });
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }

  // What the task gives; others go on meanwhile.
  template <class T>
  T await(Task<T> task) {
    std::optional<T> result;
    const Owned waiting = take(std::move(task), result);
    while (!result) work_off_one();
    return std::move(*result);
  }

  // Starts the task, and destroys it while it waits.
  template <class T>
  static void give_up(Task<T> task) {
    std::optional<T> result;
    const Owned waiting = take(std::move(task), result);
  }

 private:
  // Started at once; destroyed with its owner, wherever it stands.
  class Owned {
   public:
    struct promise_type {
      Owned get_return_object() { return Owned(std::coroutine_handle<promise_type>::from_promise(*this)); }
      std::suspend_never initial_suspend() const noexcept { return {}; }
      std::suspend_always final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      [[noreturn]] void unhandled_exception() const { std::terminate(); }
    };
    explicit Owned(std::coroutine_handle<> handle) : handle_(handle) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { handle_.destroy(); }

   private:
    std::coroutine_handle<> handle_;
  };

  template <class T>
  static Owned take(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await task);
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> queue_;
  AtWork here_{*this};
};

}  // namespace assay
