// In which order cases are taken, and when the rest of them is not needed any more. The runner asks it before
// each case and tells it of every outcome once that is durable; the judgement itself is statistics and lives
// with the evaluations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/outcome.h"
#include "engine/work.h"

namespace assay {

class StopRule {
 public:
  virtual ~StopRule() = default;
  // Every case once.
  virtual std::span<const CasePlace> order() const = 0;
  // Whether the case at that position of the order is still to be begun. What was begun is finished.
  virtual bool wants(std::size_t position) const = 0;
  virtual void begun(std::size_t position) = 0;
  virtual void add(const Case& input, const Outcome& outcome) = 0;
};

}  // namespace assay
