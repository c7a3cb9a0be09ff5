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
#include "store/sqlite.h"

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

// What takes a file of this format back to the one before, but for its views.
constexpr const char* kBackToFormat3 =
    "DROP VIEW records; DROP VIEW failures; DROP TABLE shared_uses; DROP TABLE last_numbers; "
    "DROP INDEX records_by_time; DROP INDEX results_by_record; DROP INDEX results_by_context; "
    "DROP INDEX results_by_job; DROP INDEX results_by_persona_version; DROP INDEX results_by_perspective; "
    "DROP INDEX failures_by_job; DROP INDEX feedback_by_person; "
    "ALTER TABLE results DROP COLUMN job; ALTER TABLE failure_rows DROP COLUMN job; ";

class DataStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay_store_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return (folder_ / "evaluations.db").string(); }
  void open() {
    auto opened = DataStore::open(path());
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
  // What no function of the store gives out.
  std::int64_t number(const std::string& sql) {
    auto database = Database::open(path(), Database::Mode::read_only).value();
    auto query = database.prepare(sql).value();
    return query.step().value() ? query.integer(0) : -1;
  }

  std::filesystem::path folder_;
  std::unique_ptr<DataStore> store_;
};

}  // namespace assay
