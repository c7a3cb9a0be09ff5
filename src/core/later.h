// Waiting for what another thread does: co_await Later<T>(start). `start(done)` is called at once and hands
// the work over; `done(value)` may then be called on any thread, once, and brings the value back to the
// coroutine's own thread. A coroutine that is destroyed meanwhile is not resumed: what was begun ends, and
// nobody hears of it.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/poster.h"

namespace assay {

// The two ends of one answer. `handle` belongs to the coroutine's thread, `value` to whoever fills it until
// it is posted.
template <class T>
struct Awaited {
  std::coroutine_handle<> handle;
  std::optional<T> value;

  // On the coroutine's thread.
  void arrive() {
    if (handle) std::exchange(handle, nullptr).resume();
  }
};

template <class T>
class Later {
 public:
  using Done = std::function<void(T)>;
  using Start = std::function<void(Done)>;

  explicit Later(Start start) : start_(std::move(start)) {}
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  ~Later() { awaited_->handle = nullptr; }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    awaited_->handle = handle;
    start_([awaited = awaited_, &back = Poster::here()](T value) {
      awaited->value = std::move(value);
      back.post([awaited] { awaited->arrive(); });
    });
  }
  T await_resume() { return std::move(*awaited_->value); }

 private:
  Start start_;
  std::shared_ptr<Awaited<T>> awaited_ = std::make_shared<Awaited<T>>();
};

}  // namespace assay
