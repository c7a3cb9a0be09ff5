#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::SizeIs;
using Order = ItemQuery::Order;

class EvaluationItemsTest : public DataStoreTest {};

INSTANTIATE_TEST_SUITE_P(On, EvaluationItemsTest, kEveryPlace, place_name);

TEST_P(EvaluationItemsTest, GivesItemsBackAsTheyCameAlsoInOtherScripts) {
  const StoredItem item{"пример-例-🙂", -5, {"b", "タグ", "a"}, R"({"text": "naïve\u0000"})"};
  add({item, {"", 0, {}, ""}});
  const auto page = store_->items({.tag = "タグ"}).value();
  ASSERT_THAT(page.items, SizeIs(1));
  EXPECT_EQ(page.items[0].item_id, item.item_id);
  EXPECT_EQ(page.items[0].published_ms, -5);
  EXPECT_EQ(page.items[0].json, item.json);
  EXPECT_THAT(page.items[0].tags, ElementsAre("a", "b", "タグ"));
  EXPECT_EQ(store_->items({}).value().total, 2);
}

TEST_P(EvaluationItemsTest, TheSameItemAgainAddsItsTagsAndItsNewestContentCounts) {
  EXPECT_EQ(add({item("a", 10, {"one"}), item("b", 20, {"one"})}).added, 2);
  const ItemsAdded again = add({{"a", 30, {"two", "one"}, R"({"new":1})"}, item("c", 5, {"two"})});
  EXPECT_EQ(again.added, 1);
  EXPECT_EQ(again.known, 1);
  const auto page = store_->items({.tag = "one", .order = Order::newest}).value();
  ASSERT_THAT(page.items, SizeIs(2));
  EXPECT_EQ(page.items[0].item_id, "a");
  EXPECT_EQ(page.items[0].published_ms, 30);
  EXPECT_EQ(page.items[0].json, R"({"new":1})");
  EXPECT_THAT(page.items[0].tags, ElementsAre("one", "two"));
  EXPECT_THAT(ids({.tag = "two"}), ElementsAre("a", "c"));
  EXPECT_THAT(ids({.tag = "one", .published_since_ms = 25}), ElementsAre("a"));
}

TEST_P(EvaluationItemsTest, AnItemTwiceInOneListIsOneItem) {
  const ItemsAdded sum = add({item("a", 1, {"t"}), item("a", 2, {"t", "t"})});
  EXPECT_EQ(sum.added, 1);
  EXPECT_EQ(sum.known, 1);
  EXPECT_EQ(store_->items({.tag = "t"}).value().total, 1);
}

TEST_P(EvaluationItemsTest, OrdersByStoringByTimeAndById) {
  add({item("c", 10, {"t"}), item("a", 30, {"t"}), item("d", 10, {"t"})});
  add({item("b", 10, {"t"}), item("a", 30, {})});
  EXPECT_THAT(ids({.tag = "t"}), ElementsAre("c", "a", "d", "b"));
  EXPECT_THAT(ids({.tag = "t", .order = Order::newest}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids({.tag = "t", .order = Order::item_id}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids({}), ElementsAre("c", "a", "d", "b"));
  EXPECT_THAT(ids({.order = Order::newest}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids({.order = Order::item_id}), ElementsAre("a", "b", "c", "d"));
  ASSERT_EQ(subset({"t", 100, false, 1}).value().members, 4);
  EXPECT_THAT(ids({.subset_tag = "t", .subset_percent = 100}), ElementsAre("c", "a", "d", "b"));
  EXPECT_THAT(ids({.subset_tag = "t", .subset_percent = 100, .order = Order::newest}),
              ElementsAre("a", "b", "c", "d"));
}

TEST_P(EvaluationItemsTest, PagesJoinToTheWholeAndCountWhatIsBehindThem) {
  std::vector<StoredItem> items;
  for (int i = 0; i < 45; ++i) items.push_back(item("item " + std::to_string(100 + i), 1000 - i % 7, {"t"}));
  add(items);
  for (const Order order : {Order::stored, Order::newest, Order::item_id}) {
    std::vector<std::string> joined;
    for (std::int64_t offset = 0; offset < 45; offset += 20) {
      const auto page = store_->items({.tag = "t", .order = order, .offset = offset}).value();
      EXPECT_EQ(page.total, 45);
      EXPECT_EQ(page.remaining, std::max<std::int64_t>(0, 25 - offset));
      for (const StoredItem& found : page.items) joined.push_back(found.item_id);
    }
    EXPECT_EQ(joined, ids({.tag = "t", .order = order, .count = 0}));
    EXPECT_EQ(std::set(joined.begin(), joined.end()).size(), 45U);
  }
  const auto behind = store_->items({.tag = "t", .offset = 60}).value();
  EXPECT_THAT(behind.items, IsEmpty());
  EXPECT_EQ(behind.total, 45);
  EXPECT_EQ(behind.remaining, 0);
  EXPECT_EQ(store_->items({.tag = "t", .offset = 60, .count = -1}).value().total, 45);
  EXPECT_EQ(store_->items({.tag = "t", .offset = 40, .count = -1}).value().items.size(), 5U);
  EXPECT_EQ(store_->items({.tag = "t", .offset = -3, .count = 2}).value().remaining, 43);
  const auto exact = store_->items({.tag = "t", .offset = 40, .count = 5}).value();
  EXPECT_EQ(exact.total, 45);
  EXPECT_EQ(exact.remaining, 0);
}

TEST_P(EvaluationItemsTest, LeavesOutWhatHasAResultUnderATagOfThatPersonaAndMode) {
  add({item("a", 10, {"source"}), item("b", 20, {"source"}), item("c", 30, {"source"})});
  ASSERT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
  ASSERT_TRUE(record(result("b", "trial", "kenton", "mode3")).has_value());
  ASSERT_TRUE(record(result("c", "other", "maria", "mode2")).has_value());
  const auto left = [&](ItemQuery query) {
    query.tag = "source";
    return ids(query);
  };
  EXPECT_THAT(left({}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(left({.exclude_tag = "trial"}), ElementsAre("c"));
  EXPECT_THAT(left({.exclude_tag = "trial", .persona_id = "kenton"}), ElementsAre("c"));
  EXPECT_THAT(left({.exclude_tag = "trial", .mode = "mode2"}), ElementsAre("b", "c"));
  EXPECT_THAT(left({.exclude_tag = "trial", .persona_id = "kenton", .mode = "mode3"}), ElementsAre("a", "c"));
  EXPECT_THAT(left({.exclude_tag = "trial", .persona_id = "maria", .mode = "mode2"}),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(left({.exclude_tag = "source"}), ElementsAre("a", "b", "c"));  // tags of results, not of items
  EXPECT_THAT(left({.persona_id = "kenton", .mode = "mode2"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(left({.exclude_tag = "trial", .published_since_ms = 31}), IsEmpty());
  const auto page =
      store_->items({.tag = "source", .exclude_tag = "trial", .mode = "mode2", .count = 1}).value();
  EXPECT_EQ(page.total, 2);
  EXPECT_EQ(page.remaining, 1);
}

TEST_P(EvaluationItemsTest, AResultMayComeBeforeItsItem) {
  ASSERT_TRUE(record(result("late", "trial", "kenton", "mode2")).has_value());
  EXPECT_THAT(ids({}), IsEmpty());
  add({item("first", 1, {"t"}), item("late", 2, {"t"})});
  EXPECT_THAT(ids({.tag = "t"}), ElementsAre("first", "late"));
  EXPECT_THAT(ids({.tag = "t", .exclude_tag = "trial"}), ElementsAre("first"));
}

TEST_P(EvaluationItemsTest, ASubsetHasItsShareOfTheTagAndAtLeastOne) {
  std::vector<StoredItem> items;
  for (int i = 0; i < 150; ++i) items.push_back(item("i" + std::to_string(i), i, {"t"}));
  items.push_back(item("single", 1, {"one"}));
  add(items);
  EXPECT_EQ(subset({"t", 1, false, 7}).value().members, 1);
  EXPECT_EQ(subset({"t", 33, false, 7}).value().members, 49);  // floor of 49.5
  EXPECT_EQ(subset({"t", 100, false, 7}).value().members, 150);
  const Subset one = subset({"one", 1, false, 7}).value();
  EXPECT_EQ(one.members, 1);
  EXPECT_EQ(one.of, 1);
  EXPECT_THAT(members("one", 1), ElementsAre("single"));
  EXPECT_THAT(members("t", 1), SizeIs(1));
  EXPECT_THAT(members("t", 33), SizeIs(49));
  EXPECT_THAT(members("t", 34), IsEmpty());
  for (const int percent : {0, 101, -1})
    EXPECT_EQ(subset({"t", percent, false, 7}).error().kind, ErrorKind::data);
}

TEST_P(EvaluationItemsTest, ASubsetIsDecidedByItsSeedAndNotByTheOrderOfTheItems) {
  std::vector<StoredItem> items;
  for (int i = 0; i < 100; ++i) items.push_back(item("i" + std::to_string(i), i, {"t"}));
  add(items);
  ASSERT_TRUE(subset({"t", 20, false, 7}).has_value());
  const auto first = members("t", 20);
  ASSERT_TRUE(subset({"t", 20, false, 8}).has_value());
  EXPECT_NE(members("t", 20), first);
  ASSERT_TRUE(subset({"t", 20, false, 7}).has_value());
  EXPECT_EQ(members("t", 20), first);
  clear();
  open();
  std::ranges::reverse(items);
  add(items);
  ASSERT_TRUE(subset({"t", 20, false, 7}).has_value());
  EXPECT_EQ(members("t", 20), first);
}

TEST_P(EvaluationItemsTest, AnIncrementalSubsetKeepsItsMembersAndNeverShrinks) {
  std::vector<StoredItem> items;
  for (int i = 0; i < 40; ++i) items.push_back(item("i" + std::to_string(i), i, {"t"}));
  add(items);
  ASSERT_EQ(subset({"t", 25, true, 7}).value().members, 10);
  const auto before = members("t", 25);
  EXPECT_EQ(subset({"t", 25, true, 8}).value().members, 10);
  EXPECT_EQ(members("t", 25), before);
  for (StoredItem& each : items) each.item_id = "later " + each.item_id;
  add(items);
  const Subset grown = subset({"t", 25, true, 9}).value();
  EXPECT_EQ(grown.members, 20);
  EXPECT_EQ(grown.of, 80);
  const auto after = members("t", 25);
  EXPECT_THAT(after, SizeIs(20));
  EXPECT_THAT(before, IsSubsetOf(after));
}

TEST_P(EvaluationItemsTest, ASubsetIsCombinedWithTheOtherConditions) {
  add({item("a", 10, {"t", "u"}), item("b", 20, {"t"}), item("c", 30, {"u"})});
  ASSERT_EQ(subset({"t", 100, false, 1}).value().members, 2);
  ASSERT_TRUE(record(result("b", "trial", "kenton", "mode2")).has_value());
  ItemQuery query{.subset_tag = "t", .subset_percent = 100};
  EXPECT_THAT(ids(query), ElementsAre("a", "b"));
  query.tag = "t";
  EXPECT_THAT(ids(query), ElementsAre("a", "b"));
  query.published_since_ms = 15;
  EXPECT_THAT(ids(query), ElementsAre("b"));
  query.exclude_tag = "trial";
  EXPECT_THAT(ids(query), IsEmpty());
  query.published_since_ms.reset();
  EXPECT_THAT(ids(query), ElementsAre("a"));
  query.tag = "u";
  query.exclude_tag = "";
  EXPECT_THAT(ids(query), ElementsAre("a"));
  query.count = 1;
  EXPECT_EQ(store_->items(query).value().total, 1);
}

}  // namespace
}  // namespace assay
