// The commands of the program. Each is one function from its words to an exit code; its flags are declared in
// a table that help and completion are made from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "core/config/config.h"
#include "core/environment.h"
#include "core/json/json.h"

namespace assay {

// 0 done; 1 a gate failed; 2 bad usage, config or data, and nothing was sent; 3 finished, but cases ended in
// error; 130 interrupted.
enum ExitCode : int { kDone = 0, kGateFailed = 1, kBadInput = 2, kCasesErrored = 3, kInterrupted = 130 };

struct Surroundings {
  Environment environment;
  Terminal terminal;
  std::string program;  // as it was called
};

struct Command {
  std::string_view name;
  std::string_view words;  // "CONFIG", "DIR"
  std::string_view title;  // one line
  Keys (*keys)();
  int (*run)(const std::vector<std::string>& words, const Surroundings& surroundings);
  // What help says of a command whose flags are more than one list; null: the list of `keys`.
  std::string (*help)(const Terminal& terminal) = nullptr;
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

int run_evaluation_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int check_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int score_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int resume_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int compare_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int baseline_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int plan_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int audit_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int stress_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int label_sample_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int stats_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int report_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int verify_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int show_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int init_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int runs_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int serve_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int view_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int worker_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int sim_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int demo_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int import_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int completion_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int complete_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int help_command(const std::vector<std::string>& words, const Surroundings& surroundings);
int version_command(const std::vector<std::string>& words, const Surroundings& surroundings);
// `assay question_router …`: the evaluation named instead of `run`.
int named_evaluation_command(std::string_view evaluation, const std::vector<std::string>& words,
                             const Surroundings& surroundings);

// Flags of every command that runs or checks an evaluation, beside the config's.
Keys run_flags();
// Those of `assay resume`.
Keys resume_flags();
// The same for an evaluation that is named on the command line: some have one more.
struct EvaluationKind;
Keys evaluation_flags(const EvaluationKind& kind);
// Keys of all evaluations together with run_flags(): what `assay run` accepts before the config is read.
Keys any_evaluation_keys();
// The same with the flags of `assay resume`.
Keys resume_keys();
Keys compare_keys();
Keys baseline_keys();
Key baselines_key();  // of each command that takes baseline:NAME
Keys plan_keys();
Keys audit_keys();
Keys stress_keys();
Keys label_sample_keys();
Keys stats_keys();
Keys report_keys();
Keys verify_keys();
Keys show_keys();
Keys init_keys();
Keys runs_keys();
Keys serve_keys();
Keys view_keys();
Keys sim_keys();
Keys worker_keys();
Keys demo_keys();
Keys import_keys();
std::vector<std::string> import_forms();
std::string import_help(const Terminal& terminal);

// "error: …" on stderr.
void show_error(const Error& error, const Surroundings& surroundings);
// The same, and the exit code that goes with it.
int bad_input(const Error& error, const Surroundings& surroundings);
// The same for what was to be begun: a server that cannot be reached is no bad input, and may be there the
// next time (kCasesErrored).
int cannot_begin(const Error& error, const Surroundings& surroundings);
void show_problems(const std::vector<ConfigProblem>& problems, const Surroundings& surroundings);
// "ok: …" and "FAILED: …", a line each, with `before` before it.
struct RunCheck;
void show_checks(const std::vector<RunCheck>& checks, std::string_view before);
// The same for programs.
JsonArray checks_json(const std::vector<RunCheck>& checks);

}  // namespace assay
