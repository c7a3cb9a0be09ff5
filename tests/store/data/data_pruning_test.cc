// What is too old goes, with all that hangs on it, and nothing else does.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data/data_store.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

class DataPruningTest : public DataStoreTest {
 protected:
  Result<Pruned> prune(const KeptSince& since, std::int64_t most = 100) {
    return waited<Pruned>([&](const auto& done) { store_->prune(since, most, done); });
  }
  // A record with two verdicts, recorded at that time.
  std::int64_t record_at(const std::string& context, std::int64_t recorded_ms) {
    ResultRecord given = result("a", "trial", "kenton", "mode2");
    given.context_id = context;
    given.verdicts.push_back({"a", "urgency", "classification", "mode2", 2, {}, {}, "HIGH", "no"});
    const std::int64_t id = record(given).value().record_id;
    execute("UPDATE record_rows SET recorded_ms = " + std::to_string(recorded_ms) +
            " WHERE record = " + std::to_string(id));
    return id;
  }
  std::vector<std::string> contexts() {
    std::vector<std::string> list;
    for (const ResultRow& row : store_->results({.count = 0}).value().rows) list.push_back(row.context_id);
    return list;
  }
};

INSTANTIATE_TEST_SUITE_P(On, DataPruningTest, kEveryPlace, place_name);

TEST_P(DataPruningTest, TakesOldRecordsWithTheirVerdictsTagsAndFeedback) {
  record_at("one", 100);
  record_at("two", 200);
  record_at("three", 300);
  for (const std::int64_t verdict : {1, 2, 3, 5}) rate({verdict, "kim", 4, {}, "{}"});
  const KeptSince since{.records_ms = 300};
  const Pruned would = prunable(address(), since).value();
  EXPECT_THAT(contexts(), SizeIs(6)) << "looking removes nothing";
  const Pruned went = prune(since).value();
  EXPECT_EQ(went.records, 2);
  EXPECT_EQ(went.results, 4);
  EXPECT_FALSE(went.more);
  EXPECT_EQ(would.records, went.records);
  EXPECT_EQ(would.results, went.results);
  EXPECT_THAT(contexts(), ElementsAre("three", "three"));
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 2);
  EXPECT_EQ(number("SELECT count(*) FROM records"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM result_tags"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM feedback"), 1);
  EXPECT_EQ(prune(since).value().records, 0);
}

TEST_P(DataPruningTest, AStepTakesTheOldestAndSaysWhetherThereIsMore) {
  for (int i = 1; i <= 5; ++i) record_at("c" + std::to_string(i), i);
  const Pruned first = prune({.records_ms = kEnd}, 2).value();
  EXPECT_EQ(first.records, 2);
  EXPECT_EQ(first.results, 4);
  EXPECT_TRUE(first.more);
  EXPECT_THAT(contexts(), ElementsAre("c3", "c3", "c4", "c4", "c5", "c5"));
  EXPECT_TRUE(prune({.records_ms = kEnd}, 2).value().more);
  const Pruned last = prune({.records_ms = kEnd}, 2).value();
  EXPECT_EQ(last.records, 0) << "the newest stays";
  EXPECT_FALSE(last.more);
}

TEST_P(DataPruningTest, GivesNoNumberOutTwice) {
  const std::int64_t before = record_at("one", 1);
  prune({.records_ms = kEnd}).value();
  const std::int64_t newest = record_at("two", 2);
  prune({.records_ms = kEnd}).value();
  const std::int64_t after = record_at("three", 3);
  EXPECT_LT(before, newest);
  EXPECT_LT(newest, after);
  EXPECT_EQ(number("SELECT min(result) FROM results"), 3);
}

TEST_P(DataPruningTest, WhatWasJudgedStaysKnown) {
  add({item("a", 100, {"source"}), item("b", 100, {"source"})});
  record_at("one", 1);
  record_at("two", 2);
  prune({.records_ms = kEnd}).value();
  EXPECT_THAT(ids({.tag = "source", .exclude_tag = "trial"}), ElementsAre("b"));
}

TEST_P(DataPruningTest, TakesOldFailuresWithTheirParts) {
  const auto fail_at = [&](const std::string& context, std::int64_t at) {
    const std::int64_t id =
        record_failure({"judge/1", context, "kenton", "mode2", {"a", "b"}, {"fit"}, "{}"});
    execute("UPDATE failure_rows SET recorded_ms = " + std::to_string(at) +
            " WHERE failure = " + std::to_string(id));
  };
  fail_at("one", 10);
  fail_at("two", 20);
  fail_at("three", 30);
  EXPECT_EQ(prunable(address(), {.records_ms = 20}).value().failures, 1);
  EXPECT_EQ(prune({.records_ms = 20}).value().failures, 1);
  EXPECT_EQ(store_->failures({}).value().total, 2);
  EXPECT_EQ(number("SELECT count(*) FROM failure_parts"), 4);
}

TEST_P(DataPruningTest, TakesOldItemsOutOfTagsAndSubsetsAndKeepsTheirResults) {
  add({item("a", 100, {"source", "other"}), item("b", 200, {"source"}), item("c", 50, {"source"})});
  subset({"source", 100, false, 1}).value();
  subset({"source", 50, false, 1}).value();
  record_at("one", 1);
  EXPECT_EQ(prunable(address(), {.items_ms = 200}).value().items, 1);
  EXPECT_EQ(prune({.items_ms = 200}).value().items, 1) << "c is old, too, and was stored last";
  EXPECT_THAT(ids({}), ElementsAre("b", "c"));
  EXPECT_THAT(ids({.tag = "other"}), IsEmpty());
  EXPECT_THAT(members("source", 100), ElementsAre("b", "c"));
  EXPECT_EQ(number("SELECT count(*) FROM subset_members m JOIN items i USING (item) WHERE i.item_id = 'a'"),
            0);
  EXPECT_EQ(number("SELECT count(*) FROM item_contents"), 2);
  EXPECT_THAT(store_->results({.item_id = "a"}).value().rows, SizeIs(2));
  add({item("a", 400, {"source"})});
  EXPECT_THAT(ids({}), ElementsAre("b", "c", "a")) << "it comes again, behind the others";
}

TEST_P(DataPruningTest, TakesJobsThatHaveEnded) {
  for (const auto& [id, status, created] :
       {std::tuple("done", "COMPLETE", 100), std::tuple("lost", "ERROR", 110),
        std::tuple("stopped", "CANCELLED", 120), std::tuple("waits", "INITIATED", 100),
        std::tuple("runs", "PROCESSING", 100), std::tuple("young", "COMPLETE", 200)})
    ASSERT_TRUE(put({id, "mode2", status, "kenton", "{}", created}).has_value());
  EXPECT_THAT(prunable(address(), {.jobs_ms = 200}).value().job_ids, ElementsAre("done", "lost", "stopped"));
  const Pruned step = prune({.jobs_ms = 200}, 2).value();
  EXPECT_THAT(step.job_ids, ElementsAre("done", "lost"));
  EXPECT_TRUE(step.more);
  EXPECT_THAT(prune({.jobs_ms = 200}, 2).value().job_ids, ElementsAre("stopped"));
  EXPECT_EQ(store_->jobs({}).value().total, 3);
}

TEST_P(DataPruningTest, WithoutATimeEverythingStays) {
  add({item("a", 1, {}), item("b", 2, {})});
  record_at("one", 1);
  record_at("two", 2);
  ASSERT_TRUE(put({"done", "mode2", "COMPLETE", "kenton", "{}", 1}).has_value());
  const Pruned none = prune({}).value();
  EXPECT_EQ(none.records + none.items + none.failures, 0);
  EXPECT_THAT(none.job_ids, IsEmpty());
  EXPECT_THAT(contexts(), SizeIs(4));
}

}  // namespace
}  // namespace assay
