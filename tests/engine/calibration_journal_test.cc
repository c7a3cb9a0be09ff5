#include "engine/calibration_journal.h"

#include <filesystem>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/event_loop.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Learns in two steps how many cases say yes.
class Counting final : public RunCalibration {
 public:
  explicit Counting(std::string labels = "v1") : labels_(std::move(labels)) {}
  bool takes_part(const Case&) const override { return true; }
  Status look_at(const std::vector<CalibrationCase>&) const override { return {}; }
  std::optional<std::string> step() const override {
    return known.size() < 2 ? std::optional("step" + std::to_string(known.size())) : std::nullopt;
  }
  JsonObject rests_on() const override { return {{"labels", labels_}}; }
  Result<JsonObject> learn(const std::vector<CalibrationCase>& cases) const override {
    if (cases.empty()) return fail(ErrorKind::judge, "nothing can be learnt from nothing");
    return JsonObject{{"yes", cases.size() + known.size()}};
  }
  Status know(const JsonObject& learnt) override {
    known.push_back(as_integer(*learnt.if_contains("yes")).value_or(-1));
    return {};
  }
  std::vector<std::int64_t> known;

 private:
  std::string labels_;
};

class CalibrationJournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("assay_calibration_" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    store_.reset();
    fs::remove_all(folder_);
  }
  RunStore& store() {
    store_.reset();
    auto lock = RunStore::lock(folder_);
    auto opened = RunStore::holds_run(folder_) ? RunStore::open(folder_, std::move(*lock))
                                               : RunStore::create(folder_, std::move(*lock),
                                                                  {"r", "e", "0", "now", "{}", "d", "h"}, {});
    store_ = std::move(opened.value());
    return *store_;
  }
  Status learn(Counting& counting, std::size_t cases) {
    CalibrationJournal journal(store());
    return loop_.run_until_done(journal.learn(counting, std::vector<CalibrationCase>(cases)));
  }
  Status recall(Counting& counting) {
    CalibrationJournal journal(store());
    return loop_.run_until_done(journal.recall(counting));
  }

  std::string folder_;
  EventLoop loop_;
  std::unique_ptr<RunStore> store_;
};

TEST_F(CalibrationJournalTest, ALaterSittingKnowsWhatAnEarlierOneLearnt) {
  Counting first;
  ASSERT_TRUE(learn(first, 5));
  Counting second;
  ASSERT_TRUE(recall(second));
  EXPECT_EQ(second.known, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(second.step(), "step1") << "the run was cut off before";
  ASSERT_TRUE(learn(second, 7));
  Counting third;
  ASSERT_TRUE(recall(third));
  EXPECT_EQ(third.known, (std::vector<std::int64_t>{5, 8}));
  EXPECT_FALSE(third.step());
}

TEST_F(CalibrationJournalTest, WhatWasLearntFromOtherLabelsIsRefused) {
  Counting first;
  ASSERT_TRUE(learn(first, 5));
  Counting other("v2");
  const auto recalled = recall(other);
  ASSERT_FALSE(recalled);
  EXPECT_EQ(recalled.error().kind, ErrorKind::changed);
  EXPECT_TRUE(other.known.empty());
}

TEST_F(CalibrationJournalTest, WhatCannotBeLearntIsNotKept) {
  Counting first;
  const auto learnt = learn(first, 0);
  ASSERT_FALSE(learnt);
  EXPECT_THAT(learnt.error().message, HasSubstr("from nothing"));
  Counting second;
  ASSERT_TRUE(recall(second));
  EXPECT_TRUE(second.known.empty());
}

// It belongs to the run itself: no request, and nothing that a case is resumed from.
TEST_F(CalibrationJournalTest, ItCountsInNoTotal) {
  Counting first;
  ASSERT_TRUE(learn(first, 5));
  RunStore& now = store();
  EXPECT_EQ(loop_.run_until_done(now.totals()).value().requests, 0);
  EXPECT_TRUE(loop_.run_until_done(now.states({})).value().begun.empty());
}

TEST(CalibrationCases, ACaseWithoutItsAnswersEndsTheLearning) {
  std::vector<CalibrationCase> cases(3);
  EXPECT_TRUE(all_answered(cases));
  cases[0].outcome.kind = OutcomeKind::target_failed;  // its own failure, which stands
  EXPECT_TRUE(all_answered(cases));
  cases[2].input.id = "c2";
  cases[2].outcome = {OutcomeKind::infra_failed, {}, "HTTP 503"};
  const auto answered = all_answered(cases);
  ASSERT_FALSE(answered);
  EXPECT_THAT(answered.error().message, HasSubstr("1 of 3 labelled cases have no answer (HTTP 503)"));
}

}  // namespace
}  // namespace assay
