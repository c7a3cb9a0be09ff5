#include "net/on_loop.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

class OnLoop : public ::testing::Test {
 protected:
  OnLoop() : thread_([this] { there_.run(); }) {}
  ~OnLoop() override {
    there_.stop();
    thread_.join();
  }

  // What the other loop holds when everything that was posted to it before is done.
  EventLoop::Load settled() {
    EventLoop::Load load;
    std::atomic<bool> done = false;
    there_.post([&] {
      load = there_.load();
      done = true;
    });
    while (!done) std::this_thread::yield();
    return load;
  }

  EventLoop here_;
  EventLoop there_;
  std::thread thread_;
};

Task<std::string> where_am_i(EventLoop& loop, std::thread::id& ran) {
  co_await loop.sleep(1ms);
  ran = std::this_thread::get_id();
  co_return "answer";
}

TEST_F(OnLoop, RunsThereAndComesBackHere) {
  std::thread::id ran;
  std::thread::id resumed;
  const auto task = [&]() -> Task<std::string> {
    std::string answer = co_await on(there_, where_am_i(there_, ran));
    resumed = std::this_thread::get_id();
    co_return answer;
  };
  EXPECT_EQ(here_.run_until_done(task()), "answer");
  EXPECT_EQ(ran, thread_.get_id());
  EXPECT_EQ(resumed, std::this_thread::get_id());
}

TEST_F(OnLoop, OnTheLoopThatIsHereItIsAwaitedAsItIs) {
  std::thread::id ran;
  EXPECT_EQ(here_.run_until_done(on(here_, where_am_i(here_, ran))), "answer");
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST_F(OnLoop, WhatIsThrownThereIsThrownHere) {
  const auto fails = []() -> Task<void> {
    throw std::runtime_error("broken");
    co_return;
  };
  EXPECT_THROW(here_.run_until_done(on(there_, fails())), std::runtime_error);
}

TEST_F(OnLoop, ManyGoThereAndBackAtOnce) {
  constexpr int kTasks = 200;
  const auto number = [](EventLoop& loop, int i) -> Task<int> {
    co_await loop.sleep(std::chrono::microseconds(i % 7 * 100));
    co_return i;
  };
  std::vector<Task<int>> tasks;
  for (int i = 0; i < kTasks; ++i) tasks.push_back(on(there_, number(there_, i)));
  const std::vector<int> numbers = here_.run_until_done(all(std::move(tasks)));
  ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kTasks));
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

// A frame that tells when, and on which thread, it goes.
struct Mark {
  std::atomic<int>& gone;
  std::thread::id& where;
  ~Mark() {
    where = std::this_thread::get_id();
    ++gone;
  }
};

Task<int> waits_for_ever(EventLoop& loop, std::atomic<int>& begun, std::shared_ptr<Mark> mark) {
  const Mark own{mark->gone, mark->where};
  ++begun;
  co_await loop.sleep(1h);
  co_return 1;
}

TEST_F(OnLoop, WhoeverIsDestroyedTakesTheTaskAlongOnItsOwnLoop) {
  std::atomic<int> begun = 0;
  std::atomic<int> gone = 0;
  std::thread::id where;
  {
    EventLoop loop;
    loop.spawn([](EventLoop& there, std::atomic<int>& started, std::shared_ptr<Mark> mark) -> Task<void> {
      co_await on(there, waits_for_ever(there, started, std::move(mark)));
    }(there_, begun, std::make_shared<Mark>(gone, where)));
    while (begun == 0) std::this_thread::yield();
  }
  const EventLoop::Load load = settled();
  EXPECT_EQ(gone, 2);
  EXPECT_EQ(where, thread_.get_id());
  EXPECT_EQ(load.timers, 0U);
}

}  // namespace
}  // namespace assay
