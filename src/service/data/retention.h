// How long the service keeps what it holds. What is older goes in the background, in steps so small that no
// request waits long for the writer behind them, with a pause after each; what a sweep has taken away is told
// in one line. Off unless the config says how long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/config/config.h"
#include "core/time.h"
#include "store/data/data_store.h"

namespace assay {

struct RetentionPlan {
  std::optional<std::chrono::nanoseconds> items;
  std::optional<std::chrono::nanoseconds> records;
  std::optional<std::chrono::nanoseconds> jobs;

  bool empty() const { return !items && !records && !jobs; }
  KeptSince since(WallTime now) const;
};

// The key `keep`.
Key keep_key();
RetentionPlan retention_plan(const Config& config);

// "12 records with 30 verdicts, 1 failure, 2 jobs"; "" for nothing.
std::string pruned_words(const Pruned& pruned);

// Whether a directory among those of the jobs is plainly a job's: it has a job's name, and a snapshot.
bool is_job_directory(const std::string& directory);

class Retention {
 public:
  using Tell = std::function<void(const std::string& line)>;
  // Begins at once, and looks again every few minutes. `store` must outlive it; `tell` is called on its
  // thread.
  Retention(RetentionPlan plan, DataStore& store, std::string jobs_directory, Tell tell);
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;
  // Ends after the step that is under way.
  ~Retention();

 private:
  void work();
  Result<Pruned> sweep();
  Result<Pruned> step(const KeptSince& since);
  // True: it is to stop.
  bool pause(std::chrono::milliseconds time);

  RetentionPlan plan_;
  DataStore& store_;
  std::string jobs_directory_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace assay
