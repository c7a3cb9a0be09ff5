// What is removed goes with all that follows from it, for good, and nothing else does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data/data_store.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = Removal::Kind;

class DataRemovalTest : public DataStoreTest {
 protected:
  std::int64_t judge(const std::string& item_id, const std::string& context = "context") {
    ResultRecord given = result(item_id, "trial", "kenton", "mode2");
    given.context_id = context;
    return record(given).value().record_id;
  }
};

INSTANTIATE_TEST_SUITE_P(On, DataRemovalTest, kEveryPlace, place_name);

TEST_P(DataRemovalTest, ARecordGoesWithItsVerdictsTagsAndFeedback) {
  add({item("a", 1, {"source"}), item("b", 2, {"source"})});
  const std::int64_t gone = judge("a");
  judge("b");
  rate({1, "kim", 4, {}, "{}"});
  rate({2, "kim", 4, {}, "{}"});
  const Removed removed = remove({.kind = Kind::record, .number = gone});
  EXPECT_EQ(removed.records, 1);
  EXPECT_EQ(removed.results, 1);
  EXPECT_EQ(removed.feedback, 1);
  reopen();
  EXPECT_FALSE(store_->record(gone).value());
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 1);
  EXPECT_EQ(store_->feedback({}).value().total, 1);
  EXPECT_EQ(number("SELECT count(*) FROM result_tags"), 1);
  EXPECT_THAT(ids({.tag = "source", .exclude_tag = "trial"}), ElementsAre("a")) << "it may be asked again";
  EXPECT_FALSE(remove({.kind = Kind::record, .number = gone}).any());
}

TEST_P(DataRemovalTest, WhatAnotherRecordJudgedTooStaysKnown) {
  add({item("a", 1, {"source"})});
  const std::int64_t first = judge("a", "once");
  judge("a", "twice");
  remove({.kind = Kind::record, .number = first});
  EXPECT_THAT(ids({.tag = "source", .exclude_tag = "trial"}), IsEmpty());
}

TEST_P(DataRemovalTest, NumbersOfTheNewestAreNotGivenOutAgain) {
  add({item("a", 1, {}), item("b", 2, {})});
  const std::int64_t record = judge("a");
  const auto said = rate({1, "kim", 4, {}, "{}"});
  const std::int64_t failure = record_failure({"judge/1", "x", "kenton", "mode2", {"a"}, {}, "{}"});
  const ItemPlace last = store_->items({}).value().last.value();
  EXPECT_EQ(remove({.kind = Kind::feedback, .number = *said}).feedback, 1);
  EXPECT_EQ(remove({.kind = Kind::record, .number = record}).records, 1);
  EXPECT_EQ(remove({.kind = Kind::failure, .number = failure}).failures, 1);
  EXPECT_EQ(remove({.kind = Kind::item, .id = "b"}).items, 1);
  reopen();
  EXPECT_GT(judge("a"), record);
  EXPECT_EQ(store_->results({}).value().rows.at(0).result_id, 2);
  EXPECT_GT(rate({2, "kim", 4, {}, "{}"}), said);
  EXPECT_GT(record_failure({"judge/1", "y", "kenton", "mode2", {"a"}, {}, "{}"}), failure);
  add({item("c", 3, {})});
  EXPECT_THAT(ids({.after = last}), ElementsAre("c")) << "behind where somebody had come to";
}

TEST_P(DataRemovalTest, AnItemGoesAloneOrWithAllThatSpeaksOfIt) {
  add({item("a", 1, {"source"}), item("b", 2, {"source"})});
  subset({"source", 100, false, 1}).value();
  judge("a");
  judge("b");
  record_failure({"judge/1", "x", "kenton", "mode2", {"b", "c"}, {}, "{}"});
  EXPECT_EQ(remove({.kind = Kind::item, .id = "a"}).items, 1);
  EXPECT_THAT(ids({}), ElementsAre("b"));
  EXPECT_THAT(members("source", 100), ElementsAre("b"));
  EXPECT_EQ(store_->results({.item_id = "a"}).value().total, 1);
  EXPECT_FALSE(remove({.kind = Kind::item, .id = "a"}).any()) << "it has gone already";
  const Removed whole = remove({.kind = Kind::item_and_records, .id = "b"});
  EXPECT_EQ(whole.items, 1);
  EXPECT_EQ(whole.records, 1);
  EXPECT_EQ(whole.failures, 1);
  EXPECT_FALSE(store_->item("b").value());
  EXPECT_EQ(store_->failures({.resolved = true}).value().total, 0);
  EXPECT_EQ(number("SELECT count(*) FROM failure_parts"), 0);
  EXPECT_THAT(store_->results({}).value().rows, SizeIs(1));
}

TEST_P(DataRemovalTest, WhichItemsMatchedIsKnownAndWhatWasRemovedSinceIsLeftOut) {
  add({item("a", 1, {"source"}), item("b", 2, {"source"}), item("c", 3, {"other"}),
       item("d", 4, {"source"})});
  const ItemRows found = store_->item_rows({.tag = "source", .order = ItemQuery::Order::newest}).value();
  EXPECT_EQ(found.total, 3);
  ASSERT_THAT(found.rows, SizeIs(3));
  EXPECT_THAT(store_->item_rows({.tag = "source", .count = 2}).value().rows, SizeIs(2));
  EXPECT_EQ(store_->item_rows({.tag = "source", .count = 2}).value().total, 3);
  remove({.kind = Kind::item, .id = "b"});
  const auto items = store_->items_of(found.rows).value();
  ASSERT_THAT(items, SizeIs(2));
  EXPECT_EQ(items[0].item_id, "d");
  EXPECT_EQ(items[1].item_id, "a");
}

TEST_P(DataRemovalTest, AJobGoesAndItsResultsStay) {
  ResultRecord given = result("a", "trial", "kenton", "mode2");
  given.job_id = "done";
  ASSERT_TRUE(record(given));
  ASSERT_TRUE(put({"done", "mode2", "COMPLETE", "kenton", "{}", 1}));
  EXPECT_EQ(remove({.kind = Kind::job, .id = "done"}).jobs, 1);
  EXPECT_FALSE(store_->job("done").value());
  EXPECT_EQ(store_->results({.job_id = "done"}).value().total, 1);
  EXPECT_FALSE(remove({.kind = Kind::job, .id = "done"}).any());
}

}  // namespace
}  // namespace assay
