// What the coordinators and workers of distributed runs tell each other, in PostgreSQL beside the runs: which
// runs are open and what a worker needs to know of them first, which workers are alive for which run, what
// each has set aside of the run's budget, and why a worker wants a run to stop. None of it decides results; a
// board that loses a row delays work and no more.
//
// Every call is done on a thread of its own and tries again over breaks of the connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "store/address.h"

namespace assay {

// A run that workers may take cases of.
struct OpenRun {
  std::string run_id;
  std::string assay;  // build_name() of its coordinator; a worker of another build leaves it alone
  std::string about;  // JSON: what a worker is to know before it reads the run itself
  // Names this opening of the run, in the ids of what is published: as long as a run was not closed, what was
  // published twice is dropped by the queue.
  std::string tag;
};

// A worker and a run, as the worker said last.
struct WorkerSign {
  std::string worker;      // "host-a/4711/5f3a9c1e"
  std::string words = {};  // why it takes no cases; empty: it does
  std::int64_t held = 0;   // picodollars of the run's budget that it may still spend
  // Until it says otherwise it keeps to what is due to the one at `place` among `parts` workers; 0 parts: it
  // promises nothing.
  int parts = 0;
  int place = 0;
  // Told, not asked: it has said nothing for longer than a worker does that is well.
  bool silent = false;
  bool operator==(const WorkerSign&) const = default;
};

// Why a worker wants a run to stop: the kind of the error and its sentence.
struct StopWish {
  std::string kind;
  std::string words;
};

// A run as its workers see it.
struct RunWatch {
  bool open = false;
  std::vector<WorkerSign> alive;  // sorted by name
};

struct EndedCase {
  std::int64_t index = 0;
  std::string outcome;  // scored, target_failed, …
};

class WorkBoard {
 public:
  // How old a sign may be until its worker counts as gone.
  static constexpr std::chrono::seconds kLifetime{10};
  // And until it is silent.
  static constexpr std::chrono::seconds kSilence{3};

  // Makes its tables if they are not there. `warn`, which may be empty, hears on the board's thread of a
  // server that is away for longer than a moment.
  static Result<std::unique_ptr<WorkBoard>> open(const StoreAddress& address,
                                                 std::function<void(const std::string&)> warn = {});
  virtual ~WorkBoard() = default;

  // For coordinators, who have the right to the run. What workers wished of an earlier sitting is forgotten,
  // and outcomes that a resume tries again are taken back: from now on an outcome is one of this sitting, or
  // stands. The tag is that of the run as it is open already, if it is; else the one that is given.
  virtual Task<Result<std::string>> open_run(OpenRun run) = 0;
  // Workers finish what they have, and leave.
  virtual Task<Status> close_run(std::string run) = 0;
  virtual Task<Result<std::optional<StopWish>>> stop_wish(std::string run) = 0;
  // Those of these cases that have an outcome.
  virtual Task<Result<std::vector<EndedCase>>> ended(std::string run, std::vector<std::int64_t> cases) = 0;

  // For workers.
  virtual Task<Result<std::vector<OpenRun>>> open_runs() = 0;
  // The first wish is the one that counts.
  virtual Task<Status> wish_stop(std::string run, StopWish wish) = 0;
  // The worker is alive, and so are those that are told, itself among them. Signs for one open run are told
  // one after the other: of two, one knows of the other.
  virtual Task<Result<RunWatch>> alive(std::string run, WorkerSign sign) = 0;
  virtual Task<Status> gone(std::string run, std::string worker) = 0;

  // For both: who is alive.
  virtual Task<Result<std::vector<WorkerSign>>> workers(std::string run) = 0;
};

}  // namespace assay
