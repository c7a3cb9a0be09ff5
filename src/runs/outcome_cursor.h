// Follows cases through the outcomes of a store, both in the order of their indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/finished_case.h"
#include "store/run_store.h"

namespace assay {

// A page of outcomes is in memory. The store outlives it.
class OutcomeCursor {
 public:
  explicit OutcomeCursor(RunStore& store) : store_(store) {}

  // Nothing if the case has no outcome. Cheapest in the order of the indices.
  Task<Result<std::optional<FinishedCase>>> at(std::int64_t index);

 private:
  RunStore& store_;
  std::vector<OutcomeRow> page_;  // the outcomes from first_ on
  std::int64_t first_ = 0;
  std::size_t next_ = 0;
  bool last_page_ = false;  // there is none behind page_
  bool read_ = false;
};

}  // namespace assay
