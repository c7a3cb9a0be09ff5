// One thread that does what blocks (reading from a database, writing and syncing files) for an event loop
// that must not: work is done in the order in which it came.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/later.h"
#include "core/task.h"

namespace assay {

class WorkThread {
 public:
  WorkThread() : thread_([this] { work(); }) {}
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  // Does what is queued, then ends.
  ~WorkThread() {
    {
      const std::lock_guard guard(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  // Done on the thread some time later; must not throw.
  void post(std::function<void()> one) { add(std::move(one)); }

  // What `ask()` gives, asked on the thread; an exception that it throws is thrown here.
  template <class T>
  Task<T> run(std::function<T()> ask) {
    auto came = co_await Later<Came<T>>([this, &ask](typename Later<Came<T>>::Done done) {
      add([ask = std::move(ask), done = std::move(done)] {
        Came<T> came;
        try {
          came.value.emplace(ask());
        } catch (...) {
          came.thrown = std::current_exception();
        }
        done(std::move(came));
      });
    });
    if (came.thrown) std::rethrow_exception(came.thrown);
    co_return std::move(*came.value);
  }

 private:
  template <class T>
  struct Came {
    std::optional<T> value;
    std::exception_ptr thrown;
  };

  void add(std::function<void()> one) {
    {
      const std::lock_guard guard(mutex_);
      queue_.push_back(std::move(one));
    }
    wake_.notify_one();
  }
  void work() {
    for (;;) {
      std::function<void()> one;
      {
        std::unique_lock guard(mutex_);
        wake_.wait(guard, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        one = std::move(queue_.front());
        queue_.pop_front();
      }
      one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace assay
