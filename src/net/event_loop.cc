#include "net/event_loop.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/fd_watches.h"
#include "net/signals.h"
#include "net/timers.h"

namespace assay {
namespace {

constexpr std::size_t kEventsPerRound = 256;
constexpr Duration kLongest = std::chrono::hours(24 * 365);

// The coroutines started by spawn(), in a list that each leaves when its frame goes.
struct Spawned {
  struct List;
  struct promise_type {
    promise_type(List& list, Task<void>& /*task*/) : list_(list) {
      next_ = list_.first;
      if (next_) next_->previous_ = this;
      list_.first = this;
      ++list_.count;
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() {
      (previous_ ? previous_->next_ : list_.first) = next_;
      if (next_) next_->previous_ = previous_;
      --list_.count;
    }
    Spawned get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const { std::terminate(); }

   private:
    List& list_;
    promise_type* previous_ = nullptr;
    promise_type* next_ = nullptr;
  };

  struct List {
    promise_type* first = nullptr;
    std::size_t count = 0;

    void destroy_all() const {
      while (first) std::coroutine_handle<promise_type>::from_promise(*first).destroy();
    }
  };
};

Spawned run_spawned(Spawned::List& /*list*/, Task<void> task) {
  co_await task;
}

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

}  // namespace

struct EventLoop::State {
  int epoll = checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  int wakeup = checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  Timers timers;
  FdWatches watches{epoll};
  Spawned::List spawned;
  std::atomic<bool> stopping{false};
  std::atomic<std::thread::id> thread;

  std::mutex mutex;
  std::vector<std::function<void()>> posted;  // guarded by mutex
  std::vector<std::function<void()>> running;

  State() {
    ignore_broken_pipes();
    watches.watch(wakeup, EPOLLIN, [this](std::uint32_t) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto n = ::read(wakeup, &count, sizeof count);
    });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    spawned.destroy_all();
    watches.clear();
    timers.clear();
    std::exchange(posted, {}).clear();
    ::close(wakeup);
    ::close(epoll);
  }

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(wakeup, &one, sizeof one);
  }

  bool has_posted() {
    const std::scoped_lock lock(mutex);
    return !posted.empty();
  }

  // Milliseconds for epoll_wait, rounded up, so that a timer is never early.
  int wait_time() {
    if (stopping.load(std::memory_order_relaxed) || watches.any_refused() || has_posted()) return 0;
    const auto next = timers.next();
    if (next == Clock::time_point::max()) return -1;
    const auto now = Clock::now();
    if (next <= now) return 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
    return static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
  }

  void round() {
    watches.tell_kernel();
    epoll_event events[kEventsPerRound];
    const int count = ::epoll_wait(epoll, events, kEventsPerRound, wait_time());
    for (int i = 0; i < count; ++i) watches.dispatch(events[i]);
    watches.report_refused();
    timers.run_due();
    run_posted();
    watches.end_round();
  }

  void run_posted() {
    {
      const std::scoped_lock lock(mutex);
      if (posted.empty()) return;
      running.swap(posted);
    }
    for (auto& work : running) {
      work();
      work = nullptr;
    }
    running.clear();
  }
};

EventLoop::EventLoop() : state_(std::make_unique<State>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::run() {
  const AtWork here(*this);
  state_->thread.store(std::this_thread::get_id(), std::memory_order_relaxed);
  while (!state_->stopping.exchange(false)) state_->round();
  state_->thread.store(std::thread::id{}, std::memory_order_relaxed);
}

void EventLoop::stop() {
  state_->stopping.store(true);
  state_->wake();
}

void EventLoop::post(std::function<void()> work) {
  bool first = false;
  {
    const std::scoped_lock lock(state_->mutex);
    first = state_->posted.empty();
    state_->posted.push_back(std::move(work));
  }
  // The loop's own thread looks at the list before it waits; another thread wakes it once per batch.
  if (first && state_->thread.load(std::memory_order_relaxed) != std::this_thread::get_id()) state_->wake();
}

void EventLoop::spawn(Task<void> task) {
  const AtWork here(*this);
  run_spawned(state_->spawned, std::move(task));
}

EventLoop::TimerId EventLoop::call_at(Clock::time_point when, std::function<void()> work) {
  return state_->timers.add(when, std::move(work));
}

EventLoop::TimerId EventLoop::call_after(Duration delay, std::function<void()> work) {
  return call_at(after(delay), std::move(work));
}

void EventLoop::cancel(TimerId timer) {
  if (timer != 0) state_->timers.cancel(timer);
}

void EventLoop::watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
  state_->watches.watch(fd, events, std::move(ready));
}

void EventLoop::set_events(int fd, std::uint32_t events) {
  state_->watches.set_events(fd, events);
}

void EventLoop::unwatch(int fd) {
  state_->watches.unwatch(fd);
}

void EventLoop::forget(int fd) {
  state_->watches.forget(fd);
}

Clock::time_point EventLoop::after(Duration delay) {
  return Clock::now() + std::clamp(delay, Duration::zero(), kLongest);
}

EventLoop::Load EventLoop::load() const {
  return {.timers = state_->timers.living(),
          .timer_slots = state_->timers.slots(),
          .watches = state_->watches.size() - 1,  // not our own
          .spawned = state_->spawned.count};
}

EventLoop::Sleep::~Sleep() {
  if (timer_ != 0) loop_.cancel(timer_);
}

void EventLoop::Sleep::await_suspend(std::coroutine_handle<> handle) {
  timer_ = loop_.call_at(when_, [this, handle] {
    timer_ = 0;
    handle.resume();
  });
}

std::size_t raise_open_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace assay
