// Cases that somebody else has chosen for this process: what a worker runs. Belongs to the gateway's home.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/case.h"
#include "engine/distributed/lease.h"

namespace assay {

struct GivenCase {
  Case input;
  bool journaled = false;  // the store may hold effects of it
  // Why it is not tried any more: its outcome, infra_failed. Empty: it is evaluated.
  std::string given_up = {};
  std::shared_ptr<Lease> lease = {};  // null: it is this process's own for good
};

class CaseSupply {
 public:
  virtual ~CaseSupply() = default;
  // Some, `most` at most; none after a while without. Nothing: there will be no more.
  virtual Task<Result<std::optional<std::vector<GivenCase>>>> next(int most) = 0;
  // It has its outcome, which is durable.
  virtual void ended(std::int64_t index) = 0;
  // It was cut off, to be finished by whoever is given it next.
  virtual void left(std::int64_t index) = 0;
};

}  // namespace assay
