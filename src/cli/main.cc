#include "cli/main.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/stats/stats_help.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/visible.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

Keys no_keys() {
  return {};
}

constexpr Command kCommands[] = {
    {"run", "CONFIG [--KEY VALUE]...", "run the evaluation that CONFIG names", any_evaluation_keys,
     run_evaluation_command},
    {"check", "CONFIG [--KEY VALUE]...", "list every problem, count calls, estimate cost; sends nothing",
     any_evaluation_keys, check_command},
    {"score", "DIR [CONFIG]", "other metrics or another judge over the answers of a run", any_evaluation_keys,
     score_command},
    {"resume", "DIR | --run ID", "finish an interrupted run", resume_keys, resume_command},
    {"compare", "BASE NEW",
     "two runs, paired by case: differences with intervals and tests; BASE may be baseline:NAME",
     compare_keys, compare_command},
    {"baseline", "set NAME DIR | list | show NAME | remove NAME",
     "runs by name to compare with, in files to commit", baseline_keys, baseline_command},
    {"report", "DIR", "the report of a run as html, md, json, junit or csv", report_keys, report_command},
    {"show", "DIR [CASE]", "the cases of a run, finished or under way; one with all that was asked for it",
     show_keys, show_command},
    {"verify", "DIR", "files and journal of a run against each other and against its seal", verify_keys,
     verify_command},
    {"runs", "[DIR]", "the runs below a directory: what, how far, what they cost", runs_keys, runs_command},
    {"plan", "CONFIG --pilot DIR",
     "how many cases, answers and votes a wanted certainty needs, and what that costs", plan_keys,
     plan_command},
    {"audit", "DIR...",
     "the cases of a benchmark by what several systems made of them: keys, duplicates, what tells",
     audit_keys, audit_command},
    {"stress", "CONFIG|DIR", "what moves the judge that must not, and which planted faults it overlooks",
     stress_keys, stress_command},
    {"label-sample", "DIR", "which cases of a run people should label, with known probabilities",
     label_sample_keys, label_sample_command},
    {"stats", "[QUESTION] FILE",
     "do groups differ, do raters agree, who wins: the statistics on any CSV or JSONL", stats_keys,
     stats_command, stats_help},
    {"import", "FORM FILE", "suites, data sets and configs of other tools; logs and traces as cases",
     import_keys, import_command, import_help},
    {"serve", "[CONFIG] [--KEY VALUE]...", "the web page, the results API and the data service", serve_keys,
     serve_command},
    {"worker", "", "take cases of runs that are spread over several machines", worker_keys, worker_command},
    {"view", "[DIR]...", "the web page for what is here, in the browser", view_keys, view_command},
    {"sim", "", "a simulated model endpoint with fault injection", sim_keys, sim_command},
    {"init", "[EVALUATION] [DIR]", "a config with data, prompts and CI files that run at once", init_keys,
     init_command},
    {"demo", "", "every evaluation on the bundled examples, with the built-in model", demo_keys,
     demo_command},
    {"completion", "bash|zsh|fish", "completion for your shell", no_keys, completion_command},
    {"help", "[COMMAND|EVALUATION]", "this text, or that of a command or evaluation", no_keys, help_command},
};

int unknown_command(const std::string& name, const Surroundings& surroundings) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  for (const EvaluationKind& kind : evaluation_kinds()) names.emplace_back(kind.name);
  const auto guess = nearest(name, names);
  show_error(Error{ErrorKind::usage,
                   guess ? fmt::format("unknown command {}; did you mean {}?", name, *guess)
                         : fmt::format("unknown command {}; assay --help lists them", name),
                   {}},
             surroundings);
  return kBadInput;
}

int dispatch(const std::vector<std::string>& words, const Surroundings& surroundings) {
  if (words.empty()) {
    print(general_help(surroundings.terminal));
    return kBadInput;
  }
  const std::string& first = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "--version" || first == "-V") return version_command(rest, surroundings);
  if (first == "--help" || first == "-h") {
    print(general_help(surroundings.terminal));
    return kDone;
  }
  // Asked by the shells, and no command for people.
  if (first == "complete") return complete_command(rest, surroundings);
  if (const Command* command = find_command(first)) return command->run(rest, surroundings);
  if (find_evaluation(first) != nullptr) return named_evaluation_command(first, rest, surroundings);
  return unknown_command(first, surroundings);
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

void show_error(const Error& error, const Surroundings& surroundings) {
  const char* mark = surroundings.terminal.colour ? "\033[31merror\033[0m" : "error";
  print_error(fmt::format("{}: {}\n", mark, visible(error.text(), LineBreaks::kept)));
}

int bad_input(const Error& error, const Surroundings& surroundings) {
  show_error(error, surroundings);
  return kBadInput;
}

int cannot_begin(const Error& error, const Surroundings& surroundings) {
  const int code = bad_input(error, surroundings);
  return retryable(error.kind) ? kCasesErrored : code;
}

void show_problems(const std::vector<ConfigProblem>& problems, const Surroundings& surroundings) {
  const char* mark = surroundings.terminal.colour ? "\033[31merror\033[0m" : "error";
  for (const ConfigProblem& problem : problems) {
    const std::string words =
        fmt::format("{}{}{}{}{}", problem.where, problem.where.empty() || problem.key.empty() ? "" : ", ",
                    problem.key, problem.where.empty() && problem.key.empty() ? "" : ": ", problem.text);
    print_error(fmt::format("{}: {}\n", mark, visible(words, LineBreaks::kept)));
  }
}

namespace {

// What stands in the arguments is shown to every user of the machine (ps): a password in an address is taken
// out there, once it was read.
void hide_passwords(int argc, char** argv) {
  constexpr std::string_view kSchemeEnd = "://";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t scheme = argument.find(kSchemeEnd);
    if (scheme == std::string_view::npos || url_without_secrets(argument) == argument) continue;
    std::fill(argv[i] + scheme + kSchemeEnd.size(), argv[i] + argument.size(), '*');
  }
}

}  // namespace

int run_cli(int argc, char** argv) {
  // A closed pipe and a file-size limit are errors of the write that meets them, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Surroundings surroundings;
  surroundings.environment = process_environment();
  surroundings.terminal = Terminal::detect(surroundings.environment);
  surroundings.program = argc > 0 ? argv[0] : "assay";
  // An exception is a bug or memory that ran out; everything else is a value.
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    hide_passwords(argc, argv);
    return dispatch(words, surroundings);
  } catch (const std::exception& exception) {
    print_error(fmt::format("error: internal failure: {}; please report it\n", exception.what()));
    return kCasesErrored;
  }
}

}  // namespace assay
