// SIGINT, SIGTERM and SIGHUP as calls on the event loop's thread, so that a program can end in order. One
// SignalWatch at a time; while it lives, the signals do nothing else. Its end restores what was before. A
// SIGHUP that was ignored when we were started (nohup) stays ignored.
#pragma once

#include <functional>

#include "net/event_loop.h"

namespace assay {

class SignalWatch {
 public:
  // `received` gets the number of each signal, in the order in which they came.
  SignalWatch(EventLoop& loop, std::function<void(int)> received);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  EventLoop& loop_;
};

// A peer or child that goes away becomes an error code. Only a default disposition is changed. EventLoop
// calls it.
void ignore_broken_pipes();

}  // namespace assay
