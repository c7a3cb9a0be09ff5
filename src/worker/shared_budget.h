// The budget of a run that several workers draw on. Each sets a part of it aside on the board before it
// spends it; what was spent stands in the store. So spent and set aside together never pass the budget,
// whoever dies: what a dead worker had set aside is free again after a while, and what it had spent is known.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "gateway/budget.h"
#include "net/event_loop.h"
#include "store/run_store.h"
#include "store/work_board.h"

namespace assay {

class SharedBudget final : public BudgetSource {
 public:
  // All outlive it. `limit` in picodollars; `local` is what this worker may spend and has spent, `own` what
  // it tells of itself beside.
  SharedBudget(EventLoop& loop, WorkBoard& board, RunStore& store, Budget& local, std::int64_t limit,
               std::string run, const WorkerSign& own)
      : loop_(loop),
        board_(board),
        store_(store),
        local_(local),
        limit_(limit),
        run_(std::move(run)),
        own_(own) {}

  // Of kind budget if there is not enough left for that.
  Task<Result<std::int64_t>> more(std::int64_t needed) override;

  // What is set aside: all that was granted but what was durable in the store before the last call of beat().
  // Called with each sign of life.
  std::int64_t held() const;
  void beat() { kept_before_ = local_.kept(); }

 private:
  Task<Result<std::int64_t>> try_for(std::int64_t wanted);

  EventLoop& loop_;
  WorkBoard& board_;
  RunStore& store_;
  Budget& local_;
  std::int64_t limit_;
  std::string run_;
  const WorkerSign& own_;
  std::int64_t kept_before_ = 0;
  std::int64_t promised_ = 0;  // is being asked for
  // When it was last looked at: spent by everybody, neither spent nor set aside, and how many workers there
  // are.
  std::int64_t spent_in_all_ = 0;
  std::int64_t free_ = 0;
  std::int64_t workers_ = 1;
};

}  // namespace assay
