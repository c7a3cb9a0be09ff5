// A Run: one execution of an evaluation, from its first sitting to its files. Opening one is the only way to
// a journal, and where it is seen that nothing has changed since it began. Commands, jobs of the service and
// workers begin or resume runs here and listen to them.
//
//   auto run = co_await Run::open(gateway, request);     locks it, begins it or goes on with it
//   RunResult result = co_await (*run)->execute();       every case without a standing outcome
//   auto report = co_await (*run)->collect(result, …);   figures and files
//
// Belongs to the gateway's event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/task.h"
#include "engine/runner.h"
#include "evaluations/early_stop.h"
#include "evaluations/evaluation.h"
#include "gateway/gateway.h"
#include "report/gates.h"
#include "report/summary.h"
#include "runs/collect.h"
#include "runs/collecting/beside.h"
#include "runs/seal.h"
#include "store/cache/answer_cache.h"
#include "store/run_store.h"

namespace assay {

// Whether a run must be new, must be there already, or goes on if it is there.
enum class Opening { fresh, resume, either };
// When cases go into figures and files, where collect() is called for them: as they end, or all in the end.
// The result is the same.
enum class Collecting { beside, at_the_end };

struct RunRequest {
  std::string evaluation_name;
  Evaluation& evaluation;  // outlives the run, as the config does
  const Config& config;
  std::string directory;
  // Where the journal is, if that is not for the config's key `store` to say.
  std::optional<RunAddress> address = {};
  Opening opening = Opening::fresh;
  std::vector<PlanText> texts = {};  // that the evaluation was made of
  std::string run_id = {};           // empty: made here
  std::string copied_data = {};      // name of a file in the directory that is there for the run (CopiedData)
  std::string command = {};          // that repeats it, for the report
  std::vector<Gate> gates = {};
  std::vector<StopCondition> stop_when = {};
  std::int64_t cases = 0;                   // that the data hold, for the progress
  std::optional<double> calls_a_case = {};  // the same, as estimated
  // Hears every outcome that stands: those of earlier sittings before anything is asked, the others once they
  // are durable. May be empty.
  std::function<void(const Case& input, const Outcome& outcome)> on_outcome = {};
  // Awaited between outcomes of earlier sittings, and before another case is begun (RunnerOptions); not for
  // cases of workers. May be empty.
  std::function<Task<void>()> ready_for_more = {};
  std::function<void(const std::string&)> trace = {};  // one line per request; may be empty
  Collecting collecting = Collecting::at_the_end;
  // Hears at once, on any thread, what does not stop the run; the report tells it too. May be empty.
  std::function<void(const std::string&)> warn = {};
  // A run whose files are not as they were sealed, or whose journal is not as it was written.
  Damage damage = Damage::refuse;
};

class Distribution;
class NewDirectory;

class Run {
 public:
  // Kind usage if a fresh run meets one that is there or files of somebody else's, kind changed if it is
  // another run than the request says, kind journal if somebody is working on it or it is not as it was
  // written. A directory that was made for nothing is taken back.
  static Task<Result<std::unique_ptr<Run>>> open(Gateway& gateway, RunRequest request);

  ~Run();

  const RunIdentity& identity() const { return identity_; }

  // Runs every case that has no standing outcome. Why it ended before that stands in stopped.log until the
  // next sitting.
  Task<RunResult> execute();
  // Starts nothing new and lets what is in flight end.
  void interrupt();
  RunProgress progress() const;
  // How many workers take cases of it now; nothing: this process does all of it.
  std::optional<int> workers() const;

  // What was found when the run was opened and gone on with all the same: files that people had changed.
  const std::vector<std::string>& opening_notes() const { return opening_notes_; }

  // Figures and files, and the seal on all of them: the journal is closed with it. `result` says how
  // execute() ended; cases that it did not come to count as errored, or as left out if the rule that stops
  // early said so.
  Task<Result<ReportInput>> collect(const RunResult& result, std::vector<Problem> warnings,
                                    ProblemList& problems);
  // The end of a run whose files are not collect()'s (a job's): closes the journal and seals what is there.
  // The seal. Nothing may be asked of the run afterwards.
  Task<Result<std::string>> seal();

 private:
  Run(Gateway& gateway, RunRequest request);

  Task<Status> begin();
  Task<Result<std::unique_ptr<RunLock>>> patient_lock();
  // Where its journal is, or is to be.
  Result<RunAddress> address() const;
  // Both block, and run on a thread of their own: what the run would begin with now, and the store for it.
  Result<RunIdentity> new_identity() const;
  Status open_store(const NewDirectory& made, std::unique_ptr<RunLock>& lock);
  Status reopen_store(const RunIdentity& now, std::unique_ptr<RunLock>& lock);
  Status open_cache();
  Status write_config() const;
  Task<Status> begin_writing();
  Task<RunResult> evaluate();
  Task<Status> hear_earlier();
  Task<Status> note_work();
  // Before anything is written: an address that is wrong leaves nothing behind.
  Task<Status> reach_servers();
  // By workers; `own` is for what is asked here.
  Task<RunResult> distribute(RunnerOptions own);
  // Every case, those that were taken while the run went on first.
  Task<Result<std::unique_ptr<Collection>>> all_taken(RunEnding ending, ProblemList& problems);
  Task<Result<ReportInput>> figures_and_files(const RunResult& result, std::vector<Problem> warnings,
                                              ProblemList& problems);
  Task<Result<ReportInput>> finish(Collection& collection);

  Gateway& gateway_;
  RunRequest request_;
  RunAddress address_ = request_.directory;
  RunIdentity identity_;
  std::unique_ptr<RunStore> store_;
  std::unique_ptr<RunStore> earlier_answers_;  // of the run that --reuse names
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;   // of this sitting, from any thread
  std::unique_ptr<AnswerCache> cache_;  // that runs share
  bool resumed_ = false;                // it was there
  bool takes_more_ = false;             // more cases than before
  std::vector<std::string> opening_notes_;
  SealHistory seals_;  // before this sitting
  std::unique_ptr<EarlyStop> early_stop_;
  std::unique_ptr<CollectingBeside> collecting_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<Distribution> distribution_;  // if workers evaluate the cases
  bool interrupted_ = false;
};

// The resolved config as it stands in config.yaml, with `${NAME}` as it was written and marks in the place of
// literal secrets.
std::string written_config(const Config& config);

// A run that asks nothing outside: evaluated while it is read, in one pass, without a journal.
Result<ReportInput> run_without_effects(const RunRequest& request, ProblemList& problems);

}  // namespace assay
