// A program of the user's as a function from JSON to JSON: input on stdin, one JSON value on stdout.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "net/event_loop.h"
#include "net/task.h"

namespace assay {

struct CommandCall {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string input;
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  int tries = 1;
  bool stubborn = false;  // also try again after failures that are the target's own, not the connection's
};

// What identifies the call in the journal.
Json to_json(const CommandCall& call);

// Errors: target (cannot start, exit code not 0 with the end of stderr, output that is not one JSON value),
// timeout.
Task<Result<Json>> run_command(EventLoop& loop, CommandCall call);

}  // namespace assay
