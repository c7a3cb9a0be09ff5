// What the tests of the evaluation store share: items and results, a store in a folder of its own, and how a
// test waits for the writer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "store/data/data_store.h"
#include "store/data/postgres/postgres_sql.h"
#include "store/sqlite.h"
#include "tests/tools/sql/postgres_server.h"

namespace assay {

class Countdown {
 public:
  explicit Countdown(std::size_t left) : left_(left) {}
  // Tells while it holds the lock: the waiting thread may destroy this as soon as it can take it.
  void count() {
    const std::lock_guard guard(mutex_);
    if (--left_ == 0) done_.notify_all();
  }
  void wait() {
    std::unique_lock guard(mutex_);
    done_.wait(guard, [this] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t left_;
};

// Starts a write and gives back what its callback was told.
template <class T, class Start>
Result<T> waited(const Start& start) {
  Countdown left(1);
  Result<T> told = fail(ErrorKind::internal, "the callback has not run");
  start(DataStore::Done<T>([&](Result<T> outcome) {
    told = std::move(outcome);
    left.count();
  }));
  left.wait();
  return told;
}

inline StoredItem item(std::string id, std::int64_t published_ms, std::vector<std::string> tags) {
  return {std::move(id), published_ms, std::move(tags), "{}"};
}

// One verdict of one persona on one item.
inline ResultRecord result(const std::string& item_id, const std::string& tag, const std::string& persona,
                           const std::string& mode) {
  ResultRecord record;
  record.agent = "judge/1";
  record.context_id = "context";
  record.persona = {persona, R"({"name":"Kenton"})"};
  record.perspectives = {{"classification", R"({"text":"Is it right?"})"}};
  record.items = {{item_id, 100, {tag}, ""}};
  record.verdicts = {{item_id, "work-pers", "classification", mode, 4, {}, "WORK", "WORK", "because"}};
  record.json = "{}";
  return record;
}

// What takes a store of this format back to the one before.
constexpr const char* kBackToFormat4 =
    "DROP TABLE job_files; DROP INDEX unfinished_jobs; ALTER TABLE jobs DROP COLUMN holder; "
    "ALTER TABLE jobs DROP COLUMN held_until_ms; ALTER TABLE jobs DROP COLUMN cancel; ";
// And that to the one before, but for its views.
constexpr const char* kBackToFormat3 =
    "DROP VIEW records; DROP VIEW failures; DROP TABLE shared_uses; DROP TABLE last_numbers; "
    "DROP INDEX records_by_time; DROP INDEX results_by_record; DROP INDEX results_by_context; "
    "DROP INDEX results_by_job; DROP INDEX results_by_persona_version; DROP INDEX results_by_perspective; "
    "DROP INDEX failures_by_job; DROP INDEX feedback_by_person; "
    "ALTER TABLE results DROP COLUMN job; ALTER TABLE failure_rows DROP COLUMN job; ";

// The tests' own server, which they share and which ends with the program.
inline PostgresServer& postgres_server() {
  static PostgresServer server;
  return server;
}

enum class DataPlace { file, server };

// A store that is new for each test.
class DataStoreFixture : public ::testing::Test {
 protected:
  virtual DataPlace place() const { return DataPlace::file; }

  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay_store_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    clear();
    open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return (folder_ / "evaluations.db").string(); }
  StoreAddress address() const {
    return StoreAddress::read(place() == DataPlace::file ? "sqlite:" + path()
                                                         : postgres_server().url("postgres", "postgres"))
        .value();
  }
  // Takes the store away.
  void clear() {
    store_.reset();
    std::filesystem::remove(path());
    if (place() == DataPlace::server) execute("DROP SCHEMA IF EXISTS assay_data CASCADE");
  }
  void open() {
    auto opened = DataStore::open(address());
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    store_ = std::move(*opened);
  }
  void reopen() {
    store_.reset();
    open();
  }

  ItemsAdded add(const std::vector<StoredItem>& items) {
    return waited<ItemsAdded>([&](const auto& done) { store_->add_items(items, done); }).value();
  }
  Result<ResultRecorded> record(const ResultRecord& record) {
    return waited<ResultRecorded>([&](const auto& done) { store_->add_result(record, done); });
  }
  std::int64_t record_failure(const FailureRecord& record) {
    return waited<std::int64_t>([&](const auto& done) { store_->add_failure(record, done); }).value();
  }
  Result<Subset> subset(const SubsetPlan& plan) {
    return waited<Subset>([&](const auto& done) { store_->make_subset(plan, done); });
  }
  Status put(const StoredJob& job) {
    return waited<void>([&](const auto& done) { store_->put_job(job, done); });
  }
  std::optional<std::int64_t> rate(const Feedback& feedback) {
    return waited<std::optional<std::int64_t>>(
               [&](const auto& done) { store_->add_feedback(feedback, done); })
        .value();
  }
  Removed remove(const Removal& what) {
    return waited<Removed>([&](const auto& done) { store_->remove(what, done); }).value();
  }
  std::vector<std::string> ids(const ItemQuery& query) {
    std::vector<std::string> list;
    for (const StoredItem& item : store_->items(query).value().items) list.push_back(item.item_id);
    return list;
  }
  std::vector<std::string> members(const std::string& tag, int percent) {
    return ids(
        {.subset_tag = tag, .subset_percent = percent, .order = ItemQuery::Order::item_id, .count = 0});
  }
  // What no function of the store changes or gives out.
  void execute(const std::string& sql) const {
    const Status done = place() == DataPlace::file
                            ? Database::open(path(), Database::Mode::read_write).value().execute(sql)
                            : server_sql()->execute(sql);
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  std::int64_t number(const std::string& sql) const {
    if (place() == DataPlace::server) return server_sql()->number(sql).value().value_or(-1);
    auto database = Database::open(path(), Database::Mode::read_only).value();
    auto query = database.prepare(sql).value();
    return query.step().value() ? query.integer(0) : -1;
  }

  std::filesystem::path folder_;
  std::unique_ptr<DataStore> store_;

 private:
  // A new connection each time: some tests end the server.
  std::unique_ptr<PostgresSql> server_sql() const {
    return std::move(PostgresSql::connect(address(), PostgresSql::Role::writer).value());
  }
};

// Tests of what a store promises wherever it is: each runs on a file and on a server.
class DataStoreTest : public DataStoreFixture, public ::testing::WithParamInterface<DataPlace> {
 protected:
  DataPlace place() const override { return GetParam(); }
};
inline const auto kEveryPlace = ::testing::Values(DataPlace::file, DataPlace::server);
inline std::string place_name(const ::testing::TestParamInfo<DataPlace>& info) {
  return info.param == DataPlace::file ? "Sqlite" : "PostgreSQL";
}

}  // namespace assay
