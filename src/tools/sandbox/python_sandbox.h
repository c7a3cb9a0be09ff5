// A Python program written by a model, run where it can do no harm: inside the fence of confinement.h, with
// its text as the one file that it is given.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "net/event_loop.h"

namespace assay {

enum class Sandbox {
  bubblewrap,
  // Only on the user's word: the program runs with the user's own rights on files, network and processes. It
  // still gets an environment and a working directory of its own, and every limit but max_processes.
  none,
};

struct PythonLimits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  // from start to end
  std::chrono::seconds cpu{20};                                 // of each process; in whole seconds
  std::size_t memory = std::size_t{1} << 30;                    // address space of each process, in bytes
  std::size_t files = std::size_t{64} << 20;  // of each file, of /tmp and of /dev/shm, in bytes
  std::size_t output = std::size_t{1} << 20;  // of stdout and stderr each; more is an error
  std::size_t max_processes = 16;             // and threads, at a time
};

struct PythonCall {
  std::string program;  // the source text, at most 1 MiB
  Sandbox sandbox = Sandbox::bubblewrap;
  std::string python = "python3";     // a path, or a name that is looked up (in the sandbox: in /usr)
  std::vector<std::string> readable;  // further absolute paths to see in the sandbox, such as a virtualenv
  PythonLimits limits;
};

// What identifies the call in the journal: all but the limits.
Json to_json(const PythonCall& call);

// {"stdout": text, "stderr": text, "exitCode": number}; 128 + signal if it died of one. A program that fails
// is a result, with its traceback in stderr. Standard input is empty. Bytes that are not UTF-8 become U+FFFD.
//
// Errors: config (no sandbox can be made here: the message says why and what to do; the program was not run),
// target (too much output, too long a program), timeout. `environment` gives the PATH in which bwrap is
// looked up.
Task<Result<Json>> run_python(EventLoop& loop, PythonCall call,
                              Environment environment = process_environment());

}  // namespace assay
