// A child process that outlives us: in a session of its own, without our terminal, its output in a file. It
// is told apart from any later process of the same number by when the kernel started it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/error.h"

namespace assay {

struct ProcessIdentity {
  pid_t pid = -1;
  std::uint64_t started = 0;  // in the kernel's ticks since boot
  std::string boot = {};      // which boot that was

  bool operator==(const ProcessIdentity&) const = default;
};

// Of a process that is there and has not ended (a zombie has); nothing otherwise.
std::optional<ProcessIdentity> process_identity(pid_t pid);

struct DetachedRequest {
  std::string program = {};            // its path
  std::vector<std::string> argv = {};  // with the name that it is called by; never goes through a shell
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours, all of which it gets
  std::string output_file = {};  // made anew, for what it prints and complains; readable by its owner only
};
// Error of kind target: which program, and why it cannot be started.
Result<ProcessIdentity> start_detached(const DetachedRequest& request);

// How a child of ours ended, 128 + signal if by one; nothing while it runs. Asked again after that, nothing.
std::optional<int> ended_child(pid_t pid);

// SIGINT to that process and no other; false if it is not there any more.
bool interrupt_process(const ProcessIdentity& process);

}  // namespace assay
