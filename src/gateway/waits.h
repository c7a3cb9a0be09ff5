// What the coroutines of one run wait for at the gateway: a permit, the end of a pause. When the run ends,
// all of it is cut short; a coroutine that is destroyed while it waits leaves no trace.
#pragma once

#include <coroutine>
#include <list>
#include <utility>

namespace assay {

class Waits;

// One wait. A subclass arranges to be woken, and takes that back when it is left.
class Wait {
 public:
  explicit Wait(Waits& waits) : waits_(waits) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  bool waiting() const { return handle_ != nullptr; }

 protected:
  ~Wait() { leave(); }  // the subclass has taken back its arrangement
  void enter(std::coroutine_handle<> handle);
  // Goes on in the coroutine, once.
  void wake();
  void leave();
  virtual void take_back() = 0;

 private:
  friend class Waits;
  Waits& waits_;
  std::coroutine_handle<> handle_;
  std::list<Wait*>::iterator place_;
};

class Waits {
 public:
  Waits() = default;
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  // Wakes everyone, in the order of their coming; also those who begin to wait meanwhile.
  void cut_short() {
    while (!waiting_.empty()) {
      Wait* first = waiting_.front();
      first->take_back();
      first->wake();
    }
  }

 private:
  friend class Wait;
  std::list<Wait*> waiting_;
};

inline void Wait::enter(std::coroutine_handle<> handle) {
  handle_ = handle;
  place_ = waits_.waiting_.insert(waits_.waiting_.end(), this);
}
inline void Wait::leave() {
  if (!handle_) return;
  waits_.waiting_.erase(place_);
  handle_ = nullptr;
}
inline void Wait::wake() {
  const auto handle = handle_;
  leave();
  handle.resume();
}

}  // namespace assay
