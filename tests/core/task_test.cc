#include "core/task.h"

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tests/core/detached.h"

namespace assay {
namespace {

// Lets a test decide when a coroutine goes on; counts frames that are waiting at it.
struct Gate {
  std::vector<std::coroutine_handle<>> waiting;
  int destroyed_while_waiting = 0;

  struct Wait {
    Gate& gate;
    std::coroutine_handle<> handle;
    bool resumed = false;
    explicit Wait(Gate& g) : gate(g) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      if (!handle || resumed) return;
      ++gate.destroyed_while_waiting;
      std::erase(gate.waiting, handle);
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      handle = h;
      gate.waiting.push_back(h);
    }
    void await_resume() noexcept { resumed = true; }
  };
  Wait wait() { return Wait(*this); }

  void open_one(std::size_t index = 0) {
    auto handle = waiting.at(index);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
    handle.resume();
  }
};

Task<int> give(int value) {
  co_return value;
}

Task<int> give_later(Gate& gate, int value) {
  co_await gate.wait();
  co_return value;
}

Task<int> throw_later(Gate& gate) {
  co_await gate.wait();
  throw std::runtime_error("broken");
}

// Runs a task that must finish without outside help.
template <class T>
T run_now(Task<T> task) {
  std::optional<T> result;
  start_detached([](Task<T> inner, std::optional<T>& slot) -> Task<void> { slot.emplace(co_await inner); }(
                                                               std::move(task), result));
  return std::move(result.value());
}

TEST(Task, DoesNothingBeforeItIsAwaited) {
  bool ran = false;
  {
    auto task = [](bool& flag) -> Task<void> {
      flag = true;
      co_return;
    }(ran);
    EXPECT_FALSE(ran);
  }
  EXPECT_FALSE(ran);
}

TEST(Task, GivesItsValueToTheAwaiter) {
  auto sum = []() -> Task<int> { co_return co_await give(40) + co_await give(2); };
  EXPECT_EQ(run_now(sum()), 42);
}

TEST(Task, CarriesMoveOnlyValues) {
  auto make = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  EXPECT_EQ(*run_now(make()), 7);
}

TEST(Task, RethrowsAnExceptionInTheAwaiter) {
  auto bad = []() -> Task<int> {
    throw std::runtime_error("no");
    co_return 1;
  };
  auto outer = [&]() -> Task<std::string> {
    try {
      co_await bad();
    } catch (const std::runtime_error& e) {
      co_return e.what();
    }
    co_return "nothing thrown";
  };
  EXPECT_EQ(run_now(outer()), "no");
}

TEST(Task, DestroyingAnUnfinishedOneDestroysWhatItAwaits) {
  Gate gate;
  {
    auto outer = [](Gate& g) -> Task<int> { co_return co_await give_later(g, 1); }(gate);
    outer.await_suspend(std::noop_coroutine()).resume();
    ASSERT_EQ(gate.waiting.size(), 1U);
  }
  EXPECT_EQ(gate.destroyed_while_waiting, 1);
  EXPECT_TRUE(gate.waiting.empty());
}

Task<int> depth(int n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await depth(n - 1);
}

// Needs symmetric transfer: each level on the stack would overflow it.
TEST(Task, AHundredThousandNestedAwaitsDoNotUseUpTheStack) {
  EXPECT_EQ(run_now(depth(100'000)), 100'000);
}

TEST(Task, AMillionAwaitsInALoopDoNotUseUpTheStack) {
  auto loop = []() -> Task<std::int64_t> {
    std::int64_t sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum += co_await give(1);
    co_return sum;
  };
  EXPECT_EQ(run_now(loop()), 1'000'000);
}

TEST(All, GivesResultsInTheOrderOfThePartsWhateverTheOrderOfFinishing) {
  Gate gate;
  std::vector<int> results;
  std::vector<Task<int>> parts;
  for (int i = 0; i < 3; ++i) parts.push_back(give_later(gate, i * 10));
  start_detached([](std::vector<Task<int>> p, std::vector<int>& out) -> Task<void> {
    out = co_await all(std::move(p));
  }(std::move(parts), results));
  ASSERT_EQ(gate.waiting.size(), 3U);  // all started
  gate.open_one(2);
  gate.open_one(0);
  EXPECT_TRUE(results.empty());
  gate.open_one(0);
  EXPECT_EQ(results, (std::vector<int>{0, 10, 20}));
}

TEST(All, OfNothingIsDoneAtOnce) {
  auto nothing = []() -> Task<std::size_t> { co_return (co_await all(std::vector<Task<int>>{})).size(); };
  EXPECT_EQ(run_now(nothing()), 0U);
}

TEST(All, OfPartsThatNeverWaitIsDoneAtOnce) {
  auto parts = []() -> Task<int> {
    std::vector<Task<int>> list;
    for (int i = 0; i < 1000; ++i) list.push_back(give(i));
    int sum = 0;
    for (const int value : co_await all(std::move(list))) sum += value;
    co_return sum;
  };
  EXPECT_EQ(run_now(parts()), 499'500);
}

TEST(All, RunsPartsWithoutValue) {
  Gate gate;
  int done = 0;
  auto part = [](Gate& g, int& count) -> Task<void> {
    co_await g.wait();
    ++count;
  };
  bool finished = false;
  std::vector<Task<void>> parts;
  parts.push_back(part(gate, done));
  parts.push_back(part(gate, done));
  start_detached([](std::vector<Task<void>> p, bool& flag) -> Task<void> {
    co_await all(std::move(p));
    flag = true;
  }(std::move(parts), finished));
  gate.open_one();
  EXPECT_FALSE(finished);
  gate.open_one();
  EXPECT_TRUE(finished);
  EXPECT_EQ(done, 2);
}

TEST(All, TakesPartsOfDifferentTypes) {
  auto text = []() -> Task<std::string> { co_return "x"; };
  auto nothing = []() -> Task<void> { co_return; };
  auto outer = [&]() -> Task<std::string> {
    auto [number, word, none] = co_await all(give(3), text(), nothing());
    static_assert(std::is_same_v<decltype(none), std::monostate>);
    co_return std::to_string(number) + word;
  };
  EXPECT_EQ(run_now(outer()), "3x");
}

TEST(All, DestroyedBeforeItsEndDestroysAllUnfinishedParts) {
  Gate gate;
  {
    std::vector<Task<int>> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(give_later(gate, i));
    auto whole = all(std::move(parts));
    whole.await_suspend(std::noop_coroutine()).resume();
    ASSERT_EQ(gate.waiting.size(), 3U);
    gate.open_one(1);
  }
  EXPECT_EQ(gate.destroyed_while_waiting, 2);
  EXPECT_TRUE(gate.waiting.empty());
}

TEST(All, DestroyedBeforeItsStartStartsNothing) {
  Gate gate;
  {
    std::vector<Task<int>> parts;
    parts.push_back(give_later(gate, 1));
    auto whole = all(std::move(parts));
  }
  EXPECT_TRUE(gate.waiting.empty());
  EXPECT_EQ(gate.destroyed_while_waiting, 0);
}

TEST(All, WaitsForEveryPartBeforeItRethrows) {
  Gate gate;
  std::string caught;
  std::vector<Task<int>> parts;
  parts.push_back(throw_later(gate));
  parts.push_back(give_later(gate, 1));
  start_detached([](std::vector<Task<int>> p, std::string& out) -> Task<void> {
    try {
      co_await all(std::move(p));
      out = "nothing thrown";
    } catch (const std::runtime_error& e) {
      out = e.what();
    }
  }(std::move(parts), caught));
  gate.open_one();
  EXPECT_EQ(caught, "");
  gate.open_one();
  EXPECT_EQ(caught, "broken");
}

TEST(All, NestsInsideItself) {
  Gate gate;
  int sum = 0;
  auto pair = [](Gate& g, int base) -> Task<int> {
    auto [a, b] = co_await all(give_later(g, base), give_later(g, base + 1));
    co_return a + b;
  };
  start_detached([](Task<int> a, Task<int> b, int& out) -> Task<void> {
    auto [x, y] = co_await all(std::move(a), std::move(b));
    out = x + y;
  }(pair(gate, 1), pair(gate, 10), sum));
  while (!gate.waiting.empty()) gate.open_one(gate.waiting.size() - 1);
  EXPECT_EQ(sum, 1 + 2 + 10 + 11);
}

}  // namespace
}  // namespace assay
