// Brings the cases of a run to their outcomes by way of workers on other machines: publishes those that have
// no outcome yet, a window of them at a time, and follows the store for what the workers put there. The store
// is the truth: what it does not hold is not done, whatever the queue says, and is published again.
//
// Nothing here asks a model. Belongs to one loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "engine/runner.h"
#include "engine/stop_rule.h"
#include "engine/work.h"
#include "net/event_loop.h"
#include "queue/work_queue.h"
#include "store/run_store.h"
#include "store/work_board.h"

namespace assay {

struct CoordinatorOptions {
  LaneOptions lane;
  int window = 256;               // cases that are published and have no outcome yet
  std::string about;              // of the run, for workers: see OpenRun
  StopRule* stop_rule = nullptr;  // null: all cases, in input order
  // Both as of RunnerOptions; may be empty.
  std::function<void(const Case& input, const Outcome& outcome)> on_outcome;
  std::function<void(std::int64_t end)> on_settled;
  std::optional<double> calls_a_case;
  // Hears what does not stop the run: the queue is away, workers cannot take it. May be empty.
  std::function<void(const std::string&)> warn;
};

class Coordinator {
 public:
  // All outlive it.
  Coordinator(EventLoop& loop, WorkQueue& queue, WorkBoard& board, CoordinatorOptions options);
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Every case of `work` without a standing outcome. All three outlive the task.
  Task<RunResult> run(const CaseWork& work, RunStore& store, std::int64_t total);

  // Publishes nothing more, and lets the workers finish what they have.
  void interrupt();
  RunProgress progress() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
