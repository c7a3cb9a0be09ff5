// The words of a command that runs or checks an evaluation, and how what is wrong with them is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "runs/collect.h"
#include "runs/plan.h"

namespace assay {

// The plan that the words ask for. Problems are shown here; nothing is returned then.
std::optional<RunPlan> plan_from(std::string_view evaluation, const std::string& config_file,
                                 const Arguments& arguments, const Surroundings& surroundings);

// How the words want to be told what comes of it (`--format`). What is wrong with that is shown here; nothing
// is returned then.
std::optional<Telling> telling_of(const Arguments& arguments, const Surroundings& surroundings);

// Whether `--help` was among the words; if so it has been shown.
bool shown_help(std::string_view command, std::string_view evaluation, const Arguments& arguments,
                const Surroundings& surroundings);

// Problems of the data, the first fifty of them.
void show_data_problems(const ProblemList& problems, const Surroundings& surroundings);

class Gateway;
// Calls, tokens and cost by model, as estimated from the data.
std::string estimate_words(const RunPlan& plan, const Scan& scan, const Gateway& gateway);

// "assay run 'my config.yaml'": what was called, for a shell.
std::string command_line(std::string_view first, const std::vector<std::string>& words);
std::string quoted(const std::string& word);

}  // namespace assay
