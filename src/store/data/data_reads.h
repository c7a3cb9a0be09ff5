// Questions to an evaluation store, on one connection of their own. Each answer is from one snapshot: page
// and total fit together, whatever is written meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/data/data_sql.h"
#include "store/data/data_store.h"

namespace assay {

class DataReads {
 public:
  explicit DataReads(std::unique_ptr<DataSql> sql) : sql_(std::move(sql)), statements_(*sql_) {}

  // See DataSql.
  bool restored() { return sql_->restored(); }

  Result<ItemPage> items(const ItemQuery& query);
  Result<ItemRows> item_rows(const ItemQuery& query);
  Result<std::vector<StoredItem>> items_of(std::span<const std::int64_t> rows);
  Result<ResultPage> results(const ResultQuery& query);
  Result<FailurePage> failures(const ResultQuery& query);
  Result<std::int64_t> tagged(const std::string& tag);
  Result<std::int64_t> members(const std::string& tag, int percent);
  Result<std::optional<StoredJob>> job(const std::string& job_id);
  Result<JobPage> jobs(const JobQuery& query);
  Result<std::optional<std::string>> job_file(const std::string& job_id, const std::string& name);
  Result<bool> has_job_to_take();
  Result<std::optional<ItemView>> item(const std::string& item_id);
  Result<RecordPage> records(const RecordQuery& query);
  Result<std::optional<WholeRecord>> record(std::int64_t record_id);
  Result<ContextPage> contexts(const ContextQuery& query);
  Result<FeedbackPage> feedback(const FeedbackQuery& query);
  Result<Listed<TagSize>> tags(const NameQuery& query);
  Result<Listed<VersionedName>> versioned(VersionedKind kind, const NameQuery& query);
  Result<std::vector<Version>> versions(VersionedKind kind, const std::string& id);
  Result<std::vector<SubsetSize>> subsets();

 private:
  Result<StoredItem> item_at(std::int64_t row);
  Result<RecordRow> record_at(std::int64_t row);
  Result<FeedbackRow> feedback_at(std::int64_t row);
  // With a condition on `m`, the members, and its value.
  Result<std::vector<SubsetSize>> subsets_where(const std::string& condition,
                                                std::initializer_list<SqlValue> values);
  Result<ItemPlace> place(const std::string& item_id);
  Result<ResultRow> result(std::int64_t row);
  Result<StoredJob> job_at(std::int64_t row);

  std::unique_ptr<DataSql> sql_;
  DataSql& statements_;
};

}  // namespace assay
