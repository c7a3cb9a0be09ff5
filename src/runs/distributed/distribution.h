// A run whose cases are evaluated by workers: what must hold for that, what the workers are told of it, and
// its execution through the coordinator.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/task.h"
#include "engine/distributed/coordinator.h"
#include "evaluations/evaluation.h"
#include "gateway/gateway.h"
#include "queue/work_queue.h"
#include "runs/distributed/first_contact.h"
#include "runs/plan.h"
#include "store/run_store.h"
#include "store/work_board.h"

namespace assay {

// Whether the config asks for it.
bool is_distributed(const Config& config);
// What stands in the way of asking, before anything is asked: models, keys and programs that are not there;
// of a run over several machines, where those are the workers' own, what workers cannot do.
std::vector<ConfigProblem> asking_problems(const RunPlan& plan, Gateway& gateway);

class Distribution {
 public:
  // Connected to the queue and the board, or an error. Blocks. The gateway outlives it: its loop is that of
  // the tasks.
  static Result<std::unique_ptr<Distribution>> open(Gateway& gateway, const Config& config,
                                                    const StoreAddress& store, const FirstContact& contact);

  struct Order {
    const Config& config;
    const Evaluation& evaluation;
    std::string directory;
    std::string copied_data;
    std::int64_t cases = 0;
  };
  // Tells workers what they need, and brings every case to its outcome. What it is given outlives the task.
  // Of `options` the lane, the window and what workers are told are filled in here.
  Task<RunResult> execute(Order order, CoordinatorOptions options, RunStore& store);

  void interrupt();
  // Nothing before execute().
  std::optional<RunProgress> progress() const;
  // How many workers take cases of the run, as of the last look.
  int workers() const { return workers_; }

 private:
  Distribution(Gateway& gateway, StoreAddress store) : gateway_(gateway), store_(std::move(store)) {}
  Task<Result<std::string>> share(const Order& order, RunStore& store) const;
  // Until the run is over.
  Task<void> count_workers(std::string run);

  Gateway& gateway_;
  StoreAddress store_;
  std::unique_ptr<WorkBoard> board_;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<Coordinator> coordinator_;
  bool interrupted_ = false;
  int workers_ = 0;
  bool counting_ = false;
  bool over_ = false;
};

}  // namespace assay
