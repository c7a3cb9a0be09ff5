// A task that runs without a loop: for tests of what resumes coroutines by hand, or never waits.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "core/task.h"

namespace assay {

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

// Starts the task now and lets it run to its end on its own.
inline void start_detached(Task<void> task) {
  [](Task<void> owned) -> Detached { co_await owned; }(std::move(task));
}

}  // namespace assay
