// Jobs that several processes share: one has each of them, and who dies lets go of his.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kLong = 60'000;

class SharedJobsTest : public DataStoreTest {
 protected:
  std::string take(const std::string& holder, const std::string& id = "", std::int64_t ms = kLong) {
    const auto taken = waited<std::optional<StoredJob>>([&](const auto& done) {
                         store_->take_job({holder, ms}, id, done);
                       }).value();
    return taken ? taken->job_id : "none";
  }
  HeldJobs hold(const std::string& holder, std::int64_t ms = kLong) {
    return waited<HeldJobs>([&](const auto& done) { store_->hold_jobs({holder, ms}, done); }).value();
  }
  bool ask_to_cancel(const std::string& id) {
    return waited<bool>([&](const auto& done) { store_->ask_to_cancel(id, done); }).value();
  }
  void begin(const std::string& id, const std::string& status, std::int64_t created_ms) {
    ASSERT_TRUE(put({id, "mode2", status, "kenton", "{}", created_ms}).has_value());
  }
};

INSTANTIATE_TEST_SUITE_P(On, SharedJobsTest, kEveryPlace, place_name);

TEST_P(SharedJobsTest, EachJobIsTakenOnceThoseFirstThatHadBegun) {
  begin("new", "INITIATED", 1);
  begin("newer", "INITIATED", 2);
  begin("begun", "PROCESSING", 3);
  begin("ended", "COMPLETE", 0);
  EXPECT_TRUE(store_->has_job_to_take().value());
  EXPECT_EQ(take("a"), "begun");
  EXPECT_EQ(take("b"), "new");
  EXPECT_EQ(take("a"), "newer");
  EXPECT_EQ(take("b"), "none");
  EXPECT_FALSE(store_->has_job_to_take().value());
  EXPECT_EQ(take("b", "newer"), "none") << "a has it";
  EXPECT_THAT(hold("b").job_ids, ElementsAre("new"));
}

TEST_P(SharedJobsTest, WhoDoesNotHoldHisJobAgainLosesIt) {
  begin("one", "INITIATED", 1);
  EXPECT_EQ(take("a", "", 1), "one");
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(take("b"), "one");
  EXPECT_THAT(hold("a").job_ids, IsEmpty());
  const auto late = put({"one", "mode2", "COMPLETE", "kenton", "{}", 1, "a"});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, ErrorKind::changed);
  EXPECT_EQ(store_->job("one").value()->status, "INITIATED");
  ASSERT_TRUE(put({"one", "mode2", "PROCESSING", "kenton", "{}", 1, "b"}).has_value());
  ASSERT_TRUE(put({"one", "mode2", "COMPLETE", "kenton", "{}", 1, "b"}).has_value());
  EXPECT_EQ(store_->job("one").value()->status, "COMPLETE");
  EXPECT_FALSE(put({"one", "mode2", "PROCESSING", "kenton", "{}", 1, "b"}).has_value()) << "it has ended";
}

TEST_P(SharedJobsTest, WhoEndsInOrderLetsGoAtOnce) {
  begin("one", "PROCESSING", 1);
  begin("two", "INITIATED", 2);
  EXPECT_EQ(take("a"), "one");
  EXPECT_EQ(take("a"), "two");
  ASSERT_TRUE(waited<void>([&](const auto& done) { store_->let_go_of_jobs("a", "two", done); }).has_value());
  EXPECT_EQ(take("b"), "two");
  EXPECT_EQ(take("b"), "none");
  ASSERT_TRUE(waited<void>([&](const auto& done) { store_->let_go_of_jobs("a", "", done); }).has_value());
  EXPECT_EQ(take("b"), "one");
}

TEST_P(SharedJobsTest, AWishToCancelReachesWhoHoldsTheJobOrTakesIt) {
  begin("one", "INITIATED", 1);
  begin("two", "INITIATED", 2);
  begin("ended", "ERROR", 3);
  EXPECT_EQ(take("a", "one"), "one");
  EXPECT_THAT(hold("a").to_cancel, IsEmpty());
  EXPECT_TRUE(ask_to_cancel("one"));
  EXPECT_THAT(hold("a").to_cancel, ElementsAre("one"));
  EXPECT_TRUE(ask_to_cancel("two"));
  EXPECT_FALSE(ask_to_cancel("ended"));
  EXPECT_FALSE(ask_to_cancel("none"));
  const auto taken = waited<std::optional<StoredJob>>([&](const auto& done) {
                       store_->take_job({"b", kLong}, "", done);
                     }).value();
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->job_id, "two");
  EXPECT_TRUE(taken->cancel_asked);
}

TEST_P(SharedJobsTest, FilesOfAJobComeAndGoWithIt) {
  StoredJob job{"one", "mode2", "INITIATED", "kenton", "{}", 1};
  job.files = {{"items.jsonl", "{\"a\": 1}\n"}};
  ASSERT_TRUE(put(job).has_value());
  EXPECT_EQ(store_->job_file("one", "items.jsonl").value(), "{\"a\": 1}\n");
  EXPECT_EQ(store_->job_file("one", "lists.json").value(), std::nullopt);
  EXPECT_EQ(remove({.kind = Removal::Kind::job, .id = "one"}).jobs, 1);
  EXPECT_EQ(store_->job_file("one", "items.jsonl").value(), std::nullopt);
}

}  // namespace
}  // namespace assay
