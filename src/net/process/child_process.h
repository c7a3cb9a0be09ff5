// The life of a child that has been started: its end is noticed, its process group ended, the child reaped.
// What goes through its pipes is subprocess.h's and pipe_process.h's.
#pragma once

#include <functional>
#include <memory>

#include <signal.h>
#include <sys/types.h>

#include "net/event_loop.h"
#include "net/process/spawn.h"

namespace assay {

// Its process group is signalled only until the child has been reaped: after that the number may belong to
// others. Destroying this kills and reaps what still runs.
class ChildProcess {
 public:
  ChildProcess(EventLoop& loop, pid_t pid);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  bool reaped() const { return pid_ < 0; }
  // Calls `exited` once, when the child has ended and waits to be reaped. Called again, it replaces the
  // function. The loop holds the function meanwhile, and so what it owns.
  void watch_exit(std::function<void()> exited);
  // Asks the group to end, and kills it 2 s later if the child has not been reaped by then. The loop holds
  // `owner` meanwhile.
  void terminate(std::shared_ptr<const void> owner = nullptr);
  // Kills what is left of the group; the loop lets go of functions and owners. How the child ended.
  siginfo_t kill_rest_and_reap();

 private:
  EventLoop& loop_;
  pid_t pid_;  // -1 after it has been reaped
  Descriptor exit_fd_;
  EventLoop::TimerId kill_timer_ = 0;
  EventLoop::TimerId poll_timer_ = 0;
};

// Closes a pipe that may be watched.
void close_stream(EventLoop& loop, Descriptor& fd);

}  // namespace assay
