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
#include "service/data/job_files.h"
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

// One look at what is too old.
struct Sweep {
  WallTime ended;
  Pruned removed = {};
  std::string problem = {};  // why it was not all; "" if it was
};

class Retention {
 public:
  using Tell = std::function<void(const std::string& line)>;
  // `store` is the one at `address`, and must outlive it; `tell` is called on its thread.
  Retention(RetentionPlan plan, StoreAddress address, DataStore& store, JobFiles job_files, Tell tell);
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;
  // Ends after the step that is under way.
  ~Retention();

  // Looks at once, and again every few minutes; not at all without a plan. Once.
  void begin();
  const RetentionPlan& plan() const { return plan_; }
  // What is too old now, and goes with the next sweep. Only reads. Thread-safe.
  Result<Pruned> due() const;
  // Thread-safe; nothing before the first has ended.
  std::optional<Sweep> last_sweep() const;

 private:
  void work();
  Sweep sweep();
  Result<Pruned> step(const KeptSince& since);
  // True: it is to stop.
  bool pause(std::chrono::milliseconds time);

  RetentionPlan plan_;
  StoreAddress address_;
  DataStore& store_;
  JobFiles job_files_;
  Tell tell_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<Sweep> last_;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace assay
