// A pause that ends early when its waits are cut short.
#pragma once

#include <coroutine>

#include "gateway/waits.h"
#include "net/event_loop.h"

namespace assay {

class Pause final : public Wait {
 public:
  Pause(Waits& waits, EventLoop& loop, Duration delay) : Wait(waits), loop_(loop), delay_(delay) {}
  ~Pause() {
    if (waiting()) take_back();
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    enter(handle);
    timer_ = loop_.call_after(delay_, [this] { wake(); });
  }
  void await_resume() const {}

 private:
  void take_back() override { loop_.cancel(timer_); }
  EventLoop& loop_;
  Duration delay_;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace assay
