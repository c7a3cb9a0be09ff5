#include "store/data/data_store.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/run_store.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

using DataFileTest = DataStoreFixture;

INSTANTIATE_TEST_SUITE_P(On, DataStoreTest, kEveryPlace, place_name);

TEST_P(DataStoreTest, AnEmptyStoreAnswersEveryQuestionWithNothing) {
  EXPECT_THAT(store_->items({}).value().items, IsEmpty());
  EXPECT_EQ(store_->items({.tag = "none", .exclude_tag = "none", .offset = 40}).value().total, 0);
  EXPECT_THAT(members("none", 10), IsEmpty());
  EXPECT_THAT(store_->results({}).value().rows, IsEmpty());
  EXPECT_THAT(store_->results({.tag = "none", .persona_id = "none", .item_id = "none"}).value().rows,
              IsEmpty());
  EXPECT_THAT(store_->failures({}).value().rows, IsEmpty());
  EXPECT_FALSE(store_->job("none").value().has_value());
  EXPECT_THAT(store_->jobs({}).value().jobs, IsEmpty());
  EXPECT_EQ(add({}).added, 0);
  const Subset none = subset({"none", 50, false, 1}).value();
  EXPECT_EQ(none.members, 0);
  EXPECT_EQ(none.of, 0);
}

TEST_P(DataStoreTest, GivesBackAVerdictWithAllThatBelongsToIt) {
  ResultRecord given = result("a", "trial", "kenton", "mode2");
  given.items[0].tags = {"z", "trial"};
  given.verdicts.push_back({"a", "urgency", "classification", "mode3", {}, "AGREE", {}, "HIGH", "yes"});
  const ResultRecorded stored = record(given).value();
  EXPECT_FALSE(stored.known);
  EXPECT_EQ(stored.verdicts_added, 2);
  EXPECT_EQ(stored.persona_version, 1);
  const auto page = store_->results({.tag = "trial"}).value();
  ASSERT_THAT(page.rows, SizeIs(2));
  const ResultRow& likert = page.rows[0];
  EXPECT_EQ(likert.agent, "judge/1");
  EXPECT_EQ(likert.context_id, "context");
  EXPECT_EQ(likert.persona_id, "kenton");
  EXPECT_EQ(likert.persona_version, 1);
  EXPECT_EQ(likert.perspective_version, 1);
  EXPECT_EQ(likert.verdict.item_id, "a");
  EXPECT_EQ(likert.verdict.classification, "work-pers");
  EXPECT_EQ(likert.verdict.perspective_id, "classification");
  EXPECT_EQ(likert.verdict.mode, "mode2");
  EXPECT_EQ(likert.verdict.likert, 4);
  EXPECT_FALSE(likert.verdict.agreement.has_value());
  EXPECT_EQ(likert.verdict.selection, "WORK");
  EXPECT_EQ(likert.verdict.value, "WORK");
  EXPECT_EQ(likert.verdict.text, "because");
  EXPECT_GT(likert.recorded_ms, 1'700'000'000'000);
  EXPECT_THAT(likert.tags, ElementsAre("trial", "z"));
  EXPECT_FALSE(page.rows[1].verdict.likert.has_value());
  EXPECT_EQ(page.rows[1].verdict.agreement, "AGREE");
  EXPECT_FALSE(page.rows[1].verdict.selection.has_value());
  EXPECT_NE(page.rows[1].result_id, likert.result_id);
}

TEST_P(DataStoreTest, TheSameResultAgainStoresNothing) {
  const ResultRecord once = result("a", "trial", "kenton", "mode2");
  const ResultRecorded first = record(once).value();
  const ResultRecorded again = record(once).value();
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.verdicts_added, 0);
  EXPECT_EQ(again.record_id, first.record_id);
  EXPECT_EQ(again.persona_version, 1);
  EXPECT_EQ(number("SELECT count(*) FROM records"), 1);
  reopen();
  EXPECT_TRUE(record(once).value().known);
  EXPECT_EQ(store_->results({}).value().total, 1);
}

TEST_P(DataStoreTest, EachPartOfTheKeyMakesAnotherResult) {
  const ResultRecord base = result("a", "trial", "kenton", "mode2");
  std::vector<ResultRecord> others(7, base);
  others[0].agent = "judge/2";
  others[1].context_id = "context 2";
  others[2].persona.json = R"({"name":"Kenton","age":41})";
  others[3].perspectives[0].json = R"({"text":"other"})";
  others[4].verdicts[0].classification = "urgency";
  others[5] = result("b", "trial", "kenton", "mode2");
  others[6].verdicts[0].mode = "mode1";
  ASSERT_TRUE(record(base).has_value());
  for (const ResultRecord& other : others) EXPECT_FALSE(record(other).value().known);
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 8);
  for (const ResultRecord& other : others) EXPECT_TRUE(record(other).value().known);
}

TEST_P(DataStoreTest, OfARecordThatIsKnownInPartTheRestIsAdded) {
  ResultRecord both = result("a", "trial", "kenton", "mode2");
  ASSERT_TRUE(record(both).has_value());
  both.verdicts.push_back(both.verdicts[0]);
  both.verdicts[1].classification = "urgency";
  both.verdicts.push_back(both.verdicts[1]);  // twice in one record: one result
  const ResultRecorded rest = record(both).value();
  EXPECT_FALSE(rest.known);
  EXPECT_EQ(rest.verdicts_added, 1);
  EXPECT_EQ(store_->results({}).value().total, 2);
}

TEST_P(DataStoreTest, AContentSeenBeforeHasItsOldVersion) {
  ResultRecord given = result("a", "trial", "kenton", "mode2");
  const std::string first = given.persona.json;
  EXPECT_EQ(record(given).value().persona_version, 1);
  given.persona.json = R"({"name":"Kenton","age":41})";
  EXPECT_EQ(record(given).value().persona_version, 2);
  given.persona.json = first;
  given.context_id = "context 2";
  EXPECT_EQ(record(given).value().persona_version, 1);
  given.persona.id = "maria";  // versions are counted for each id
  EXPECT_EQ(record(given).value().persona_version, 1);
  given.perspectives[0].json = R"({"text":"other"})";
  ASSERT_TRUE(record(given).has_value());
  EXPECT_EQ(store_->results({.persona_id = "maria", .offset = 1}).value().rows[0].perspective_version, 2);
  EXPECT_EQ(number("SELECT count(*) FROM persona_versions"), 3);
  EXPECT_EQ(number("SELECT count(*) FROM perspective_versions"), 2);
}

TEST_P(DataStoreTest, ResultsAreFoundByEachOfTheirProperties) {
  ResultRecord a = result("a", "trial", "kenton", "mode2");
  ResultRecord b = result("b", "trial", "maria", "mode3");
  ResultRecord c = result("c", "other", "kenton", "mode3");
  b.agent = "judge/2";
  b.verdicts[0].classification = "urgency";
  c.verdicts[0].perspective_id = c.perspectives[0].id = "tone";
  b.items[0].published_ms = 500;
  for (const ResultRecord& each : {a, b, c}) ASSERT_TRUE(record(each).has_value());
  const auto found = [&](const ResultQuery& query) {
    std::string list;
    for (const ResultRow& row : store_->results(query).value().rows) list += row.verdict.item_id;
    return list;
  };
  EXPECT_EQ(found({}), "abc");
  EXPECT_EQ(found({.tag = "trial"}), "ab");
  EXPECT_EQ(found({.agent = "judge/2"}), "b");
  EXPECT_EQ(found({.persona_id = "kenton"}), "ac");
  EXPECT_EQ(found({.mode = "mode3"}), "bc");
  EXPECT_EQ(found({.persona_id = "kenton", .mode = "mode3"}), "c");
  EXPECT_EQ(found({.item_id = "c"}), "c");
  EXPECT_EQ(found({.classification = "urgency"}), "b");
  EXPECT_EQ(found({.perspective_id = "tone"}), "c");
  EXPECT_EQ(found({.published_since_ms = 500}), "b");
  EXPECT_EQ(found({.tag = "trial", .published_since_ms = 500}), "b");
  EXPECT_EQ(found({.tag = "trial", .persona_id = "kenton", .mode = "mode2"}), "a");
  EXPECT_EQ(found({.tag = "trial", .agent = "judge/1", .classification = "work-pers"}), "a");
  EXPECT_EQ(found({.tag = "trial", .item_id = "b"}), "b");
  EXPECT_EQ(found({.tag = "trial", .item_id = "c"}), "");
  EXPECT_EQ(found({.tag = "trial", .agent = "judge/1", .item_id = "b"}), "");
  EXPECT_EQ(found({.tag = "kenton"}), "");
  const auto page = store_->results({.offset = 1, .count = 1}).value();
  EXPECT_EQ(page.total, 3);
  EXPECT_EQ(page.remaining, 1);
  EXPECT_EQ(store_->results({.tag = "trial", .offset = 9}).value().total, 2);
}

TEST_P(DataStoreTest, AResultThatDoesNotFitTogetherIsRefusedAndLeavesNothing) {
  ResultRecord empty = result("a", "trial", "kenton", "mode2");
  empty.verdicts.clear();
  EXPECT_THAT(record(empty).error().text(), HasSubstr("no verdict"));
  ResultRecord stranger = result("a", "trial", "kenton", "mode2");
  stranger.verdicts.push_back(stranger.verdicts[0]);
  stranger.verdicts[1].item_id = "x";
  EXPECT_THAT(record(stranger).error().text(), HasSubstr("names the item \"x\""));
  stranger.verdicts[1].item_id = "a";
  stranger.verdicts[1].perspective_id = "y";
  EXPECT_EQ(record(stranger).error().kind, ErrorKind::data);
  EXPECT_EQ(
      number("SELECT (SELECT count(*) FROM results) + (SELECT count(*) FROM records) + (SELECT count(*) "
             "FROM persona_versions) + (SELECT count(*) FROM names)"),
      0);
}

TEST_P(DataStoreTest, AWriteThatFailsDoesNotSpoilTheOthersOfItsGroup) {
  ResultRecord bad = result("bad", "trial", "kenton", "mode2");
  bad.verdicts.push_back(bad.verdicts[0]);
  bad.verdicts[1].item_id = "x";
  std::vector<ResultRecord> records;
  for (int i = 0; i < 300; ++i) {
    records.push_back(i % 3 == 1 ? bad : result("item " + std::to_string(i), "trial", "kenton", "mode2"));
  }
  Countdown left(records.size());
  std::vector<bool> stored(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    store_->add_result(records[i], [&, i](const Result<ResultRecorded>& done) {
      stored[i] = done.has_value();
      left.count();
    });
  }
  left.wait();
  for (std::size_t i = 0; i < stored.size(); ++i) EXPECT_EQ(stored[i], i % 3 != 1) << i;
  reopen();
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 200);
  EXPECT_EQ(store_->results({.item_id = "bad"}).value().total, 0);
}

TEST_P(DataStoreTest, FailuresAreKeptAndFound) {
  add({item("a", 100, {}), item("b", 900, {})});
  const std::int64_t first = record_failure({"judge/1", "x", "kenton", "mode1", {"a"}, {}, R"({"n":1})"});
  const std::int64_t second = record_failure({"judge/2", "x", "maria", "mode2", {"b"}, {}, R"({"n":2})"});
  record_failure({"judge/1", "x", "kenton", "mode2", {"unknown"}, {}, R"({"n":3})"});
  EXPECT_NE(first, second);
  const auto found = [&](const ResultQuery& query) {
    std::string list;
    for (const auto& row : store_->failures(query).value().rows) list += row.json.substr(5, 1);
    return list;
  };
  EXPECT_EQ(found({}), "123");
  EXPECT_EQ(found({.agent = "judge/1"}), "13");
  EXPECT_EQ(found({.persona_id = "maria"}), "2");
  EXPECT_EQ(found({.persona_id = "kenton", .mode = "mode2"}), "3");
  EXPECT_EQ(found({.item_id = "a"}), "1");
  EXPECT_EQ(found({.published_since_ms = 500}), "23");  // the time of an unknown item is that of the failure
  EXPECT_EQ(record_failure({"judge/2", "x", "maria", "mode2", {"b"}, {}, R"({"n":9})"}), second) << "known";
  EXPECT_EQ(store_->failures({}).value().total, 3);
  const auto page = store_->failures({.offset = 1, .count = 1}).value();
  EXPECT_EQ(page.rows.at(0).failure_id, second);
  EXPECT_GT(page.rows.at(0).recorded_ms, 1'700'000'000'000);
  EXPECT_EQ(page.total, 3);
  EXPECT_EQ(page.remaining, 1);
}

TEST_P(DataStoreTest, JobsComeNewestFirstAndAreUpdatedInPlace) {
  ASSERT_TRUE(put({"one", "mode1", "INITIATED", "kenton", "{}", 100}).has_value());
  ASSERT_TRUE(put({"two", "mode2", "INITIATED", "kenton", "{}", 300}).has_value());
  ASSERT_TRUE(put({"three", "mode2", "INITIATED", "maria", "{}", 200}).has_value());
  ASSERT_TRUE(put({"four", "mode2", "INITIATED", "maria", "{}", 200}).has_value());
  ASSERT_TRUE(put({"one", "mode1", "COMPLETE", "kenton", R"({"usage":5})", 999}).has_value());
  const auto found = [&](const JobQuery& query) {
    std::vector<std::string> list;
    for (const StoredJob& job : store_->jobs(query).value().jobs) list.push_back(job.job_id);
    return list;
  };
  EXPECT_THAT(found({}), ElementsAre("two", "four", "three", "one"));
  EXPECT_THAT(found({.mode = "mode2", .persona_id = "maria"}), ElementsAre("four", "three"));
  EXPECT_THAT(found({.status = "COMPLETE"}), ElementsAre("one"));
  const StoredJob one = store_->job("one").value().value();
  EXPECT_EQ(one.status, "COMPLETE");
  EXPECT_EQ(one.mode, "mode1");
  EXPECT_EQ(one.persona_id, "kenton");
  EXPECT_EQ(one.json, R"({"usage":5})");
  EXPECT_EQ(one.created_ms, 100);  // a new state does not make it younger
  EXPECT_FALSE(store_->job("five").value().has_value());
  const auto page = store_->jobs({.mode = "mode2", .offset = 1, .count = 1}).value();
  EXPECT_EQ(page.jobs.at(0).job_id, "four");
  EXPECT_EQ(page.total, 3);
  EXPECT_EQ(page.remaining, 1);
}

TEST_P(DataStoreTest, FeedbackNeedsAResult) {
  ASSERT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
  const std::int64_t id = store_->results({}).value().rows.at(0).result_id;
  EXPECT_FALSE(rate({id + 1, "ann", 3, {}, "{}"}).has_value());
  const auto first = rate({id, "ann", 3, {}, "{}"});
  const auto second = rate({id, "ben", {}, "AGREE", "{}"});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(number("SELECT count(*) FROM feedback WHERE result = " + std::to_string(id)), 2);
}

TEST_P(DataStoreTest, EverythingIsThereAfterOpeningItAgain) {
  add({item("a", 10, {"t"}), item("b", 20, {"t"})});
  ASSERT_TRUE(record(result("a", "trial", "kenton", "mode2")).has_value());
  record_failure({"judge/1", "x", "kenton", "mode1", {"a"}, {}, "{}"});
  ASSERT_TRUE(subset({"t", 50, false, 3}).has_value());
  ASSERT_TRUE(put({"one", "mode1", "PROCESSING", "kenton", "{}", 100}).has_value());
  const auto chosen = members("t", 50);
  reopen();
  EXPECT_THAT(ids({.tag = "t", .exclude_tag = "trial"}), ElementsAre("b"));
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, 1);
  EXPECT_EQ(store_->failures({}).value().total, 1);
  EXPECT_EQ(members("t", 50), chosen);
  EXPECT_EQ(store_->job("one").value().value().status, "PROCESSING");
  add({item("c", 5, {"t"})});
  EXPECT_THAT(ids({.tag = "t"}), ElementsAre("a", "b", "c"));
}

TEST_F(DataFileTest, ClosingCommitsWhatIsQueuedAndLeavesOneFile) {
  std::size_t told = 0;  // the writer has ended when it is read
  for (int i = 0; i < 2000; ++i) {
    store_->add_items({item("i" + std::to_string(i), i, {"t"})}, [&](const Result<ItemsAdded>& done) {
      if (done) ++told;
    });
  }
  store_.reset();
  EXPECT_EQ(told, 2000U);
  EXPECT_FALSE(fs::exists(path() + "-wal"));
  open();
  EXPECT_EQ(store_->items({.tag = "t"}).value().total, 2000);
}

TEST_F(DataFileTest, ClosingLeavesNoLogThoughNothingWasWritten) {
  for (int time = 0; time < 2; ++time) {
    reopen();
    store_.reset();
    EXPECT_FALSE(fs::exists(path() + "-wal"));
    EXPECT_FALSE(fs::exists(path() + "-shm"));
  }
}

TEST_F(DataFileTest, OnlyOneMayHaveItOpen) {
  const auto second = DataStore::open(address());
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text(), HasSubstr("another assay process has this evaluation store open"));
  EXPECT_THAT(second.error().text(), HasSubstr(path()));
}

TEST_F(DataFileTest, SaysWhatIsWrongWithAFileThatIsNoStore) {
  const auto error_of = [](const fs::path& file) {
    return DataStore::open(StoreAddress::read("sqlite:" + file.string()).value()).error().text();
  };
  EXPECT_THAT(error_of(folder_ / "none" / "store.db"), HasSubstr("no such file"));
  fs::create_directory(folder_ / "directory");
  EXPECT_THAT(error_of(folder_ / "directory"), HasSubstr("directory"));
  std::ofstream(folder_ / "text.db")
      << "this is no database, and long enough to be looked at as one, surely, by far";
  EXPECT_THAT(error_of(folder_ / "text.db"), HasSubstr("not an SQLite database"));
  ASSERT_TRUE(
      RunStore::create(folder_.string(), RunStore::lock(folder_.string()).value(), {}, {}).has_value());
  EXPECT_THAT(error_of(folder_ / kJournalFile), HasSubstr("not an evaluation store"));
  std::ofstream(folder_ / "lost.db-wal") << "what is left of a store whose file was removed";
  EXPECT_THAT(error_of(folder_ / "lost.db"), HasSubstr("its log is there"));
  store_.reset();
  {
    auto database = Database::open(path(), Database::Mode::read_write).value();
    ASSERT_TRUE(database.execute("PRAGMA user_version=77").has_value());
  }
  EXPECT_THAT(error_of(path()), HasSubstr("found store format 77, expected 5"));
}

TEST_P(DataStoreTest, WritersAndReadersOnManyThreadsDoNotDisturbEachOther) {
  constexpr int kWriters = 8;
  constexpr int kEach = 60;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([this, writer] {
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(writer) + "/" + std::to_string(i);
        add({item(id, i, {"t"})});
        EXPECT_EQ(record(result(id, "trial", "kenton", "mode2")).value().verdicts_added, 1);
      }
    });
  }
  for (int reader = 0; reader < 6; ++reader) {
    threads.emplace_back([this] {
      for (int i = 0; i < 60; ++i) {
        const auto page = store_->items({.tag = "t", .exclude_tag = "trial", .count = 3}).value();
        EXPECT_EQ(page.total - page.remaining, static_cast<std::int64_t>(page.items.size()));
        const auto all = store_->results({.tag = "trial", .count = 0}).value();
        EXPECT_EQ(all.total, static_cast<std::int64_t>(all.rows.size()));
        EXPECT_TRUE(store_->jobs({}).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  reopen();
  EXPECT_EQ(store_->items({.tag = "t"}).value().total, kWriters * kEach);
  EXPECT_EQ(store_->results({.tag = "trial"}).value().total, kWriters * kEach);
  EXPECT_THAT(ids({.tag = "t", .exclude_tag = "trial"}), IsEmpty());
}

}  // namespace
}  // namespace assay
