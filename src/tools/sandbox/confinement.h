// The fence around a program that a model wrote or drives: bubblewrap, limits and a filter of system calls.
// The program sees a file system of its own: /usr of the host and what `readable` names, both read-only, and
// an empty /tmp in memory, where it starts. No network, not even the host's loopback; no process, key or file
// of the host beside those; no rights to gain (no capabilities, no new user namespaces) and few system calls
// (system_calls.h). A run by root gives up root for the user nobody before anything else, because the kernel
// does not count root's processes. When the program ends, or Assay does, all that it has started ends with
// it.
//
// Limits on memory are the kernel's per process, so a program that starts many may use max_processes times as
// much. When the machine runs out of memory, it is the program that the kernel is asked to end first.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "net/process/subprocess.h"

namespace assay {

struct Confinement {
  std::vector<std::string> readable = {};        // further absolute paths to see, such as a virtualenv
  std::optional<std::chrono::seconds> cpu = {};  // of each process; in whole seconds
  std::optional<std::size_t> memory = {};        // address space of each process, in bytes
  std::size_t files = std::size_t{64} << 20;     // of each file, of /tmp and of /dev/shm, in bytes
  std::size_t max_processes = 16;                // and threads, at a time; by kernels before 5.14 counted
                                                 // over all processes of the user
};

// What is run inside. `prelude` is a shell script that gets the program and its arguments as "$@" and begins
// it with `exec "$@"`, under all limits.
struct ConfinedProgram {
  std::string prelude;
  std::vector<std::string> argv;
  // Further words for bubblewrap, for files that the program needs.
  std::vector<std::string> mounts = {};
};

inline constexpr std::string_view kSandboxPath = "/usr/local/bin:/usr/bin:/bin";
// In a prelude, the last thing before the program: the mark on stderr says that the sandbox stands. What
// comes before it is why it does not; everything after it is the program's.
inline constexpr std::string_view kMark = "\x02the program begins\x03";
inline constexpr std::string_view kPrintMark =
    "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null\n"
    "printf '\\002the program begins\\003' >&2\n";

// A request that runs the program inside; its input, environment, timeout and output are the caller's. Error
// of kind config: no sandbox can be made here; the message says why and what to do. `environment` gives the
// PATH in which bwrap is looked up.
Result<ProcessRequest> confined(const Confinement& confinement, const ConfinedProgram& program,
                                const Environment& environment);

// What is missing here, as far as it shows before anything is run, for the sandbox and for the program
// inside: each with its key in a tool's declaration, that of the program being `key`.
std::vector<std::pair<std::string, std::string>> not_found_inside(const Confinement& confinement,
                                                                  const std::string& key,
                                                                  const std::string& program);

// What the program itself wrote to stderr, if the sandbox stood.
Result<std::string_view> after_mark(std::string_view error_output);

// prlimit and its arguments up to "--"; shared with programs that run without a sandbox.
std::vector<std::string> limits_command(const Confinement& confinement);

// In which words a sandbox is refused.
Error no_sandbox(std::string_view reason, std::string_view advice);

}  // namespace assay
