
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/text.h"
#include "runs/list.h"

namespace assay {
namespace {

std::string table(const std::vector<FoundRun>& runs) {
  std::string out = fmt::format("{:<19}  {:<22} {:>9} {:>7}  {:<10} {}\n", "started", "evaluation", "cases",
                                "errors", "state", "headline");
  for (const FoundRun& run : runs) {
    const std::string state = !run.complete ? "unfinished" : run.gates_passed ? "done" : "gate failed";
    out += fmt::format("{:<19}  {:<22} {:>9} {:>7}  {:<10} {}\n  {}\n", run.started, run.evaluation,
                       run.cases, run.errored, state, run.headline, run.directory);
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
  const std::string results = resolved.config.text("results");
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
