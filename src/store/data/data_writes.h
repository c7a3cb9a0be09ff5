// What a write to an evaluation store does to its tables. Each function runs inside a transaction that its
// caller begins and ends; if it fails, the caller takes back what it has done so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "store/data/data_store.h"
#include "store/pieced_texts.h"
#include "store/statements.h"

namespace assay {

// A number that the statement must give, because it inserts or counts.
Result<std::int64_t> given_number(Result<std::optional<std::int64_t>> number);
// Milliseconds since 1970.
std::int64_t now_ms();
// Takes an item out of its tags and subsets, with its content. Its row stays, without a place among the
// items: results and what was judged refer to it.
Status take_item_away(Statements& statements, std::int64_t item);

class DataWrites {
 public:
  explicit DataWrites(Statements& statements) : statements_(statements) {}

  Result<ItemsAdded> add_items(const std::vector<StoredItem>& items);
  Result<ResultRecorded> add_result(const ResultRecord& record);
  Result<std::int64_t> add_failure(const FailureRecord& record);
  Result<Subset> make_subset(const SubsetPlan& plan);
  Status put_job(const StoredJob& job);
  Result<std::optional<std::int64_t>> add_feedback(const Feedback& feedback);
  Result<Pruned> prune(const KeptSince& since, std::int64_t most);
  Result<Removed> remove(const Removal& what);

  // To be called after what a function did was taken back.
  void forget_numbers() {
    names_.clear();
    texts_.forget_numbers();
  }

 private:
  enum class Kind { persona, perspective };
  class Recording;  // a result on its way into the tables
  class SharedTextRows;

  // What is numbered in the order of its coming, each number once.
  enum class Numbered { record, result, failure, feedback, position };
  Result<std::int64_t> next_number(Numbered what);
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

  Status remove_record(std::int64_t record, Removed& removed);
  Status remove_failure(std::int64_t failure, Removed& removed);
  Status remove_item(const std::string& item_id, bool with_records, Removed& removed);
  // The rows up to `last` (or that one alone) of record_rows or failure_rows go: texts that nobody else
  // refers to go with them. Before they are deleted.
  enum class Rows { records, failures };
  enum class Which { up_to, only };
  Status release_texts(Rows rows, Which which, std::int64_t last);
  Status prune_records(std::int64_t since_ms, std::int64_t most, Pruned& pruned);
  Status prune_failures(std::int64_t since_ms, std::int64_t most, Pruned& pruned);

  Statements& statements_;
  std::unordered_map<std::string, std::int64_t> names_;  // some of those that are in the table
  PiecedTexts texts_{false};
};

}  // namespace assay
