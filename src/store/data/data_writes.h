// What a write to an evaluation store does to its tables. Each function runs inside a transaction that its
// caller begins and ends; if it fails, the caller takes back what it has done so far.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "store/data/data_sql.h"
#include "store/data/data_store.h"
#include "store/pieced_texts.h"

namespace assay {

// A number that the statement must give, because it inserts or counts.
Result<std::int64_t> given_number(Result<std::optional<std::int64_t>> number);
// In `last_numbers`: how often shared texts have gone. Whoever remembers their numbers looks at it.
inline constexpr std::string_view kTextsGone = "texts gone";
// Milliseconds since 1970.
std::int64_t now_ms();
// Takes an item out of its tags and subsets, with its content. Its row stays, without a place among the
// items: results and what was judged refer to it.
Status take_item_away(DataSql& statements, std::int64_t item);

class DataWrites {
 public:
  explicit DataWrites(DataSql& statements) : statements_(statements) {}

  Result<ItemsAdded> add_items(const std::vector<StoredItem>& items);
  Result<ResultRecorded> add_result(const ResultRecord& record);
  Result<std::int64_t> add_failure(const FailureRecord& record);
  Result<Subset> make_subset(const SubsetPlan& plan);
  Status put_job(const StoredJob& job);
  Result<std::optional<StoredJob>> take_job(const JobHold& hold, const std::string& job_id);
  Result<HeldJobs> hold_jobs(const JobHold& hold);
  Status let_go_of_jobs(const std::string& holder, const std::string& job_id);
  Result<bool> ask_to_cancel(const std::string& job_id);
  Result<std::optional<std::int64_t>> add_feedback(const Feedback& feedback);
  Result<Pruned> prune(const KeptSince& since, std::int64_t most);
  Result<Removed> remove(const Removal& what);

  // To be called before the first write of a transaction: others may have written since the last one.
  void begin() { next_numbers_ = {}; }
  // To be called after what a function did was taken back.
  void forget_numbers() {
    begin();
    names_.clear();
    items_.clear();
    versions_.clear();
    texts_.forget_numbers();
  }

 private:
  enum class Kind { persona, perspective };
  class Recording;  // a result on its way into the tables
  class SharedTextRows;

  // What is numbered in the order of its coming, each number once.
  enum class Numbered { record, result, failure, feedback, position };
  Result<std::int64_t> next_number(Numbered what);
  // The number was given to something; the next one follows it.
  void given(Numbered what, std::int64_t number) {
    next_numbers_[static_cast<std::size_t>(what)] = number + 1;
  }
  // To be called before the newest of its kind goes.
  Status keep_last_number(Numbered what);

  Result<std::int64_t> name_of(const std::string& text);
  Result<std::int64_t> version_of(Kind kind, std::int64_t id, const std::string& json);
  Result<std::int64_t> row_of_item(const StoredItem& item);
  // True: it was not there before.
  Result<bool> add_item(const StoredItem& item);
  Status update_item(std::int64_t row, const StoredItem& item);
  Status add_members(const SubsetPlan& plan, std::int64_t tag, std::int64_t missing);
  Status add_parts(std::int64_t failure, const FailureRecord& record);
  Result<std::int64_t> add_new_failure(const FailureRecord& record);
  // What a record keeps for itself; the rest is in the tables afterwards, and counted.
  Result<PiecedTexts::Parts> parts_of(const std::string& json);

  Status remove_jobs(const std::vector<std::string>& job_ids);
  Status remove_record(std::int64_t record, Removed& removed);
  Status remove_failure(std::int64_t failure, Removed& removed);
  Status remove_item(const std::string& item_id, bool with_records, Removed& removed);
  // The rows up to `last` (or that one alone) of record_rows or failure_rows go: texts that nobody else
  // refers to go with them. Before they are deleted.
  enum class Rows { records, failures };
  enum class Which { up_to, only };
  Status release_texts(Rows rows, Which which, std::int64_t last);
  Status prune_records(std::int64_t since_ms, std::int64_t most, Pruned& pruned);
  Status prune_jobs(std::int64_t since_ms, std::int64_t most, Pruned& pruned);
  Status prune_failures(std::int64_t since_ms, std::int64_t most, Pruned& pruned);

  DataSql& statements_;
  // Some of those that are in the tables, from which none of them is ever taken.
  std::unordered_map<std::string, std::int64_t> names_;
  std::unordered_map<std::string, std::int64_t> items_;     // by id
  std::unordered_map<std::string, std::int64_t> versions_;  // by kind, name and content
  std::array<std::optional<std::int64_t>, 5> next_numbers_{};
  PiecedTexts texts_{false};
};

}  // namespace assay
