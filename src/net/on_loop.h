// co_await on(loop, task): the task runs on another loop, and what it gives, or throws, comes back to the
// loop of the one who awaits it. On the loop that is here already it is awaited as it is.
//
// Whoever is destroyed meanwhile takes the task along, a moment later and on the task's own loop. So the task
// owns what it uses, or uses what outlives both loops.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/task.h"
#include "net/event_loop.h"

namespace assay {

namespace on_loop_detail {

// What runs the task there. It tells home of its end when it has come to rest, since home may then destroy it
// at once.
template <class Visit>
class Journey {
 public:
  struct promise_type {
    explicit promise_type(Visit& whose) : visit(whose) {}
    Journey get_return_object() { return Journey(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    auto final_suspend() const noexcept {
      struct Arrival {
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> rested) const noexcept {
          rested.promise().visit.come_home();
        }
        void await_resume() const noexcept {}
      };
      return Arrival{};
    }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { visit.thrown = std::current_exception(); }

    Visit& visit;
  };

  Journey(Journey&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Journey& operator=(Journey&&) = delete;
  ~Journey() {
    if (handle_) handle_.destroy();
  }
  void begin() { handle_.resume(); }

 private:
  explicit Journey(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// One task away from home. `awaiter` belongs to the thread of `home`; `task` and `journey` to that of
// `there`, which hears of both in the order of posting; the result is handed over with the post that brings
// it back.
template <class T>
struct Visit : std::enable_shared_from_this<Visit<T>> {
  Visit(EventLoop& other, Task<T> away) : home(Poster::here()), there(other), task(std::move(away)) {}
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void set_out() {
    there.post([visit = this->shared_from_this()] {
      visit->journey.emplace(visit->run());
      visit->journey->begin();
    });
  }
  void come_home() {
    home.post([visit = this->shared_from_this()] {
      if (visit->awaiter) std::exchange(visit->awaiter, nullptr).resume();
    });
  }
  // Nobody waits for it any more.
  void give_up() {
    awaiter = nullptr;
    there.post([visit = this->shared_from_this()] {
      visit->journey.reset();
      visit->task.reset();
    });
  }

  Poster& home;
  EventLoop& there;
  std::coroutine_handle<> awaiter;
  std::optional<Task<T>> task;
  std::optional<Journey<Visit>> journey;
  std::optional<task_detail::ValueOf<T>> value;
  std::exception_ptr thrown;

 private:
  Journey<Visit> run() {
    if constexpr (std::is_void_v<T>) {
      co_await *task;
      value.emplace();
    } else {
      value.emplace(co_await *task);
    }
  }
};

template <class T>
class Elsewhere {
 public:
  Elsewhere(EventLoop& there, Task<T> task) : visit_(std::make_shared<Visit<T>>(there, std::move(task))) {}
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() {
    if (visit_->awaiter) visit_->give_up();
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    visit_->awaiter = handle;
    visit_->set_out();
  }
  T await_resume() {
    if (visit_->thrown) std::rethrow_exception(visit_->thrown);
    if constexpr (!std::is_void_v<T>) return std::move(*visit_->value);
  }

 private:
  std::shared_ptr<Visit<T>> visit_;
};

}  // namespace on_loop_detail

template <class T>
Task<T> on(EventLoop& loop, Task<T> task) {
  if (loop.is_here()) co_return co_await task;
  co_return co_await on_loop_detail::Elsewhere<T>(loop, std::move(task));
}

}  // namespace assay
