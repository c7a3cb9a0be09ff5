// No child outlives us, however we end: by kill -9, a crash or _exit. A small shell holds the other end of a
// socket and knows the process groups of our children; when the socket closes, which the kernel does for the
// dead too, it kills them and leaves. It is started before the first child, so that a child is known to it
// some microseconds after its birth; one that we die in the midst of starting is not.
//
// Safe to use from any thread.
#pragma once

#include <mutex>
#include <set>

#include <sys/types.h>

#include "net/process/spawn.h"

namespace assay {

class LifeLine {
 public:
  // The one of this process: whose death it is about.
  static LifeLine& of_process();
  LifeLine(const LifeLine&) = delete;
  LifeLine& operator=(const LifeLine&) = delete;

  // Before a child is started: whoever is to know it is there.
  void make_ready();
  void add(pid_t group);
  void remove(pid_t group);

 private:
  LifeLine() = default;
  void start();
  void tell() const;

  std::mutex mutex_;
  std::set<pid_t> groups_;
  bool started_ = false;
  Descriptor ours_;  // closed if no shell could be started; then a kill -9 leaves children behind
};

}  // namespace assay
