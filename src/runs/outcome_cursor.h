// Follows cases through the outcomes of a store, both in the order of their indices.
#pragma once

#include <cstdint>
#include <limits>
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

  // Of a run that is under way: outcomes from `end` on may still come or change, and none of them is read or
  // kept. It only grows; without it all are settled.
  void settled_below(std::int64_t end) { settled_ = end; }
  void all_settled() { settled_ = kAll; }

  // Nothing if the case, which is settled, has no outcome. Cheapest in the order of the indices.
  Task<Result<std::optional<FinishedCase>>> at(std::int64_t index);

 private:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  RunStore& store_;
  std::int64_t settled_ = kAll;
  std::vector<OutcomeRow> page_;  // the outcomes from first_ on, below end_
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  std::size_t next_ = 0;
};

}  // namespace assay
