// What has been judged and by which version, what has failed, and stores of an earlier format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Order = ItemQuery::Order;

TEST_P(DataStoreTest, ACursorSkipsNothingWhileResultsAreRecorded) {
  std::vector<StoredItem> all;
  for (int i = 0; i < 100; ++i) all.push_back(item("i" + std::to_string(100 + i), 1000 + i % 7, {"t"}));
  add(all);
  for (const Order order : {Order::stored, Order::newest, Order::item_id}) {
    const std::string tag = "done" + std::to_string(static_cast<int>(order));
    std::vector<std::string> seen;
    ItemQuery query{.tag = "t", .exclude_tag = tag, .order = order, .count = 20};
    const auto expected = ids({.tag = "t", .order = order, .count = 0});
    for (int left = 100; left > 0;) {
      const auto page = store_->items(query).value();
      ASSERT_FALSE(page.items.empty());
      EXPECT_EQ(page.total, 100 - static_cast<int>(seen.size())) << "those that have no result";
      for (const StoredItem& one : page.items) {
        seen.push_back(one.item_id);
        ASSERT_TRUE(record(result(one.item_id, tag, "kenton", "mode2")));
      }
      left -= static_cast<int>(page.items.size());
      EXPECT_EQ(page.remaining, left);
      query.after = page.last;
    }
    EXPECT_EQ(seen, expected);
    EXPECT_TRUE(store_->items(query).value().items.empty());
  }
}

TEST_P(DataStoreTest, AnotherVerdictUnderTheSameKeyIsAConflictAndStoresNothing) {
  const ResultRecord first = result("a", "t", "kenton", "mode2");
  ASSERT_TRUE(record(first));
  ResultRecord other = first;
  other.items.push_back({"b", 100, {"t"}, ""});
  other.verdicts.push_back(other.verdicts[0]);
  other.verdicts[0].item_id = "b";
  other.verdicts[1].likert = 2;
  const auto refused = record(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::changed);
  EXPECT_THAT(refused.error().message,
              HasSubstr("item a, classification work-pers, perspective classification: "
                        "found 2, recorded is 4"));
  const auto rows = store_->results({}).value().rows;
  ASSERT_EQ(rows.size(), 1U) << "nothing of the record was stored";
  EXPECT_EQ(rows[0].verdict.likert, 4);
  ResultRecord words = first;
  words.verdicts[0].text = "for another reason";
  EXPECT_FALSE(record(words));
  other.context_id = "another";
  EXPECT_TRUE(record(other)) << "a new judgement has a context of its own";
  EXPECT_TRUE(record(first)->known);
}

TEST_P(DataStoreTest, ExclusionKnowsTheVersionsOfPersonaAndPerspective) {
  add({item("a", 100, {"t"})});
  const ResultRecord given = result("a", "done", "kenton", "mode2");
  ASSERT_TRUE(record(given));
  const ItemQuery query{.tag = "t",
                        .exclude_tag = "done",
                        .persona_id = "kenton",
                        .persona_json = given.persona.json,
                        .mode = "mode2",
                        .perspectives = given.perspectives};
  EXPECT_THAT(ids(query), IsEmpty());
  ItemQuery other = query;
  other.persona_json = R"({"name":"Kenton","age":50})";
  EXPECT_THAT(ids(other), ElementsAre("a"));
  other = query;
  other.perspectives[0].json = R"({"text":"Is it wrong?"})";
  EXPECT_THAT(ids(other), ElementsAre("a"));
  EXPECT_THAT(ids({.tag = "t", .exclude_tag = "done", .persona_id = "kenton", .persona_version = 1}),
              IsEmpty());
  EXPECT_THAT(ids({.tag = "t", .exclude_tag = "done", .persona_id = "kenton", .persona_version = 2}),
              ElementsAre("a"));
}

TEST_P(DataStoreTest, AFailureIsFoundByEachOfItsItemsAndGoesWhenAllAreJudged) {
  record_failure({"judge/1", "x", "kenton", "mode2", {"a", "b"}, {"classification"}, "{}"});
  const auto open = [&](const ResultQuery& query) { return store_->failures(query).value().total; };
  EXPECT_EQ(open({.item_id = "a"}), 1);
  EXPECT_EQ(open({.item_id = "b"}), 1);
  EXPECT_EQ(open({.item_id = "c"}), 0);
  const auto judge = [&](const std::string& id, const std::string& mode, const std::string& perspective) {
    ResultRecord good = result(id, "t", "kenton", mode);
    good.context_id = "later";
    good.perspectives[0].id = good.verdicts[0].perspective_id = perspective;
    ASSERT_TRUE(record(good));
  };
  judge("a", "mode2", "classification");
  EXPECT_EQ(open({}), 1) << "b has no result yet";
  judge("b", "mode1", "classification");
  judge("b", "mode2", "tone");
  EXPECT_EQ(open({}), 1) << "another mode, another perspective";
  judge("b", "mode2", "classification");
  EXPECT_EQ(open({}), 0);
  const auto all = store_->failures({.item_id = "b", .resolved = true}).value();
  ASSERT_EQ(all.total, 1) << "it is not lost";
  EXPECT_TRUE(all.rows[0].resolved_ms);
}

TEST_F(DataStoreFixture, AStoreOfTheFirstFormatIsBroughtUpToThisOne) {
  add({item("a", 100, {"t"}), item("b", 100, {"t"})});
  const ResultRecord given = result("a", "done", "kenton", "mode2");
  ASSERT_TRUE(record(given));
  record_failure(
      {"judge/1",
       "x",
       "kenton",
       "mode2",
       {"b", "c"},
       {"classification"},
       R"({"items": ["b", "c"], "evaluationPerspectives": [{"perspectiveId": "classification"}]})"});
  record_failure({"judge/1",
                  "y",
                  "kenton",
                  "mode2",
                  {"a"},
                  {},
                  R"({"evaluationPerspectives": [{"perspectiveId": "tone"}]})"});
  store_.reset();
  {
    auto database = Database::open(path(), Database::Mode::read_write).value();
    ASSERT_TRUE(database.execute(
        std::string(kBackToFormat4) + kBackToFormat3 +
        "DROP TABLE shared_texts; "
        "ALTER TABLE record_rows RENAME TO records; ALTER TABLE records DROP COLUMN parts; "
        "ALTER TABLE failure_rows RENAME TO failures; ALTER TABLE failures DROP COLUMN parts; "
        "DROP TABLE evaluated; DROP TABLE failure_parts; ALTER TABLE failures DROP COLUMN resolved_ms; "
        "CREATE TABLE evaluated(tag INTEGER NOT NULL, item INTEGER NOT NULL, persona INTEGER NOT NULL, mode "
        "INTEGER "
        "NOT NULL, perspective INTEGER NOT NULL, PRIMARY KEY(tag, item, persona, mode, perspective)) WITHOUT "
        "ROWID; "
        "CREATE INDEX failures_by_item ON failures(item_id); PRAGMA user_version=1;"));
  }
  open();
  ItemQuery query{
      .tag = "t", .exclude_tag = "done", .persona_id = "kenton", .persona_json = given.persona.json};
  EXPECT_THAT(ids(query), ElementsAre("b"));
  query.persona_json = "{}";
  EXPECT_THAT(ids(query), ElementsAre("a", "b"));
  for (const char* id : {"a", "b", "c"}) EXPECT_EQ(store_->failures({.item_id = id}).value().total, 1) << id;
  reopen();
  EXPECT_EQ(store_->results({}).value().total, 1);
}

}  // namespace
}  // namespace assay
