// A program of the user's as a function from JSON to JSON: input on stdin, one JSON value (or, where that is
// asked for, any text) on stdout.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/process/child_environment.h"
#include "tools/sandbox/confinement.h"
#include "tools/text_reply.h"

namespace assay {

struct CommandCall {
  std::vector<std::string> command;
  InheritedVariables inherited = InheritedVariables::all;  // of our own environment
  // Added to that. `${NAME}` in a value is filled from our environment when the program is started, so that
  // no secret is in a config or journal.
  std::vector<std::pair<std::string, std::string>> environment;
  // The same with values as they stand, which may come from data or from a model; of two with one name this
  // one counts.
  std::vector<std::pair<std::string, std::string>> literal_environment;
  // If set, the program runs inside that fence, and sees its own file beside what is readable there.
  std::optional<Confinement> confinement = {};
  std::string working_directory = {};  // empty: ours; inside a fence always /tmp
  std::string input;
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  int most_at_once = std::numeric_limits<int>::max();  // if the limits allow more
  int tries = 1;
  bool stubborn = false;  // also try again after failures that are the target's own, not the connection's
  TextReply text_reply = TextReply::refused;  // output that is not JSON; without the line end behind it
};

// What identifies the call in the journal; nothing in it is filled.
Json to_json(const CommandCall& call);

// What `${NAME}` stood for is hidden in all that the program says, and what inherited variables with a
// telling name hold. Errors: target (cannot start, exit code not 0 with the end of stderr, output that is not
// one JSON value), timeout, auth (a `${NAME}` that is not set), config (no fence can be made here).
Task<Result<Json>> run_command(EventLoop& loop, CommandCall call,
                               Environment environment = process_environment());

}  // namespace assay
