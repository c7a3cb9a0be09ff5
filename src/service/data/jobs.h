// Evaluation jobs of the data service: each is a run of the persona evaluation over a snapshot of items, in a
// directory of its own (items.jsonl, run.db), on the same engine as on the command line. Results go to the
// store as they become durable; a job that was running when the process died is finished after the next
// start, and nothing is asked or stored twice.
//
// One event-loop thread runs all jobs. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/config/config.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "evaluations/persona/job_status.h"
#include "report/summary.h"
#include "service/data/job_lists.h"
#include "store/data/data_store.h"

namespace assay {

struct JobsOptions {
  std::string directory;  // of the jobs' directories
  int at_once = 2;        // jobs that run in this process; the others wait as INITIATED
  Config config;          // models, limits, prices, prompts, attempts
  Environment environment;
  StoreAddress store;  // that other processes may share
};

class Jobs {
 public:
  // `store` must outlive it. Jobs that were not finished are taken up again at once.
  static Result<std::unique_ptr<Jobs>> start(JobsOptions options, DataStore& store);
  // Stops, if that has not been done. What was interrupted is taken up again at the next start.
  virtual ~Jobs() = default;

  // Interrupts what is running and answers who waits; nothing is begun after it.
  virtual void stop() = 0;

  using Answer = std::function<void(Result<Json> status)>;
  // Takes the snapshot and stores the job; `begun` hears its status as it is stored, or why there is no job
  // (kind config or data: the request is wrong), `finished` the final one (may be null). Both are called on
  // the jobs' thread.
  virtual void submit(persona::JobParameters parameters, std::string agent, Answer begun,
                      Answer finished) = 0;
  // Starts nothing new for the job; the status as it is stored then. Nothing if there is no such job.
  virtual void cancel(const std::string& job_id, std::function<void(Result<std::optional<Json>>)> done) = 0;
  // Takes away a job that has ended, and its directory; false if there is no such job, kind changed if it has
  // not ended. Its results stay.
  virtual void remove(const std::string& job_id, std::function<void(Result<bool>)> done) = 0;
  // The figures of what the job has judged so far, with people's feedback on it (a person's, or all) as human
  // ratings. Nothing if there is no such job, kind changed if it has judged nothing yet. Read from the job's
  // directory on a thread for such reports, on which `done` is called.
  virtual void report(const std::string& job_id, const std::string& person,
                      std::function<void(Result<std::optional<ReportInput>>)> done) = 0;
  // The last stored status, with a page of its lists; nothing if there is no such job.
  virtual Result<std::optional<Json>> status(const std::string& job_id, const ListPage& page) = 0;
};

}  // namespace assay
