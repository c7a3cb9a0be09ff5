// A result that several coroutines want and that is to be made once: the first one makes it, those that come
// while it is being made wait for it. An exception of the making is everybody's: nobody waits for what will
// not come. Belongs to one event loop; must outlive every get(). One that waits may be destroyed only
// together with the one that makes.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "core/task.h"

namespace assay {

template <class T>
class Once {
 public:
  Once() = default;
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  // `make()` gives a Task<T>; called by the first only.
  template <class Make>
  Task<T> get(Make make) {
    if (!begun_) {
      begun_ = true;
      try {
        value_.emplace(co_await make());
      } catch (...) {
        thrown_ = std::current_exception();
      }
      for (const auto waiting : std::exchange(waiting_, {})) waiting.resume();
    } else if (!value_ && !thrown_) {
      co_await Turn{waiting_};
    }
    if (thrown_) std::rethrow_exception(thrown_);
    co_return *value_;
  }

 private:
  struct Turn {
    std::vector<std::coroutine_handle<>>& waiting;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { waiting.push_back(handle); }
    void await_resume() const noexcept {}
  };

  bool begun_ = false;
  std::optional<T> value_;
  std::exception_ptr thrown_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace assay
