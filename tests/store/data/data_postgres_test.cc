// What is so on a PostgreSQL server only: several writers, a server that goes away, versions of the tables.
#include <atomic>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data/postgres/postgres_sql.h"
#include "store/data/postgres/postgres_tables.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NumberedParameters, AreCountedAsSqliteCountsThem) {
  EXPECT_EQ(numbered_parameters("a = ? AND b = ?"), "a = $1 AND b = $2");
  EXPECT_EQ(numbered_parameters("a = ?2 AND b = ?1"), "a = $2 AND b = $1");
  EXPECT_EQ(numbered_parameters("a = ? AND b = ?1 AND c = ?"), "a = $1 AND b = $1 AND c = $2");
  EXPECT_EQ(numbered_parameters("(?12, ?)"), "($12, $13)");
}

class PostgresDataTest : public DataStoreFixture {
 protected:
  DataPlace place() const override { return DataPlace::server; }
  std::unique_ptr<DataStore> another() const { return std::move(DataStore::open(address()).value()); }
};

// Several stores write while others page through what comes: a page that ends behind a number has seen every
// record up to it, though the writers commit at the same time.
TEST_F(PostgresDataTest, ACursorMissesNothingThatSeveralWritersCommit) {
  constexpr int kWriters = 3;
  constexpr int kEach = 150;
  std::atomic<int> writing = kWriters;
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      const auto store = another();
      Countdown left(kEach);
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(writer) + "/" + std::to_string(i);
        ResultRecord given = result(id, "trial", "kenton", "mode2");
        given.job_id = "job";
        store->add_result(given, [&](const Result<ResultRecorded>& done) {
          EXPECT_TRUE(done.has_value()) << done.error().text();
          left.count();
        });
        if (i % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      left.wait();
      --writing;
    });
  }
  std::vector<std::string> seen;
  ResultQuery query{.tag = "trial", .count = 7, .totals = Totals::unknown};
  for (bool last = false; !last;) {
    last = writing == 0;
    for (;;) {
      const auto page = store_->results(query).value();
      for (const ResultRow& row : page.rows) seen.push_back(row.verdict.item_id);
      if (page.rows.empty()) break;
      query.after = page.rows.back().result_id;
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kEach));
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
}

TEST_F(PostgresDataTest, WhatOneHasWrittenTheOtherKnows) {
  const auto other = another();
  ASSERT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
  const auto again = waited<ResultRecorded>(
      [&](const auto& done) { other->add_result(result("a", "trial", "kenton", "mode2"), done); });
  EXPECT_TRUE(again.value().known);
  ResultRecord different = result("a", "trial", "kenton", "mode2");
  different.verdicts.front().likert = 1;
  const auto conflict = waited<ResultRecorded>([&](const auto& done) { other->add_result(different, done); });
  ASSERT_FALSE(conflict.has_value());
  EXPECT_EQ(conflict.error().kind, ErrorKind::changed);
}

// What one instance remembers of shared texts is not right any more when another has removed them.
TEST_F(PostgresDataTest, ATextThatAnotherHasRemovedIsKeptAgain) {
  const auto other = another();
  std::string text;
  for (int i = 0; i < 400; ++i) text += "Sentence " + std::to_string(i * 7919) + " of a long prompt. ";
  const auto judge = [&](DataStore& store, const std::string& context) {
    ResultRecord given = result("a", "trial", "kenton", "mode2");
    given.context_id = context;
    given.json = R"({"prompt": ")" + text + R"(", "of": ")" + context + "\"}";
    return waited<ResultRecorded>([&](const auto& done) { store.add_result(given, done); }).value().record_id;
  };
  const std::int64_t one = judge(*store_, "one");
  const std::int64_t two = judge(*store_, "two");
  ASSERT_GT(number("SELECT count(*) FROM shared_texts"), 0);
  for (const std::int64_t record : {one, two}) {
    ASSERT_EQ(waited<Removed>([&](const auto& done) {
                other->remove({.kind = Removal::Kind::record, .number = record}, done);
              })
                  .value()
                  .records,
              1);
  }
  ASSERT_EQ(number("SELECT count(*) FROM shared_texts"), 0);
  const std::int64_t three = judge(*store_, "three");
  EXPECT_THAT(store_->record(three).value()->json, HasSubstr(text));
}

TEST_F(PostgresDataTest, AServerThatStartsAgainLosesNothingThatWasTold) {
  constexpr int kWriters = 4;
  std::atomic<bool> ended = false;
  std::mutex mutex;
  std::vector<std::string> told;
  std::vector<std::string> refused;
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; !ended; ++i) {
        const std::string id = std::to_string(writer) + "/" + std::to_string(i);
        const auto done = record(result(id, "trial", "kenton", "mode2"));
        const std::lock_guard guard(mutex);
        (done ? told : refused).push_back(done ? id : done.error().text());
        if (done) {
          EXPECT_FALSE(done->known) << "written twice: " << id;
        }
      }
    });
  }
  for (int time = 0; time < 3; ++time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    postgres_server().restart();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ended = true;
  threads.clear();
  EXPECT_THAT(refused, ::testing::IsEmpty()) << "it is back within the time that writes wait";
  EXPECT_GT(told.size(), 4U);
  std::set<std::string> there;
  const auto all = store_->results({.tag = "trial", .count = 0});
  ASSERT_TRUE(all.has_value()) << all.error().text();
  for (const ResultRow& row : all->rows)
    EXPECT_TRUE(there.insert(row.verdict.item_id).second) << row.verdict.item_id;
  for (const std::string& id : told) EXPECT_TRUE(there.contains(id)) << id;
  EXPECT_EQ(there.size(), told.size());
}

TEST_F(PostgresDataTest, ACommitIsAwaitedWhateverTheDatabaseSays) {
  execute("ALTER ROLE postgres SET synchronous_commit = off");
  const auto sql = PostgresSql::connect(address(), PostgresSql::Role::writer).value();
  std::string setting;
  ASSERT_TRUE(sql->each("SELECT current_setting('synchronous_commit')", {},
                        [&](const SqlRow& row) { setting = row.text(0); })
                  .has_value());
  EXPECT_EQ(setting, "on");
  execute("ALTER ROLE postgres RESET synchronous_commit");
}

TEST_F(PostgresDataTest, TablesOfAnEarlierVersionAreBroughtUpToThisOne) {
  ASSERT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
  store_.reset();
  execute(std::string(kBackToFormat4) + "UPDATE assay_versions SET number = 1 WHERE part = 'data'");
  open();
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 1);
  EXPECT_FALSE(store_->has_job_to_take().value());
  EXPECT_EQ(number("SELECT number FROM assay_versions WHERE part = 'data'"), postgres_data_version());
}

TEST_F(PostgresDataTest, TablesOfALaterVersionAreRefusedAlsoWhileTheStoreIsOpen) {
  execute("UPDATE assay_versions SET number = 99 WHERE part = 'data'");
  const auto refused = DataStore::open(address());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("version 99"));
  const auto late = record(result("a", "trial", "kenton", "mode2"));
  ASSERT_FALSE(late.has_value());
  EXPECT_THAT(late.error().text(), HasSubstr("another assay has changed the store"));
}

TEST_F(PostgresDataTest, ATextThatCannotBeKeptIsRefusedAndTheOthersOfItsGroupAreKept) {
  ResultRecord zero = result("a", "trial", "kenton", "mode2");
  zero.verdicts.front().text = std::string("be\0fore", 7);
  ResultRecord longest = result("b", "trial", "kenton", "mode2");
  for (int i = 0; longest.context_id.size() < 9000; ++i) longest.context_id += std::to_string(i * 7919);
  const auto told = record(zero);
  ASSERT_FALSE(told.has_value());
  EXPECT_EQ(told.error().kind, ErrorKind::data);
  EXPECT_THAT(told.error().text(), HasSubstr("zero character"));
  const auto too_long = record(longest);
  ASSERT_FALSE(too_long.has_value());
  EXPECT_EQ(too_long.error().kind, ErrorKind::data) << too_long.error().text();
  EXPECT_TRUE(record(result("c", "trial", "kenton", "mode2")).has_value());
}

TEST_F(PostgresDataTest, AnItemWithAZeroCharacterIsFoundByWhatElseItSays) {
  StoredItem given = item("a", 1, {"t"});
  given.json = R"({"evaluateTitle": "before\u0000behind", "evaluateText": "a \\u0000 stays"})";
  add({given});
  EXPECT_THAT(ids({.search = "BEHIND"}), ElementsAre("a"));
  EXPECT_THAT(ids({.search = R"(\u0000 stays)"}), ElementsAre("a"));
}

// Who stops in the middle of a commit must not keep the others from theirs.
TEST_F(PostgresDataTest, WhoStallsLosesTheLock) {
  const auto stalled = PostgresSql::connect(address(), PostgresSql::Role::writer).value();
  ASSERT_TRUE(stalled
                  ->execute("SET idle_in_transaction_session_timeout = '300ms'; BEGIN; LOCK TABLE "
                            "one_writer IN SHARE ROW EXCLUSIVE MODE")
                  .has_value());
  EXPECT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
}

TEST_F(PostgresDataTest, AnAddressThatLeadsNowhereIsToldWithoutItsPassword) {
  const auto refused = DataStore::open(
      StoreAddress::read("postgres://me:hush-hush-secret@127.0.0.1:1/none?connect_timeout=2").value());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("cannot connect"));
  EXPECT_THAT(refused.error().text(), ::testing::Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace assay
