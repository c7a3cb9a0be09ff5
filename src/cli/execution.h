// One execution of an evaluation by a command: everything about it that is decided before it begins, and what
// the commands that run something share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "core/config/config.h"
#include "core/error.h"
#include "core/time.h"
#include "runs/piped_data.h"
#include "runs/plan.h"
#include "runs/run.h"
#include "runs/seal.h"

namespace assay {

struct Execution {
  RunPlan plan;
  std::string directory;
  Opening opening = Opening::fresh;
  Telling telling = Telling::words;
  bool quiet = false;
  bool verbose = false;
  std::string command;
  Damage damage = Damage::refuse;
  std::optional<CopiedData> copied = {};  // data that came by a pipe
  std::string own_data = {};              // else the name of what was put into the directory for the run
};

// results/EVALUATION/TIME, with a number behind it if that second is taken.
std::string fresh_directory(std::string_view evaluation, WallTime now);

// What makes a run of the answers of another: they are read from its files, and judgements that are asked for
// again are taken from its journal.
Result<std::vector<FlagValue>> flags_for_scoring(const std::string& directory);

// All data and the means to ask are looked at before anything is asked. The exit code.
int check_and_execute(const Execution& execution, const Surroundings& surroundings);

}  // namespace assay
