// A worker: finds open runs in the store and takes cases of each from the queue, until it is told to end.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/task.h"
#include "worker/sitting.h"

namespace assay {

struct WorkerLimits {
  std::string only_run = {};                                   // empty: all
  std::optional<std::chrono::nanoseconds> end_when_idle = {};  // with no open run for so long
  // At a time. Where there are more, one that gave nothing to do for a while makes room: coordinators that
  // were killed, and never begun again, leave their runs open.
  std::size_t most_runs = 16;
  std::chrono::milliseconds makes_room_after{60'000};
};

class Worker {
 public:
  Worker(WorkerMeans means, WorkerLimits limits) : means_(std::move(means)), limits_(std::move(limits)) {}

  // Until it has drained, or was idle for as long as its limits say; an error if the store is lost for good.
  Task<Status> work();
  // Takes nothing new, and ends when what it has is finished.
  void drain();

 private:
  Task<void> sit(std::shared_ptr<Sitting> sitting);
  void begin(OpenRun run);
  // Of the open runs those that it may begin, the first to be begun first.
  std::vector<OpenRun> waiting(std::vector<OpenRun> open);
  void make_room();

  WorkerMeans means_;
  WorkerLimits limits_;
  std::map<std::string, std::shared_ptr<Sitting>> sittings_;  // by run
  // Of runs that were left because something was wrong: when they are looked at again.
  std::map<std::string, Clock::time_point> not_before_;
  std::map<std::string, Clock::time_point> left_;  // open runs, when this worker left them last
  bool draining_ = false;
};

// A name that no other worker has: "host/4711-5f3a9c1e".
std::string make_worker_name();

}  // namespace assay
