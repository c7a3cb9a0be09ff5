// Questions to an evaluation store, on one connection of their own. Each answer is from one snapshot: page
// and total fit together, whatever is written meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "store/data_store.h"
#include "store/statements.h"

namespace assay {

class DataReads {
 public:
  explicit DataReads(Database database) : statements_(std::move(database)) {}

  Result<ItemPage> items(const ItemQuery& query);
  Result<ResultPage> results(const ResultQuery& query);
  Result<FailurePage> failures(const ResultQuery& query);
  Result<std::int64_t> tagged(const std::string& tag);
  Result<std::int64_t> members(const std::string& tag, int percent);
  Result<std::optional<StoredJob>> job(const std::string& job_id);
  Result<JobPage> jobs(const JobQuery& query);

 private:
  Result<StoredItem> item(std::int64_t row);
  Result<ItemPlace> place(const std::string& item_id);
  Result<ResultRow> result(std::int64_t row);
  Result<StoredJob> job_at(std::int64_t row);

  Statements statements_;
};

}  // namespace assay
