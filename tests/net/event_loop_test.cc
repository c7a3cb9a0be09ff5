#include "net/event_loop.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

struct SocketPair {
  int ends[2] = {-1, -1};
  SocketPair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0); }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  ~SocketPair() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  void send(const char* text) const {
    EXPECT_GT(::write(ends[1], text, std::char_traits<char>::length(text)), 0);
  }
  std::string receive() const {
    char buffer[64];
    const auto n = ::read(ends[0], buffer, sizeof buffer);
    return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : std::string();
  }
};

TEST(EventLoop, RunsTimersInTheOrderOfTheirTimes) {
  EventLoop loop;
  std::string order;
  loop.call_after(400ms, [&] { order += 'c'; });
  loop.call_after(200ms, [&] { order += 'b'; });
  loop.call_after(0ms, [&] { order += 'a'; });
  loop.call_after(600ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(order, "abc");
}

TEST(EventLoop, RunsTimersOfTheSameTimeInTheOrderOfSetting) {
  EventLoop loop;
  std::string order;
  const auto when = Clock::now() + 2ms;
  for (char c = 'a'; c <= 'z'; ++c) loop.call_at(when, [&order, c] { order += c; });
  loop.call_at(when, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(order, "abcdefghijklmnopqrstuvwxyz");
}

TEST(EventLoop, TimersAreNeverEarly) {
  EventLoop loop;
  for (const auto delay : {1us, 500us, 1500us, 3700us}) {
    const auto due = Clock::now() + delay;
    Clock::time_point ran;
    loop.call_at(due, [&] {
      ran = Clock::now();
      loop.stop();
    });
    loop.run();
    EXPECT_GE(ran, due);
  }
}

TEST(EventLoop, ACancelledTimerDoesNotRun) {
  EventLoop loop;
  bool ran = false;
  const auto timer = loop.call_after(1ms, [&] { ran = true; });
  EXPECT_NE(timer, 0U);
  loop.cancel(timer);
  loop.cancel(timer);  // once more does no harm
  loop.call_after(5ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(ran);
}

TEST(EventLoop, CancellingATimerThatHasRunDoesNotHitItsSuccessor) {
  EventLoop loop;
  const auto first = loop.call_after(0ms, [&] { loop.stop(); });
  loop.run();
  bool ran = false;
  loop.call_after(0ms, [&] {
    ran = true;
    loop.stop();
  });  // takes the freed slot
  loop.cancel(first);
  loop.run();
  EXPECT_TRUE(ran);
}

TEST(EventLoop, ATimerMayCancelAnotherOfTheSameRound) {
  EventLoop loop;
  bool ran = false;
  const auto when = Clock::now();
  EventLoop::TimerId second = 0;
  loop.call_at(when, [&] { loop.cancel(second); });
  second = loop.call_at(when, [&] { ran = true; });
  loop.call_after(3ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(ran);
}

TEST(EventLoop, SettingAndCancellingTimersForEverKeepsMemoryBounded) {
  EventLoop loop;
  for (int i = 0; i < 100'000; ++i) loop.cancel(loop.call_after(1h, [] {}));
  EXPECT_EQ(loop.load().timers, 0U);
  EXPECT_LE(loop.load().timer_slots, 128U);
  // With many alive, too: the dead never outnumber them.
  std::vector<EventLoop::TimerId> alive;
  alive.reserve(1000);
  for (int i = 0; i < 1000; ++i) alive.push_back(loop.call_after(1h, [] {}));
  for (int i = 0; i < 100'000; ++i) loop.cancel(loop.call_after(2h, [] {}));
  EXPECT_EQ(loop.load().timers, 1000U);
  EXPECT_LE(loop.load().timer_slots, 2100U);
}

TEST(EventLoop, ATimerThatSetsItselfAgainDoesNotStarveOthers) {
  EventLoop loop;
  int rounds = 0;
  std::function<void()> again = [&] {
    ++rounds;
    loop.call_at(Clock::now(), again);
  };
  again();
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_LT(rounds, 10);
}

TEST(EventLoop, PostsRunInTheOrderOfPostingAndNotBeforeRun) {
  EventLoop loop;
  std::string order;
  loop.post([&] { order += 'a'; });
  loop.post([&] {
    order += 'b';
    loop.post([&] {
      order += 'd';
      loop.stop();
    });
  });
  loop.post([&] { order += 'c'; });
  EXPECT_EQ(order, "");
  loop.run();
  EXPECT_EQ(order, "abcd");
}

TEST(EventLoop, TakesPostsOfManyThreadsAndLosesNone) {
  EventLoop loop;
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  std::vector<std::vector<int>> seen(kThreads);
  int left = kThreads * kEach;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        loop.post([&, t, i] {
          seen[static_cast<std::size_t>(t)].push_back(i);
          if (--left == 0) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (auto& thread : threads) thread.join();
  for (const auto& list : seen) {
    ASSERT_EQ(list.size(), static_cast<std::size_t>(kEach));
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  }
}

TEST(EventLoop, APostWakesAWaitingLoop) {
  EventLoop loop;
  std::atomic<int> answered = 0;
  std::thread other([&] {
    for (int i = 1; i <= 50; ++i) {
      loop.post([&] { ++answered; });
      while (answered < i) std::this_thread::yield();
    }
    loop.stop();
  });
  loop.run();
  other.join();
  EXPECT_EQ(answered, 50);
}

TEST(EventLoop, StopBeforeRunMakesRunReturn) {
  EventLoop loop;
  bool ran = false;
  loop.stop();
  loop.run();
  loop.call_after(0ms, [&] {
    ran = true;
    loop.stop();
  });
  loop.run();  // and it can run again
  EXPECT_TRUE(ran);
}

TEST(EventLoop, StopFromAnotherThreadEndsAWaitWithoutTimers) {
  EventLoop loop;
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    loop.stop();
  });
  loop.run();
  other.join();
}

TEST(EventLoop, CallsAWatcherWhileItsDescriptorIsReady) {
  EventLoop loop;
  const SocketPair pair;
  std::string received;
  loop.watch(pair.ends[0], EPOLLIN, [&](std::uint32_t events) {
    EXPECT_TRUE(events & EPOLLIN);
    received += pair.receive();
    if (received == "onetwo") loop.stop();
  });
  pair.send("one");
  loop.post([&] { pair.send("two"); });
  loop.run();
  EXPECT_EQ(received, "onetwo");
  EXPECT_EQ(loop.load().watches, 1U);
  loop.unwatch(pair.ends[0]);
  EXPECT_EQ(loop.load().watches, 0U);
}

TEST(EventLoop, AnUnwatchedDescriptorIsLeftAlone) {
  EventLoop loop;
  const SocketPair pair;
  bool called = false;
  loop.watch(pair.ends[0], EPOLLIN, [&](std::uint32_t) { called = true; });
  loop.unwatch(pair.ends[0]);
  pair.send("x");
  loop.call_after(3ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(called);
}

TEST(EventLoop, APausedWatcherGoesOnWhenEventsAreSetAgain) {
  EventLoop loop;
  const SocketPair pair;
  int calls = 0;
  loop.watch(pair.ends[0], EPOLLIN, [&](std::uint32_t) {
    loop.set_events(pair.ends[0], 0);  // the byte stays unread
    if (++calls == 2) return loop.stop();
    loop.call_after(3ms, [&] {
      EXPECT_EQ(calls, 1);
      loop.set_events(pair.ends[0], EPOLLIN);
    });
  });
  pair.send("x");
  loop.run();
  EXPECT_EQ(calls, 2);
  loop.unwatch(pair.ends[0]);
}

TEST(EventLoop, AWatcherMayReplaceAndRemoveItself) {
  EventLoop loop;
  const SocketPair pair;
  std::string order;
  const std::string big(100, 'x');  // makes the function allocate, so that early destruction shows
  loop.watch(pair.ends[0], EPOLLIN, [&, big](std::uint32_t) {
    loop.watch(pair.ends[0], EPOLLIN, [&, big](std::uint32_t) {
      loop.unwatch(pair.ends[0]);
      order += "second" + big.substr(0, 1);
      loop.stop();
    });
    order += "first" + big.substr(0, 1);
  });
  pair.send("x");
  loop.run();
  EXPECT_EQ(order, "firstxsecondx");
}

// Both descriptors are ready in one round. Whichever is called first closes the other, and the number is
// given out again: the new owner must not be told of the old one's event.
TEST(EventLoop, AnEventOfAClosedDescriptorDoesNotReachItsSuccessor) {
  EventLoop loop;
  SocketPair a;
  SocketPair b;
  SocketPair quiet;  // nothing to read
  int successor_called = 0;
  int replaced = 0;
  const auto handler = [&](SocketPair& own, SocketPair& other) {
    return [&](std::uint32_t) {
      own.receive();
      if (replaced++ > 0) return;
      const int number = other.ends[0];
      loop.unwatch(number);
      ::close(number);
      other.ends[0] = ::fcntl(quiet.ends[0], F_DUPFD_CLOEXEC, number);
      ASSERT_EQ(other.ends[0], number);
      loop.watch(number, EPOLLIN, [&](std::uint32_t) { ++successor_called; });
    };
  };
  loop.watch(a.ends[0], EPOLLIN, handler(a, b));
  loop.watch(b.ends[0], EPOLLIN, handler(b, a));
  a.send("x");
  b.send("x");
  loop.call_after(5ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(replaced, 1);
  EXPECT_EQ(successor_called, 0);
  quiet.send("now");
  loop.call_after(5ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_GT(successor_called, 0);  // it does hear of its own
  loop.unwatch(a.ends[0]);
  loop.unwatch(b.ends[0]);
}

TEST(EventLoop, ADescriptorThatCannotBeWatchedReportsAnError) {
  EventLoop loop;
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);  // epoll takes no regular files
  ASSERT_GE(file, 0);
  std::uint32_t events = 0;
  loop.watch(file, EPOLLIN, [&](std::uint32_t happened) {
    events = happened;
    loop.unwatch(file);
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(events, static_cast<std::uint32_t>(EPOLLERR));
  ::close(file);
}

TEST(EventLoop, SleepsAtLeastAsLongAsAsked) {
  EventLoop loop;
  const auto elapsed = loop.run_until_done([](EventLoop& l) -> Task<Duration> {
    const auto start = Clock::now();
    co_await l.sleep(10ms);
    co_return Clock::now() - start;
  }(loop));
  EXPECT_GE(elapsed, 10ms);
}

TEST(EventLoop, DestroyingASleepingCoroutineCancelsItsTimer) {
  EventLoop loop;
  bool woke = false;
  {
    auto task = [](EventLoop& l, bool& flag) -> Task<void> {
      co_await l.sleep(1ms);
      flag = true;
    }(loop, woke);
    task.await_suspend(std::noop_coroutine()).resume();
    EXPECT_EQ(loop.load().timers, 1U);
  }
  EXPECT_EQ(loop.load().timers, 0U);
  loop.call_after(5ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(woke);
}

TEST(EventLoop, RunsManySleepersSideBySide) {
  EventLoop loop;
  int asleep = 0;
  int most_asleep = 0;
  const auto sleeper = [&]() -> Task<void> {
    most_asleep = std::max(most_asleep, ++asleep);
    co_await loop.sleep(20ms);
    --asleep;
  };
  std::vector<Task<void>> parts;
  parts.reserve(1000);
  for (int i = 0; i < 1000; ++i) parts.push_back(sleeper());
  loop.run_until_done(all(std::move(parts)));
  EXPECT_EQ(asleep, 0);
  EXPECT_GT(most_asleep, 100) << "one after the other it would be 1";
}

TEST(EventLoop, RunUntilDoneRethrowsTheTasksException) {
  EventLoop loop;
  EXPECT_THROW(loop.run_until_done([](EventLoop& l) -> Task<int> {
    co_await l.sleep(1ms);
    throw std::runtime_error("bug");
  }(loop)),
               std::runtime_error);
}

TEST(EventLoop, RunUntilDoneOutlivesAForeignStop) {
  EventLoop loop;
  loop.stop();
  loop.call_after(0ms, [&] { loop.stop(); });
  EXPECT_EQ(loop.run_until_done([](EventLoop& l) -> Task<int> {
    co_await l.sleep(5ms);
    co_return 5;
  }(loop)),
            5);
}

struct SetAtEnd {
  bool& flag;
  explicit SetAtEnd(bool& f) : flag(f) {}
  SetAtEnd(const SetAtEnd&) = delete;
  SetAtEnd& operator=(const SetAtEnd&) = delete;
  ~SetAtEnd() { flag = true; }
};

TEST(EventLoop, OwnsWhatIsSpawned) {
  bool destroyed = false;
  bool finished = false;
  {
    EventLoop loop;
    loop.spawn([](EventLoop& l, bool& gone) -> Task<void> {
      const SetAtEnd mark(gone);
      co_await l.sleep(1h);
    }(loop, destroyed));
    loop.spawn([](EventLoop& l, bool& done) -> Task<void> {
      co_await l.sleep(1ms);
      done = true;
      l.stop();
    }(loop, finished));
    EXPECT_EQ(loop.load().spawned, 2U);
    loop.run();
    EXPECT_EQ(loop.load().spawned, 1U);
    EXPECT_TRUE(finished);
    EXPECT_FALSE(destroyed);
  }
  EXPECT_TRUE(destroyed);
}

TEST(EventLoop, TakesDelaysOfAnyLength) {
  EventLoop loop;
  loop.call_after(Duration::max(), [] { FAIL(); });
  bool ran = false;
  loop.call_after(-5s, [&] {
    ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace assay
