// What was begun and has not ended yet, and who waits until there is less of it. On one thread; one waits at
// a time.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include <boost/assert.hpp>

#include "core/task.h"

namespace assay {

class Backlog {
 public:
  Backlog() = default;
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  void begin() { ++open_; }
  // Who waits for this goes on at once.
  void end() {
    BOOST_ASSERT(open_ > 0);
    --open_;
    if (waiting_ != nullptr && open_ < waiting_->limit) std::exchange(waiting_, nullptr)->handle.resume();
  }

  // Until fewer than `most` are open.
  Task<void> room(std::size_t most) { co_await Below{*this, most}; }
  Task<void> ended() { return room(1); }

 private:
  struct Below {
    Backlog& all;
    std::size_t limit;
    std::coroutine_handle<> handle = {};

    Below(Backlog& backlog, std::size_t most) : all(backlog), limit(most) {}
    Below(const Below&) = delete;
    Below& operator=(const Below&) = delete;
    ~Below() {
      if (all.waiting_ == this) all.waiting_ = nullptr;
    }
    bool await_ready() const { return all.open_ < limit; }
    void await_suspend(std::coroutine_handle<> waiting) {
      BOOST_ASSERT(all.waiting_ == nullptr);
      handle = waiting;
      all.waiting_ = this;
    }
    void await_resume() const {}
  };

  std::size_t open_ = 0;
  Below* waiting_ = nullptr;
};

}  // namespace assay
