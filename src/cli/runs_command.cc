#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/file.h"
#include "core/text.h"
#include "report/summary.h"
#include "report/words.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct FoundRun {
  std::string directory;
  std::string evaluation;
  std::string started;
  bool complete = false;
  std::int64_t cases = 0;
  std::int64_t errored = 0;
  std::string headline;
  bool gates_passed = true;
};

FoundRun read_run(const fs::path& directory) {
  FoundRun run;
  run.directory = directory.string();
  run.evaluation = directory.parent_path().filename().string();
  run.started = directory.filename().string();
  auto text = read_file(run.directory + "/summary.json");
  if (!text) return run;
  auto tree = parse_json(*text);
  if (!tree) return run;
  auto summary = summary_from_json(*tree);
  if (!summary) return run;
  run.complete = true;
  run.evaluation = summary->evaluation;
  run.started = summary->started.substr(0, 19);
  run.cases = summary->cases.total;
  run.errored = summary->cases.errored;
  for (const GateResult& gate : summary->gates) run.gates_passed = run.gates_passed && gate.passed;
  if (!summary->metrics.empty()) {
    const Metric& first = summary->metrics.front();
    run.headline = fmt::format("{} {}", first.name, value_words(first));
    const std::string interval = interval_words(first);
    if (!interval.empty()) run.headline += fmt::format(" ({})", interval);
  }
  return run;
}

// A run's directory holds a config.yaml; runs lie at most two levels below the results directory.
std::vector<FoundRun> find_runs(const std::string& results) {
  std::vector<FoundRun> runs;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(results, fs::directory_options::skip_permission_denied, ignored),
       end;
       it != end; it.increment(ignored)) {
    if (it.depth() > 2) {
      it.disable_recursion_pending();
      continue;
    }
    if (it->is_directory(ignored) && (file_exists(it->path().string() + "/config.yaml")))
      runs.push_back(read_run(it->path()));
  }
  std::sort(runs.begin(), runs.end(),
            [](const FoundRun& a, const FoundRun& b) { return a.started > b.started; });
  return runs;
}

Json to_json(const FoundRun& run) {
  return JsonObject{{"directory", run.directory}, {"evaluation", run.evaluation},
                    {"started", run.started},     {"complete", run.complete},
                    {"cases", run.cases},         {"errored", run.errored},
                    {"headline", run.headline},   {"gates_passed", run.gates_passed}};
}

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
