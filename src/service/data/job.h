// One evaluation job: a run of the persona evaluation over a snapshot of items. Keeps the job's status, and
// hands every outcome's record to the store. Lives on the thread of the jobs' event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>

#include "core/task.h"
#include "evaluations/persona/persona.h"
#include "net/event_loop.h"
#include "runs/run.h"
#include "service/data/backlog.h"
#include "service/data/jobs.h"
#include "store/data/data_store.h"

namespace assay {

// Milliseconds since 1970.
std::int64_t epoch_ms();
// Whether a job with that status has ended.
bool is_final(std::string_view status);

// What a job works with; all outlive it.
struct JobSurroundings {
  EventLoop& loop;
  DataStore& store;
  const JobsOptions& options;
};

// One job from its snapshot to its end. Lives on the loop's thread.
class Job {
 public:
  Job(JobSurroundings around, persona::JobParameters job_parameters, std::string agent_name)
      : parameters(std::move(job_parameters)), agent(std::move(agent_name)), around_(around) {}

  JsonObject json() const;   // its status with empty lists
  JsonObject lists() const;  // eval_info, evaluations and, of a dry run, what would have been stored
  // Its status as the store has it, and, once it has ended, with its lists: they are long, and kept beside
  // the snapshot.
  StoredJob stored_form() const;
  Json whole() const;
  // Each matching item once, in the order that was asked for, into the job's directory: how many. A tag or a
  // subset that nothing has is an error (config). Blocks.
  Result<std::int64_t> take_snapshot();
  // Makes the evaluation over the snapshot. Blocks.
  Status open();
  // An outcome that stands in the journal: its record goes to the store, where recording it again does
  // nothing.
  void hear(const Case& input, const Outcome& outcome);

  persona::JobParameters parameters;
  std::string agent;
  persona::JobStatus status;
  std::string directory;
  std::string seal;  // of its directory, once it has ended
  std::int64_t created_ms = 0;
  std::int64_t items = 0;  // of its snapshot
  bool cancelled = false;
  bool held = false;                   // by this process, where several share the jobs
  bool lost = false;                   // it was, and another one has it now
  std::vector<Jobs::Answer> finished;  // who waits for the end
  std::unique_ptr<persona::PersonaEvaluation> evaluation;
  std::unique_ptr<Run> run;  // while it is under way

  // It ends with an error.
  void end_badly(const Error& error);

  // Nothing of it waits for the store.
  Task<void> idle() { return recording_.ended(); }
  // The store has caught up: records are long, and what waits for it is held in memory.
  Task<void> ready_for_more() { return recording_.room(kMostRecording); }
  Error* broken() { return broken_ ? &*broken_ : nullptr; }

 private:
  static constexpr std::size_t kMostRecording = 256;
  bool truncated() const;
  void stored(Status done);

  JobSurroundings around_;
  std::vector<std::uint32_t> requests_left_;  // by item
  JsonArray eval_info_;
  JsonArray evaluations_;
  JsonArray success_data_;  // of a dry run
  JsonArray failure_data_;
  Backlog recording_;
  std::optional<Error> broken_;  // the store failed
};

}  // namespace assay
