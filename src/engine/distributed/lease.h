// A case that was given to this worker: how long it is still its own, and whether anything was asked for it.
// Another one gets it afterwards; nothing new is asked for it here then, while what is already asked is
// waited for and kept, since it is paid for. One for which nothing was asked yet can be taken back.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

namespace assay {

class Lease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `on_begin`, which may be empty, hears of the first request.
  explicit Lease(Time until, std::function<void()> on_begin = {})
      : until_(until), on_begin_(std::move(on_begin)) {}
  // It was extended, which the queue has confirmed.
  void extend(Time until) { until_ = until; }
  // From any thread. A process that was stopped for a while finds it so when it goes on.
  bool lost() const { return std::chrono::steady_clock::now() > until_.load(); }

  // The rest belongs to the loop of whoever gave the case.

  // Something is sent for the case now; false: it must not be, and the case is to be left.
  bool begin() {
    if (lost() || state_ == State::taken_back || state_ == State::left) {
      if (state_ != State::begun) state_ = State::left;
      return false;
    }
    if (std::exchange(state_, State::begun) == State::waiting && on_begin_) on_begin_();
    return true;
  }
  // Nothing was asked for it, and it is to be asked.
  bool waiting() const { return state_ == State::waiting; }
  // Of one that waits: nothing will be asked.
  void take_back() {
    if (state_ == State::waiting) state_ = State::taken_back;
  }
  // It was taken back and has come again, before the case has heard of the one or the other.
  void offer_again() {
    if (state_ == State::taken_back) state_ = State::waiting;
  }

 private:
  enum class State { waiting, begun, taken_back, left };

  std::atomic<Time> until_;
  std::function<void()> on_begin_;
  State state_ = State::waiting;
};

}  // namespace assay
