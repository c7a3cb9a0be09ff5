// One writer thread that commits what is queued in groups: an fsync takes as long for one row as for five
// hundred, so whatever has come while the last commit ran goes into the next one together. Where much comes,
// the writer waits a little for more, since each commit also writes pages that it shares with the next. After
// a failed commit nothing more is tried: a store that may have a hole is worse than one that ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"

namespace assay {

template <class Entry>
class GroupCommit {
 public:
  // Both are called on the writer's thread. `commit` makes the group durable, all of it or nothing; `told`
  // then hears how it went, or, for every later group, how the first failure went.
  using Commit = std::function<Status(std::span<Entry> group)>;
  using Told = std::function<void(std::span<Entry> group, const Status& committed)>;

  // `most`: entries of one group, since the first of them waits for the last. After a group of `busy` or more
  // the next one is begun so much later than it could be; one that comes alone never waits.
  struct Gather {
    std::size_t busy = 0;
    std::chrono::microseconds wait{0};
  };
  GroupCommit(std::size_t most, Gather gather, Commit commit, Told told)
      : most_(most), gather_(gather), commit_(std::move(commit)), told_(std::move(told)), thread_([this] {
          work();
        }) {}
  GroupCommit(std::size_t most, Commit commit, Told told)
      : GroupCommit(most, Gather(), std::move(commit), std::move(told)) {}
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;
  // Commits what was added, then ends.
  ~GroupCommit() {
    {
      const std::lock_guard guard(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  // Thread-safe.
  void add(Entry entry) {
    bool asleep = false;
    {
      const std::lock_guard guard(mutex_);
      queue_.push_back(std::move(entry));
      asleep = !gathering_ && queue_.size() == 1;
    }
    if (asleep) wake_.notify_one();
  }

 private:
  void work() {
    std::vector<Entry> group;
    Status healthy;
    bool busy = false;
    for (;;) {
      {
        std::unique_lock guard(mutex_);
        if (busy && !closing_) {
          gathering_ = true;
          wake_.wait_for(guard, gather_.wait, [this] { return closing_; });
          gathering_ = false;
        }
        wake_.wait(guard, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        while (!queue_.empty() && group.size() < most_) {
          group.push_back(std::move(queue_.front()));
          queue_.pop_front();
        }
      }
      if (healthy) healthy = commit_(group);
      told_(group, healthy);
      busy = gather_.busy > 0 && group.size() >= gather_.busy;
      group.clear();
    }
  }

  std::size_t most_;
  Gather gather_;
  Commit commit_;
  Told told_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> queue_;
  bool closing_ = false;
  bool gathering_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace assay
