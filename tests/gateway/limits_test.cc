#include "engine/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/backoff.h"
#include "engine/budget.h"
#include "engine/circuit.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Holds a permit for a while.
Task<void> hold(EventLoop& loop, Limiter& limiter, Duration time, int& running, int& most, int& done) {
  if (!co_await limiter.acquire(0)) co_return;
  most = std::max(most, ++running);
  co_await loop.sleep(time);
  --running;
  ++done;
  limiter.release(Limiter::Feedback::success, 0, std::nullopt);
  if (done == 20) loop.stop();
}

TEST(Limiter, NeverLetsMoreThanTheLimitThroughAndServesEverybody) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 3});
  int running = 0;
  int most = 0;
  int done = 0;
  for (int i = 0; i < 20; ++i) loop.spawn(hold(loop, limiter, 1ms, running, most, done));
  loop.run();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(limiter.in_flight(), 0);
}

Task<void> note_order(Limiter& limiter, int number, std::vector<int>& order) {
  if (co_await limiter.acquire(0)) order.push_back(number);
}

TEST(Limiter, ServesWaitersInOrder) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 1});
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) loop.spawn(note_order(limiter, i, order));
  for (int i = 0; i < 3; ++i) limiter.release(Limiter::Feedback::success, 0, std::nullopt);
  EXPECT_THAT(order, ::testing::ElementsAre(0, 1, 2, 3));
}

TEST(Limiter, HalvesTheWindowOncePerBurstOf429AndGrowsBack) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 64});
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) loop.spawn(note_order(limiter, i, order));
  for (int i = 0; i < 5; ++i) limiter.release(Limiter::Feedback::too_many, 0, std::nullopt);
  EXPECT_DOUBLE_EQ(limiter.window(), 32);
  for (int i = 0; i < 5; ++i) limiter.release(Limiter::Feedback::success, 0, std::nullopt);
  EXPECT_GT(limiter.window(), 32);
  EXPECT_LT(limiter.window(), 33);
}

TEST(Limiter, APauseOfTheServerHoldsEverybodyBackThenLetsGo) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 4});
  std::vector<int> order;
  loop.spawn(note_order(limiter, 0, order));
  limiter.release(Limiter::Feedback::too_many, 0, 30ms);
  loop.spawn(note_order(limiter, 1, order));
  EXPECT_THAT(order, ::testing::ElementsAre(0));
  EXPECT_THAT(limiter.waiting_for(), HasSubstr("asked for a pause"));
  loop.call_after(60ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_THAT(order, ::testing::ElementsAre(0, 1));
}

TEST(Limiter, KeepsToRequestsPerMinute) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 100, .requests_per_minute = 6000});  // 100 a second, 100 at once
  std::vector<int> order;
  for (int i = 0; i < 200; ++i) loop.spawn(note_order(limiter, i, order));
  EXPECT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) limiter.release(Limiter::Feedback::success, 0, std::nullopt);
  loop.call_after(100ms, [&] { loop.stop(); });
  loop.run();
  // About ten more in a tenth of a second; some, and never the whole rest, also on a machine that stalls for
  // a while.
  EXPECT_GT(order.size(), 100U);
  EXPECT_LT(order.size(), 200U);
}

TEST(Limiter, TokensBeyondTheBucketAreADebtThatIsWaitedFor) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 10, .tokens_per_minute = 60'000});  // 1,000 a second, 10,000 at once
  std::vector<int> order;
  auto take = [](Limiter& limit, int number, std::vector<int>& list) -> Task<void> {
    if (co_await limit.acquire(10'010)) list.push_back(number);
  };
  loop.spawn(take(limiter, 0, order));
  loop.spawn(take(limiter, 1, order));
  EXPECT_EQ(order.size(), 1U);
  loop.call_after(100ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(order.size(), 2U);
}

TEST(Limiter, StoppingWakesEverybodyEmptyHanded) {
  EventLoop loop;
  Limiter limiter(loop, {.concurrency = 1});
  std::vector<int> granted;
  int refused = 0;
  auto attempt = [](Limiter& limit, std::vector<int>& list, int& no) -> Task<void> {
    if (co_await limit.acquire(0)) {
      list.push_back(1);
    } else {
      ++no;
    }
  };
  for (int i = 0; i < 5; ++i) loop.spawn(attempt(limiter, granted, refused));
  limiter.stop();
  loop.spawn(attempt(limiter, granted, refused));
  EXPECT_EQ(granted.size(), 1U);
  EXPECT_EQ(refused, 5);
}

TEST(Circuit, AWrongKeyOpensItAtOnceOtherFailuresAfterSeveralInARow) {
  Circuit circuit(3);
  const Error busy{ErrorKind::overloaded, "HTTP 500 after 12 ms", {}};
  const Error same{ErrorKind::overloaded, "HTTP 500 after 99 ms", {}};
  EXPECT_FALSE(circuit.failure(busy).has_value());
  EXPECT_FALSE(circuit.failure(same).has_value());
  circuit.success();
  EXPECT_FALSE(circuit.failure(busy).has_value());
  EXPECT_FALSE(circuit.failure({ErrorKind::timeout, "no answer", {}}).has_value());
  EXPECT_FALSE(circuit.failure(busy).has_value());
  EXPECT_FALSE(circuit.failure(same).has_value());
  const auto opened = circuit.failure(busy);
  ASSERT_TRUE(opened.has_value());
  EXPECT_THAT(opened->message, HasSubstr("3 times in a row"));
  Circuit other(3);
  ASSERT_TRUE(other.failure({ErrorKind::auth, "HTTP 401: wrong key", {}}).has_value());
  EXPECT_FALSE(other.failure({ErrorKind::auth, "HTTP 401: wrong key", {}}).has_value()) << "told once";
}

TEST(Budget, ReservesWhatIsUnderWayAndNeverPassesTheLimit) {
  Budget budget(100);
  EXPECT_TRUE(budget.reserve(60));
  EXPECT_FALSE(budget.reserve(60));
  budget.settle(60, 10);
  EXPECT_TRUE(budget.reserve(90));
  EXPECT_FALSE(budget.reserve(1));
  EXPECT_EQ(budget.spent(), 10);
  Budget unlimited(std::nullopt);
  EXPECT_TRUE(unlimited.reserve(1'000'000'000));
}

TEST(Backoff, GrowsIsJitteredAndObeysTheServer) {
  Random random = Random::keyed(1, "test");
  for (int failed = 1; failed < 40; ++failed) {
    const auto wait = backoff(failed, std::nullopt, random);
    EXPECT_GE(wait, 0ns);
    EXPECT_LE(wait, std::min<std::chrono::nanoseconds>(500ms * (1LL << std::min(failed - 1, 20)), 60s));
    EXPECT_GE(backoff(failed, 5000ms, random), 5s);
  }
}

}  // namespace
}  // namespace assay
