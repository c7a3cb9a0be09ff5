// The batches of a run, in its journal: rows of the run itself, beside the effects of its cases, under the
// same chain. A batch has one row when it is going to be made, and one when its id is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "gateway/batch_book.h"
#include "store/run_store.h"

namespace assay {

class BatchJournal final : public BatchBook {
 public:
  // `store` must outlive it.
  explicit BatchJournal(RunStore& store) : store_(store) {}
  // Of earlier sittings, the oldest first.
  Task<Result<std::vector<KeptBatch>>> kept();
  Task<Status> intend(BatchIntent intent) override;
  Task<Status> made(std::string mark, std::string id) override;

 private:
  RunStore& store_;
};

}  // namespace assay
