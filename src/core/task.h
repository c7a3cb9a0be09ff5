// Task<T>: a lazily started coroutine that yields one T. It runs on the thread of the event loop that resumes
// it; nothing here is thread-safe. A Task owns its coroutine: destroying an unfinished Task destroys the
// frame and everything that it awaits, which cancels it. Errors travel as values (Result<T>); an exception is
// a bug and is rethrown to the awaiter.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

template <class T>
class Task;

namespace task_detail {

// What all() waits for: counts down as its parts finish and goes on in the awaiter after the last one. One
// more than there are parts is counted while they are being started, so that the awaiter never runs before
// that.
struct Gathering {
  std::size_t left = 1;
  std::coroutine_handle<> awaiter;

  std::coroutine_handle<> finished_one() noexcept { return --left == 0 ? awaiter : std::noop_coroutine(); }
};

struct PromiseBase {
  std::coroutine_handle<> continuation;
  Gathering* gathering = nullptr;  // set for a part of all(), which has no continuation of its own
  std::exception_ptr exception;

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      const PromiseBase& promise = finished.promise();
      if (promise.gathering) return promise.gathering->finished_one();
      return promise.continuation ? promise.continuation : std::noop_coroutine();
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
  template <class U = T>
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

  // Runs it up to its first wait as a part of `gathering`; its result is taken with await_resume().
  void start(task_detail::Gathering& gathering) {
    ++gathering.left;
    handle_.promise().gathering = &gathering;
    handle_.resume();
  }

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

// co_await Started{gathering, …}: starts the parts by `start_parts` and waits until all have finished.
template <class StartParts>
struct Started {
  Gathering& gathering;
  StartParts start_parts;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    gathering.awaiter = handle;
    start_parts(gathering);
    return --gathering.left != 0;
  }
  void await_resume() const noexcept {}
};
template <class StartParts>
Started(Gathering&, StartParts) -> Started<StartParts>;

template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
ValueOf<T> take_value(Task<T>& part) {
  if constexpr (std::is_void_v<T>) {
    part.await_resume();
    return {};
  } else {
    return part.await_resume();
  }
}

}  // namespace task_detail

// Runs the parts side by side; their results in the order of the parts. All parts run to their end even if
// one throws; the first exception in the order of the parts is then rethrown. Destroying the unfinished whole
// destroys its parts.
template <class T>
Task<std::vector<T>> all(std::vector<Task<T>> parts) {
  task_detail::Gathering gathering;
  co_await task_detail::Started{gathering, [&](task_detail::Gathering& whole) {
                                  for (auto& part : parts) part.start(whole);
                                }};
  std::vector<T> results;
  results.reserve(parts.size());
  for (auto& part : parts) results.push_back(part.await_resume());
  co_return results;
}

inline Task<void> all(std::vector<Task<void>> parts) {
  task_detail::Gathering gathering;
  co_await task_detail::Started{gathering, [&](task_detail::Gathering& whole) {
                                  for (auto& part : parts) part.start(whole);
                                }};
  for (auto& part : parts) part.await_resume();
}

// auto [a, b] = co_await all(first(), second()); a Task<void> gives std::monostate.
template <class... T>
  requires(sizeof...(T) > 0)
Task<std::tuple<task_detail::ValueOf<T>...>> all(Task<T>... parts) {
  task_detail::Gathering gathering;
  co_await task_detail::Started{gathering, [&](task_detail::Gathering& whole) { (parts.start(whole), ...); }};
  co_return std::tuple<task_detail::ValueOf<T>...>{task_detail::take_value(parts)...};
}

}  // namespace assay
