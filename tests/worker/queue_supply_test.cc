// What a worker takes, passes over and gives back, with a queue that the test plays.
#include "worker/queue_supply.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/distributed/case_message.h"
#include "tests/queue/played_queue.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class QueueSupplyTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = *create_run(directory_.path());
    begin(30s);
  }
  void begin(std::chrono::milliseconds lease) {
    supply_ = std::make_unique<QueueSupply>(loop_, queue_, *store_, QueueSupply::Options{"run-1", lease, {}});
    supply_->allow({.under_way = 10, .waiting = 10});
  }
  std::vector<GivenCase> next(int most = 10) {
    auto given = loop_.run_until_done(supply_->next(most));
    EXPECT_TRUE(given && *given);
    return given && *given ? std::move(**given) : std::vector<GivenCase>();
  }
  void settle() { loop_.run_until_done(supply_->finish()); }
  void put_outcome(std::int64_t index, bool stands) {
    ASSERT_TRUE(loop_.run_until_done(store_->put(
        OutcomeRow{index, fmt::format("case-{}", index), stands ? "scored" : "infra_failed", "{}", stands})));
  }

  ScratchDirectory directory_{"supply"};
  EventLoop loop_;
  std::unique_ptr<RunStore> store_;
  PlayedQueue queue_;
  std::unique_ptr<QueueSupply> supply_;
};

TEST_F(QueueSupplyTest, SaysWhatIsDoneAndGivesBackWhatIsNot) {
  queue_.add(1, 10);
  queue_.add(2, 11);
  ASSERT_EQ(next().size(), 2U);
  supply_->ended(10);
  supply_->left(11);
  settle();
  EXPECT_THAT(queue_.finished, ElementsAre(1));
  EXPECT_THAT(queue_.returned, ElementsAre(2));
  EXPECT_EQ(supply_->ended_count(), 1);
}

TEST_F(QueueSupplyTest, PassesOverWhatHasItsOutcome) {
  put_outcome(10, true);
  put_outcome(11, false);
  queue_.add(1, 10);
  queue_.add(2, 11);
  queue_.add(3, 12);
  const auto given = next();
  ASSERT_EQ(given.size(), 2U) << "a failure that was nobody's fault is tried again";
  EXPECT_EQ(given[0].input.index, 11);
  EXPECT_EQ(given[1].input.index, 12);
  EXPECT_TRUE(given[1].journaled);
  settle();
  EXPECT_THAT(queue_.finished, ElementsAre(1));
}

TEST_F(QueueSupplyTest, RunsACaseOnceThatIsGivenTwice) {
  queue_.add(1, 10);
  ASSERT_EQ(next().size(), 1U);
  queue_.add(2, 10);
  EXPECT_THAT(next(), IsEmpty());
  supply_->ended(10);
  settle();
  EXPECT_THAT(queue_.finished, ElementsAre(1, 2));
}

TEST_F(QueueSupplyTest, GivesUpACaseThatNobodyCouldFinish) {
  queue_.add(1, 10, QueueSupply::kMostDeliveries);
  queue_.add(2, 11, QueueSupply::kMostDeliveries + 1);
  const auto given = next();
  ASSERT_EQ(given.size(), 2U);
  EXPECT_TRUE(given[0].given_up.empty());
  EXPECT_TRUE(given[1].given_up.contains("given to workers 16 times"));
}

TEST_F(QueueSupplyTest, TakesNoMoreThanItIsAllowed) {
  for (int i = 0; i < 5; ++i) queue_.add(i, i);
  supply_->allow({.under_way = 2, .waiting = 2});
  EXPECT_EQ(next().size(), 2U);
  EXPECT_THAT(next(), IsEmpty());
  supply_->ended(0);
  EXPECT_EQ(next().size(), 1U);
  supply_->close();
  EXPECT_EQ(*loop_.run_until_done(supply_->next(10)), std::nullopt);
}

TEST_F(QueueSupplyTest, TakesFewThatWaitAndMoreAsTheyBegin) {
  for (int i = 0; i < 9; ++i) queue_.add(i, i);
  supply_->allow({.under_way = 10, .waiting = 2});
  const auto first = next();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_TRUE(first[0].lease->begin());
  EXPECT_EQ(next().size(), 1U);
}

TEST_F(QueueSupplyTest, GivesBackWhatWaitsWhenItsShareFalls) {
  for (int i = 0; i < 4; ++i) queue_.add(i, i);
  const auto given = next();
  ASSERT_EQ(given.size(), 4U);
  EXPECT_TRUE(given[0].lease->begin());
  EXPECT_TRUE(given[3].lease->begin());
  supply_->allow({.under_way = 10, .waiting = 1});
  settle();
  EXPECT_THAT(queue_.returned, ElementsAre(2)) << "the newest that has not begun";
  EXPECT_FALSE(given[2].lease->begin()) << "another worker asks for it";
  EXPECT_TRUE(given[1].lease->begin());
  supply_->left(2);
  supply_->ended(0);
  settle();
  EXPECT_THAT(queue_.finished, ElementsAre(0));
  EXPECT_THAT(queue_.returned, ElementsAre(2)) << "once";
}

TEST_F(QueueSupplyTest, GivesBackWhatWaitsWhenItIsClosed) {
  for (int i = 0; i < 3; ++i) queue_.add(i, i);
  const auto given = next();
  ASSERT_EQ(given.size(), 3U);
  EXPECT_TRUE(given[1].lease->begin());
  supply_->close();
  settle();
  EXPECT_THAT(queue_.returned, ElementsAre(2, 0));
  EXPECT_TRUE(given[1].lease->begin()) << "what was begun is finished";
}

TEST_F(QueueSupplyTest, GivesNothingBackThatIsSomebodyElsesByNow) {
  queue_.add(1, 10);
  queue_.add(2, 11);
  const auto given = next();
  ASSERT_EQ(given.size(), 2U);
  given[1].lease->extend(Clock::now() - 1ms);
  supply_->close();
  settle();
  EXPECT_THAT(queue_.returned, ElementsAre(1)) << "that would take it away from whoever has it";
  EXPECT_FALSE(given[1].lease->begin());
}

TEST_F(QueueSupplyTest, TakesNothingThatWasGivenOutLongerAgoThanItsLeaseLasts) {
  queue_.add(1, 10);
  queue_.work.back().since = Clock::now() - 31s;
  queue_.add(2, 11);
  queue_.work.back().since = Clock::now() - 10s;
  const auto given = next();
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].input.index, 11);
  EXPECT_FALSE(given[0].lease->lost());
  settle();
  EXPECT_THAT(queue_.finished, IsEmpty());
  EXPECT_THAT(queue_.returned, IsEmpty());
}

TEST_F(QueueSupplyTest, ACaseThatComesAgainBeforeItWasLeftIsAskedHere) {
  queue_.add(1, 10);
  const auto given = next();
  ASSERT_EQ(given.size(), 1U);
  supply_->allow({});
  supply_->allow({.under_way = 10, .waiting = 10});
  queue_.add(2, 10, 2);
  EXPECT_THAT(next(), IsEmpty()) << "it waits here still";
  EXPECT_TRUE(given[0].lease->begin());
  supply_->ended(10);
  settle();
  EXPECT_THAT(queue_.returned, ElementsAre(1));
  EXPECT_THAT(queue_.finished, ElementsAre(2));
}

TEST_F(QueueSupplyTest, DropsWhatIsNoCase) {
  queue_.work.push_back({"rubbish", 1, std::make_shared<Numbered>(1)});
  EXPECT_THAT(next(), IsEmpty());
  settle();
  EXPECT_THAT(queue_.finished, ElementsAre(1));
}

TEST_F(QueueSupplyTest, KeepsLeasesWhileTheQueueListensAndLosesThemWhenItDoesNot) {
  begin(300ms);
  queue_.add(1, 10);
  const auto given = next();
  ASSERT_EQ(given.size(), 1U);
  loop_.run_until_done([](EventLoop& loop) -> Task<void> { co_await loop.sleep(600ms); }(loop_));
  EXPECT_GE(queue_.extended, 3);
  EXPECT_FALSE(given[0].lease->lost());
  queue_.reachable = false;
  loop_.run_until_done([](EventLoop& loop) -> Task<void> { co_await loop.sleep(600ms); }(loop_));
  EXPECT_TRUE(given[0].lease->lost());
  supply_->left(10);
  settle();
  EXPECT_THAT(queue_.returned, IsEmpty()) << "it is somebody else's by now";
}

}  // namespace
}  // namespace assay
