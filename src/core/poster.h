// A thread that takes work from others: an event loop. A coroutine lives on one, and whoever has it wait for
// another thread brings it back there.
#pragma once

#include <cassert>
#include <functional>

namespace assay {

class Poster {
 public:
  Poster() = default;
  Poster(const Poster&) = delete;
  Poster& operator=(const Poster&) = delete;
  virtual ~Poster() = default;

  // Thread-safe: runs `work` on the poster's thread, in the order of posting.
  virtual void post(std::function<void()> work) = 0;

  // Whether the calling thread is at work for it, or for nobody: before a loop runs, and after it, who made
  // it may do what belongs to its thread.
  bool is_here() const { return current() == this || current() == nullptr; }
  // The one that the calling thread is at work for; there must be one.
  static Poster& here() {
    assert(current() != nullptr && "a coroutine waits for another thread, and runs on no loop");
    return *current();
  }

  // The calling thread is at work for it as long as this lives; then again for whom it was before.
  class AtWork {
   public:
    explicit AtWork(Poster& poster) : before_(current()) { current() = &poster; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    ~AtWork() { current() = before_; }

   private:
    Poster* before_;
  };

 private:
  static Poster*& current() {
    thread_local Poster* poster = nullptr;
    return poster;
  }
};

}  // namespace assay
