// The cases of an evaluation for a loop that must not wait for a disk: the source is opened and read on a
// thread of its own, some cases ahead of what is asked for. Each case is complete in itself.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "core/error.h"
#include "core/task.h"
#include "engine/work.h"
#include "store/work_thread.h"

namespace assay {

class CaseFeed {
 public:
  // `work` must outlive it. An error of opening comes with the first case.
  explicit CaseFeed(const CaseWork& work) : work_(work) {}

  // In input order; nothing at the end. An error means that reading cannot go on.
  Task<Result<std::optional<Case>>> next();
  // The case at a place that a source of the same data gave. From then on next() is not asked any more.
  Task<Result<Case>> at(CasePlace place);

 private:
  static constexpr std::size_t kAhead = 64;

  Status open();
  Result<std::deque<Case>> read_ahead();

  const CaseWork& work_;
  std::unique_ptr<CaseSource> source_;  // the thread's own
  std::deque<Case> ahead_;
  WorkThread thread_;  // last: it uses what is above
};

}  // namespace assay
