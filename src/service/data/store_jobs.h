// Jobs over a store: what waits and what runs in this process. If several processes share the store, whoever
// has room takes a job, holds it while it works on it, and what one that died has left another one takes up.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "gateway/gateway.h"
#include "net/event_loop.h"
#include "service/data/job.h"
#include "service/data/job_files.h"
#include "service/data/jobs.h"
#include "store/data/data_store.h"
#include "store/file_lock.h"
#include "store/work_thread.h"

namespace assay {

class StoreJobs final : public Jobs {
 public:
  StoreJobs(JobsOptions options, DataStore& store);

  ~StoreJobs() override { stop(); }

  void stop() override;

  Status begin();
  void submit(persona::JobParameters parameters, std::string agent, Answer begun, Answer finished) override;
  void cancel(const std::string& job_id, std::function<void(Result<std::optional<Json>>)> done) override;
  void remove(const std::string& job_id, std::function<void(Result<bool>)> done) override;
  void report(const std::string& job_id, const std::string& person,
              std::function<void(Result<std::optional<ReportInput>>)> done) override;
  Result<std::optional<Json>> status(const std::string& job_id, const ListPage& page) override;

 private:
  JobSurroundings surroundings() { return {loop_, store_, options_}; }
  Task<void> create(std::shared_ptr<Job> job, Answer begun);
  Task<Status> make(std::shared_ptr<Job> job);
  Status check_model(const std::string& model);
  // Directories of jobs that were never stored: dry runs, and what a kill left before its job was.
  void remove_orphans();
  void take_up(const StoredJob& stored);
  void start_next();
  Task<void> run(std::shared_ptr<Job> job);
  Task<Status> carry_out(std::shared_ptr<Job> job);
  Task<Status> keep_files(Job& job);
  Task<void> keep_status_fresh(std::shared_ptr<Job> job);
  Task<Status> put(const Job& job, std::vector<std::string> files = {});
  void end(const std::shared_ptr<Job>& job);
  // Made of what is stored; nothing if it cannot be.
  std::shared_ptr<Job> job_of(const StoredJob& stored);
  void fail_for_good(StoredJob stored);

  // Where several processes share the jobs (shared_jobs.cc).
  Status begin_sharing();
  // Every second: holds what this one has, takes what nobody has, and tells who waits for jobs of others.
  Task<void> share();
  Task<Status> hold();
  Task<Status> take_more();
  Task<void> look_at_waiting();
  Task<void> tell_of_others();
  // Whether this one has the job now.
  Task<Result<bool>> claim(Job& job);
  Task<Result<std::shared_ptr<Job>>> take(std::string job_id);
  // Makes a journal that is there already the one of the job's directory. False: another process has it.
  Result<bool> find_journal(const Job& job) const;
  // Another one has it: who waits for it is told when that one has ended it.
  void hand_over(const std::shared_ptr<Job>& job);
  Task<void> cancel_shared(std::string job_id, std::function<void(Result<std::optional<Json>>)> done);
  void let_go();
  // To who waits for a job that will go on in the next process.
  static void answer_stopping(Job& job) {
    for (const Answer& answer : std::exchange(job.finished, {}))
      answer(fail(ErrorKind::cancelled, "the service is stopping; the job goes on when it starts again"));
  }
  void stop_if_idle() {
    if (stopping_ && running_.empty() && busy_ == 0) loop_.stop();
  }

  // The loop must not go while a coroutine waits for the store.
  class Busy {
   public:
    explicit Busy(StoreJobs& jobs) : jobs_(jobs) { ++jobs_.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() {
      --jobs_.busy_;
      jobs_.stop_if_idle();
    }

   private:
    StoreJobs& jobs_;
  };

  JobsOptions options_;
  DataStore& store_;
  JobFiles files_;
  std::string holder_;                                    // this process, as the others see it
  std::optional<FileLock> place_;                         // the right to the directory, where jobs are shared
  std::map<std::string, std::vector<Answer>> elsewhere_;  // who waits for jobs that another process has
  EventLoop loop_;
  std::unique_ptr<Gateway> gateway_;  // one for all jobs: they share limits, budget and circuits
  WorkThread blocking_;               // reads of the store, snapshots
  std::map<std::string, std::shared_ptr<Job>> running_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::atomic<bool> stopped_ = false;
  bool stopping_ = false;
  int busy_ = 0;
  std::mutex dry_mutex_;
  std::deque<std::pair<std::string, Json>> dry_;  // statuses of dry runs, which are not stored
  WorkThread reports_;
  std::thread thread_;
};

}  // namespace assay
