// Task<T>: a lazily started coroutine that yields one T. It runs on the thread of the event loop that resumes
// it; nothing here is thread-safe. A Task owns its coroutine: destroying an unfinished Task destroys the frame
// and everything that it awaits. Errors travel as values (Result<T>); an exception is a bug and is rethrown to
// the awaiter.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace assay {

template <class T>
class Task;

namespace task_detail {

struct PromiseBase {
  std::coroutine_handle<> continuation;
  std::exception_ptr exception;

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      auto next = finished.promise().continuation;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() { exception = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void take() const {
    if (exception) std::rethrow_exception(exception);
  }
};

}  // namespace task_detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  Handle handle_;
};

namespace task_detail {

template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// A coroutine that owns itself: started at once, destroyed when done.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const { std::terminate(); }
  };
};

// Counts down as the parts of all() finish and resumes the awaiter after the last one.
struct Gathering {
  std::size_t left = 0;
  std::coroutine_handle<> awaiter;
  void finished_one() {
    if (--left == 0 && awaiter) awaiter.resume();
  }
  bool await_ready() const noexcept { return left == 0; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { awaiter = handle; }
  void await_resume() const noexcept {}
};

template <class T>
Detached run_part(Task<T> part, std::optional<T>& slot, std::shared_ptr<Gathering> gathering) {
  slot.emplace(co_await part);
  gathering->finished_one();
}

}  // namespace task_detail

// Starts the task now and lets it run to its end on its own.
inline void start_detached(Task<void> task) {
  [](Task<void> owned) -> task_detail::Detached { co_await owned; }(std::move(task));
}

// Runs the parts side by side; their results in the order of the parts.
template <class T>
Task<std::vector<T>> all(std::vector<Task<T>> parts) {
  std::vector<std::optional<T>> slots(parts.size());
  auto gathering = std::make_shared<task_detail::Gathering>();
  gathering->left = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    task_detail::run_part<T>(std::move(parts[i]), slots[i], gathering);
  }
  co_await *gathering;
  std::vector<T> results;
  results.reserve(slots.size());
  for (auto& slot : slots) results.push_back(std::move(*slot));
  co_return results;
}

}  // namespace assay
