// A child process run to its end: bytes in, bytes out, a deadline, caps on output. The child gets its own
// process group, which is killed as a whole: at the deadline or when the awaiting coroutine is destroyed
// (SIGTERM, 2 s later SIGKILL), and what is left of it when the child has ended, so no grandchild outlives
// it. Never goes through a shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/process/child_environment.h"

namespace assay {

// Whether the child has the kernel's keys of our session (request-key, keyctl) or begins with none.
enum class Keyring { ours, own };

struct ProcessRequest {
  std::vector<std::string> argv{};                                 // argv[0] is looked up in PATH
  InheritedVariables inherited = InheritedVariables::all;          // of our own environment
  std::vector<std::pair<std::string, std::string>> environment{};  // added to that
  std::string working_directory{};                                 // empty: ours
  std::string input{};                                             // written to stdin, then closed
  std::string control{};  // what the child reads from descriptor 3, which it has only then
  Keyring keyring = Keyring::ours;
  Duration timeout = std::chrono::seconds(120);
  std::size_t max_output = std::size_t{16} << 20;  // of stdout and stderr each; more is an error
};

struct ProcessResult {
  int exit_code = 0;  // 128 + signal if it died of one
  std::string output{};
  std::string error_output{};
};

// Error kinds: target (cannot start: the message says which program and why; too much output), timeout.
// A child that does not read its input is no error. A grandchild that keeps the output open after the child
// has ended is waited for only shortly. Messages name the program, never its arguments or environment.
Task<Result<ProcessResult>> run_process(EventLoop& loop, ProcessRequest request);

}  // namespace assay
