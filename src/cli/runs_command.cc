#include <cerrno>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/file.h"
#include "core/text.h"
#include "report/words.h"
#include "runs/list.h"

namespace assay {
namespace {

std::string state_words(const FoundRun& run) {
  if (!run.complete) return "unfinished";
  return run.gates_passed ? "done" : "gate failed";
}

// "12/40" where the run is not finished.
std::string case_words(const FoundRun& run) {
  if (run.complete) return std::to_string(run.cases);
  return run.cases > 0 ? fmt::format("{}/{}", run.done, run.cases) : fmt::format("{}/?", run.done);
}

std::string cost_cell(const FoundRun& run) {
  return cost_words(run.cost_usd);
}

// What the run is, below its line: free text, models, the headline and how to go on.
std::string more_words(const FoundRun& run) {
  std::string out;
  if (!run.what.empty()) out += fmt::format("  {}\n", run.what);
  if (!run.models.empty()) out += fmt::format("  by {}\n", fmt::join(run.models, ", "));
  if (!run.headline.empty()) out += fmt::format("  {}\n", run.headline);
  if (!run.complete) out += fmt::format("  go on with: assay resume {}\n", run.directory);
  return out;
}

std::string table(const std::vector<FoundRun>& runs) {
  constexpr std::string_view kRow = "{:<19}  {:<22} {:>11} {:>7} {:>9}  {:<11} {}\n";
  std::string out = fmt::format(fmt::runtime(kRow), "started", "evaluation", "cases", "errors", "cost",
                                "state", "directory");
  for (const FoundRun& run : runs) {
    out += fmt::format(fmt::runtime(kRow), run.started.empty() ? "n/a" : run.started, run.evaluation,
                       case_words(run), run.errored, cost_cell(run), state_words(run), run.directory);
    out += more_words(run);
  }
  return out;
}

}  // namespace

Keys runs_keys() {
  return {
      {.name = "results", .type = KeyType::path, .help = "Where the runs are.", .default_value = "results"},
      {.name = "format",
       .help = "A table for people, or JSON.",
       .default_value = "text",
       .choices = {"text", "json"}},
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int runs_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, runs_keys());
  if (!arguments) {
    show_error(arguments.error(), surroundings);
    return kBadInput;
  }
  if (arguments->has("help")) {
    print(command_help("runs", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(runs_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() > 1)
    return bad_input({ErrorKind::usage, "found several directories, expected one: assay runs [DIR]", {}},
                     surroundings);
  const std::string results =
      arguments->words.empty() ? resolved.config.text("results") : arguments->words.front();
  if (!arguments->words.empty() && !directory_exists(results))
    return bad_input(file_error(results, "open the directory", ENOENT), surroundings);
  const std::vector<FoundRun> runs = find_runs(results);
  if (resolved.config.text("format") == "json") {
    JsonArray list;
    for (const FoundRun& run : runs) list.push_back(to_json(run));
    print(pretty_text(list));
  } else if (runs.empty()) {
    print(fmt::format("no runs in {}\n", results));
  } else {
    print(table(runs));
  }
  return kDone;
}

}  // namespace assay
