// Collects a run while it is still asking, on a thread of its own, so that its end costs next to nothing: a
// case is taken once it and all before it have their last outcomes. What cannot be collected this way, for
// whatever reason, is left to be collected at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "runs/collecting/collection.h"
#include "store/work_thread.h"

namespace assay {

class CollectingBeside {
 public:
  // So many cases are taken together. A run of fewer begins no file before its end.
  static constexpr std::int64_t kStep = 512;

  explicit CollectingBeside(CollectRequest request) : request_(std::move(request)) {}
  CollectingBeside(const CollectingBeside&) = delete;
  CollectingBeside& operator=(const CollectingBeside&) = delete;
  ~CollectingBeside() { dropped_ = true; }

  // Every case below `end` has its last outcome, and that is durable.
  void settled_below(std::int64_t end);
  // What it has come to; null if it came to nothing. Once, when the run is over.
  Task<std::unique_ptr<Collection>> taken();

 private:
  Status take_below(std::int64_t end);

  CollectRequest request_;
  std::int64_t handed_ = 0;  // below which cases were handed to the thread
  std::atomic<bool> dropped_ = false;
  // The thread's own.
  std::unique_ptr<Collection> collection_;
  Status so_far_;
  EventLoop loop_;     // what the thread waits on for the store
  WorkThread thread_;  // last: it uses what is above
};

}  // namespace assay
