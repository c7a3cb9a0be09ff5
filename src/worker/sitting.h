// One run at this worker, from the moment when it is found open until it is closed, the worker is told to
// end, or it cannot go on here. The evaluation is made of what the run's store and the board hold; only keys,
// and what variables stand for, come from this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/environment.h"
#include "core/error.h"
#include "core/task.h"
#include "engine/runner.h"
#include "gateway/gateway.h"
#include "queue/work_queue.h"
#include "runs/plan.h"
#include "store/cache/answer_cache.h"
#include "store/run_store.h"
#include "store/work_board.h"
#include "worker/queue_supply.h"
#include "worker/share_agreement.h"
#include "worker/shared_budget.h"

namespace assay {

// What all runs of a worker share.
struct WorkerMeans {
  EventLoop& loop;
  StoreAddress store;
  WorkQueue& queue;
  WorkBoard& board;
  std::string name;  // of the worker
  Environment environment;
  std::optional<int> threads = {};
  std::optional<int> most_cases = {};  // under way at a time
  std::function<void(const std::string&)> tell;
  std::function<void(const std::string&)> trace = {};  // one line per request; may be empty
};

class Sitting {
 public:
  // `means` outlives it.
  Sitting(const WorkerMeans& means, OpenRun run);
  ~Sitting();
  Sitting(const Sitting&) = delete;
  Sitting& operator=(const Sitting&) = delete;

  // Ends when there is nothing more to do here for this opening of the run.
  Task<void> work();
  // Takes nothing new, and finishes what it has.
  void drain();
  bool draining() const { return draining_; }
  // For how long there has been nothing to do for it here.
  Clock::duration idle() const;
  const OpenRun& run() const { return run_; }
  // Whether it ended because something was wrong.
  bool failed() const { return failed_; }
  std::int64_t ended() const { return supply_ ? supply_->ended_count() : 0; }

 private:
  // Everything that must be there before a case is taken; why it is not, as an error.
  Task<Status> make_ready();
  Status read_plan(PlanRequest::Shipped shipped);
  Status open_gateway();
  Task<Status> prepare();
  Task<Status> recall();
  Status open_cache();
  // Says why it takes none, for as long as the run is open.
  Task<void> stand_aside(std::string why);
  Task<Result<RunWatch>> sign();
  Task<void> signs_of_life();
  void take_share(const RunWatch& watch);
  Task<void> take_part();
  Task<void> report(const RunResult& result);

  const WorkerMeans& means_;
  OpenRun run_;
  std::string scratch_;  // a directory for what the evaluation has prepared; empty: none
  std::unique_ptr<RunStore> store_;
  std::optional<RunPlan> plan_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<AnswerCache> cache_;
  WorkerSign sign_;  // as it was given last
  ShareAgreement agreement_;
  std::optional<SharedBudget> budget_;
  std::unique_ptr<QueueSupply> supply_;
  std::chrono::milliseconds lease_{30'000};
  std::vector<std::string> prepared_;  // names of files
  std::optional<Clock::time_point> aside_since_;
  bool failed_ = false;
  bool draining_ = false;
  bool over_ = false;  // no more signs of life
  bool signing_ = false;
  bool takes_ = false;  // cases, by now
};

}  // namespace assay
