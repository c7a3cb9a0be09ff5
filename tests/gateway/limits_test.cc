#include "gateway/limits.h"

#include <deque>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/backoff.h"
#include "tests/core/mailbox.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Feedback = Permit::Feedback;

class LimiterTest : public ::testing::Test {
 protected:
  // Who still waits goes before the limiter does.
  ~LimiterTest() override {
    waits_.cut_short();
    others_.cut_short();
  }

  void limit(LimitOptions options) { limiter_ = std::make_unique<Limiter>(loop_, options); }
  // Asks for a permit and keeps it.
  Task<void> ask(int number, Waits& waits, double tokens, std::int64_t turn = 0) {
    Permit permit = co_await limiter_->acquire(tokens, waits, turn);
    if (!permit) {
      refused_.push_back(number);
      co_return;
    }
    granted_.push_back(number);
    permits_.push_back(std::move(permit));
  }
  void ask_for(int count, double tokens = 0) {
    for (int i = 0; i < count; ++i) loop_.spawn(ask(asked_++, waits_, tokens));
  }
  void give_back(int count, Feedback feedback, std::optional<Duration> pause = {}) {
    for (int i = 0; i < count; ++i) {
      Permit permit = std::move(permits_.front());
      permits_.pop_front();
      permit.give_back(feedback, 0, pause);
      run_for(1ms);  // others are served once the loop comes round
    }
  }
  void run_for(Duration time) {
    loop_.call_after(time, [this] { loop_.stop(); });
    loop_.run();
  }

  EventLoop loop_;
  Waits waits_;   // of one run
  Waits others_;  // of another
  std::unique_ptr<Limiter> limiter_;
  std::deque<Permit> permits_;
  std::vector<int> granted_;
  std::vector<int> refused_;
  int asked_ = 0;
};

// Holds a permit for a while.
Task<void> hold(EventLoop& loop, Limiter& limiter, Waits& waits, int& running, int& most, int& done) {
  Permit permit = co_await limiter.acquire(0, waits, 0);
  most = std::max(most, ++running);
  co_await loop.sleep(1ms);
  --running;
  permit.give_back(Feedback::success);
  if (++done == 20) loop.stop();
}

TEST_F(LimiterTest, NeverLetsMoreThanTheLimitThroughAndServesEverybody) {
  limit({.concurrency = 3});
  int running = 0;
  int most = 0;
  int done = 0;
  for (int i = 0; i < 20; ++i) loop_.spawn(hold(loop_, *limiter_, waits_, running, most, done));
  loop_.run();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(limiter_->in_flight(), 0);
}

TEST_F(LimiterTest, ServesWaitersInOrder) {
  limit({.concurrency = 1});
  ask_for(4);
  EXPECT_THAT(granted_, ElementsAre(0));
  EXPECT_EQ(limiter_->waiting(), 3);
  give_back(3, Feedback::success);
  EXPECT_THAT(granted_, ElementsAre(0, 1, 2, 3));
}

TEST_F(LimiterTest, ServesTheOldestCaseFirst) {
  limit({.concurrency = 1});
  ask_for(1);
  for (const int turn : {7, 3, 5, 3}) loop_.spawn(ask(asked_++, waits_, 0, turn));
  give_back(4, Feedback::success);
  EXPECT_THAT(granted_, ElementsAre(0, 2, 4, 3, 1)) << "equal turns in the order of their coming";
}

// Two calls of one case, one after the other.
Task<void> ask_twice(Limiter& limiter, Waits& waits, std::int64_t turn, EventLoop& loop,
                     std::vector<std::int64_t>& order, std::vector<std::int64_t>& ended) {
  for (int call = 0; call < 2; ++call) {
    Permit permit = co_await limiter.acquire(0, waits, turn);
    order.push_back(turn);
    co_await loop.sleep(100us);
    permit.give_back(Feedback::success);
  }
  ended.push_back(turn);
}

TEST_F(LimiterTest, ACaseGoesOnBeforeAYoungerOneBegins) {
  limit({.concurrency = 1});
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> ended;
  for (const int turn : {1, 2, 3}) loop_.spawn(ask_twice(*limiter_, waits_, turn, loop_, order, ended));
  while (ended.size() < 3) run_for(1ms);
  EXPECT_THAT(order, ElementsAre(1, 1, 2, 2, 3, 3));
}

TEST_F(LimiterTest, APermitIsGivenBackOnceHoweverItGoes) {
  limit({.concurrency = 8});
  ask_for(3);
  EXPECT_EQ(limiter_->in_flight(), 3);
  permits_.front().give_back(Feedback::other);
  EXPECT_EQ(limiter_->in_flight(), 2);
  EXPECT_FALSE(permits_.front());
  permits_.front().give_back(Feedback::other);
  permits_.pop_front();
  EXPECT_EQ(limiter_->in_flight(), 2) << "not a second time";
  {
    const Permit moved = std::move(permits_.front());
    permits_.pop_front();
    EXPECT_EQ(limiter_->in_flight(), 2) << "what was moved from holds nothing";
  }
  EXPECT_EQ(limiter_->in_flight(), 1) << "destroyed";
  permits_.clear();
  EXPECT_EQ(limiter_->in_flight(), 0);
}

TEST_F(LimiterTest, APermitThatIsDestroyedLetsTheNextOneGoOnByWayOfTheLoop) {
  limit({.concurrency = 1, .tokens_per_minute = 60'000});
  ask_for(2, 1000);
  permits_.clear();
  EXPECT_THAT(granted_, ElementsAre(0)) << "not inside of what is being destroyed";
  run_for(50ms);
  EXPECT_THAT(granted_, ElementsAre(0, 1));
}

TEST_F(LimiterTest, WhoIsDestroyedWhileWaitingLeavesTheQueue) {
  limit({.concurrency = 1});
  ask_for(2);
  Mailbox::give_up([](Limiter& limiter, Waits& waits) -> Task<bool> {
    co_return static_cast<bool>(co_await limiter.acquire(0, waits, 0));
  }(*limiter_, waits_));
  EXPECT_EQ(limiter_->waiting(), 1);
  ask_for(1);
  give_back(2, Feedback::success);
  EXPECT_THAT(granted_, ElementsAre(0, 1, 2));
}

TEST_F(LimiterTest, ARunThatIsCutShortWakesItsOwnWaitersEmptyHandedAndNobodyElses) {
  limit({.concurrency = 1});
  ask_for(2);
  loop_.spawn(ask(100, others_, 0));
  ask_for(1);
  loop_.spawn(ask(101, others_, 0));
  waits_.cut_short();
  EXPECT_THAT(refused_, ElementsAre(1, 2));
  EXPECT_EQ(limiter_->waiting(), 2);
  give_back(1, Feedback::success);
  give_back(1, Feedback::success);
  EXPECT_THAT(granted_, ElementsAre(0, 100, 101));
}

TEST_F(LimiterTest, HalvesTheWindowOncePerBurstOf429AndGrowsBack) {
  limit({.concurrency = 64});
  ask_for(10);
  give_back(5, Feedback::too_many);
  EXPECT_DOUBLE_EQ(limiter_->window(), 32);
  give_back(5, Feedback::success);
  EXPECT_GT(limiter_->window(), 32);
  EXPECT_LT(limiter_->window(), 33);
}

TEST_F(LimiterTest, APauseOfTheServerHoldsEverybodyBackThenLetsGo) {
  limit({.concurrency = 4});
  ask_for(1);
  give_back(1, Feedback::too_many, 30ms);
  ask_for(1);
  EXPECT_THAT(granted_, ElementsAre(0));
  EXPECT_THAT(limiter_->waiting_for(), HasSubstr("asked for a pause"));
  run_for(60ms);
  EXPECT_THAT(granted_, ElementsAre(0, 1));
}

TEST_F(LimiterTest, KeepsToRequestsPerMinute) {
  limit({.concurrency = 100, .requests_per_minute = 6000});  // 100 a second, 100 at once
  ask_for(200);
  EXPECT_THAT(granted_, SizeIs(100));
  give_back(100, Feedback::success);
  EXPECT_THAT(limiter_->waiting_for(), HasSubstr("6000 requests a minute"));
  run_for(100ms);
  // About ten more in a tenth of a second; some, and never the whole rest, also on a machine that stalls for
  // a while.
  EXPECT_GT(granted_.size(), 100U);
  EXPECT_LT(granted_.size(), 200U);
}

TEST_F(LimiterTest, TokensBeyondTheBucketAreADebtThatIsWaitedFor) {
  limit({.concurrency = 10, .tokens_per_minute = 60'000});  // 1,000 a second, 10,000 at once
  ask_for(2, 10'010);
  EXPECT_THAT(granted_, ElementsAre(0));
  run_for(100ms);
  EXPECT_THAT(granted_, ElementsAre(0, 1));
}

// An estimate is high as a rule: `max_tokens`.
TEST_F(LimiterTest, WhatAnAnswerDidNotUseShortensTheWaitOfTheNext) {
  limit({.concurrency = 64, .tokens_per_minute = 60'000});  // a thousand a second, ten thousand at once
  ask_for(2, 30'000);
  EXPECT_THAT(granted_, ElementsAre(0));
  run_for(1ms);
  permits_.front().give_back(Feedback::success, 10'500);
  run_for(10ms);
  EXPECT_THAT(granted_, ElementsAre(0)) << "half a second's worth is still owed";
  for (int i = 0; i < 500 && granted_.size() < 2; ++i) run_for(20ms);
  EXPECT_THAT(granted_, ElementsAre(0, 1)) << "not the twenty seconds that the estimate would have taken";
}

// Replies that tell a billion tokens each, at one token a minute: centuries, in nanoseconds more than fits.
TEST_F(LimiterTest, ADebtOfCenturiesIsWaitedForInOnePiece) {
  limit({.concurrency = 64, .tokens_per_minute = 1});
  ask_for(1, 6e9);
  ask_for(1, 1);
  run_for(20ms);
  EXPECT_THAT(granted_, ElementsAre(0));
  waits_.cut_short();
  permits_.clear();  // they belong to the limiter
  limiter_.reset();
  // The upper half of a timer's number says how often its place was used before.
  EXPECT_LT(loop_.call_after(1h, [] {}) >> 32, 10U) << "it is not looked at again and again";
}

TEST_F(LimiterTest, TakesOtherLimitsWhileItGoesOn) {
  limit({.concurrency = 4});
  ask_for(6);
  EXPECT_THAT(granted_, ElementsAre(0, 1, 2, 3));
  limiter_->change({.concurrency = 2});
  give_back(2, Feedback::success);
  EXPECT_THAT(granted_, SizeIs(4)) << "two are in flight, as many as may be now";
  limiter_->change({.concurrency = 5});
  run_for(1ms);
  EXPECT_THAT(granted_, SizeIs(6));
}

TEST_F(LimiterTest, AChangeGivesNothingBackThatA429HasTaken) {
  limit({.concurrency = 8});
  ask_for(8);
  give_back(1, Feedback::too_many);
  EXPECT_EQ(limiter_->window(), 4);
  limiter_->change({.concurrency = 6});
  EXPECT_EQ(limiter_->window(), 4);
}

TEST_F(LimiterTest, AChangeOfRatesKeepsWhatWasSpent) {
  limit({.concurrency = 100, .requests_per_minute = 6000});
  ask_for(150);
  EXPECT_THAT(granted_, SizeIs(100));
  limiter_->change({.concurrency = 100, .requests_per_minute = 60});
  give_back(100, Feedback::success);
  EXPECT_LE(granted_.size(), 112U) << "no new minute begins with it";
}

TEST_F(LimiterTest, NobodyIsServedInPlaceOfWhoWasCutShort) {
  limit({.concurrency = 1});
  ask_for(5);
  waits_.cut_short();
  EXPECT_THAT(refused_, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(limiter_->in_flight(), 1);
  EXPECT_EQ(limiter_->waiting(), 0);
  waits_.cut_short();
  EXPECT_THAT(refused_, SizeIs(4)) << "each once";
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
