#include <algorithm>
#include <cerrno>
#include <chrono>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/environment.h"
#include "core/file.h"
#include "core/text.h"
#include "core/visible.h"
#include "report/words.h"
#include "runs/drift/anchor_runs.h"
#include "runs/list.h"
#include "runs/prune.h"
#include "store/postgres/stored_runs.h"

namespace assay {
namespace {

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
  if (!run.complete) out += fmt::format("  go on with: assay resume {}\n", resume_words(run));
  return out;
}

std::string table(const std::vector<FoundRun>& runs) {
  constexpr std::string_view kRow = "{:<19}  {:<22} {:>11} {:>7} {:>9}  {:<11} {}\n";
  std::string out = fmt::format(fmt::runtime(kRow), "started", "evaluation", "cases", "errors", "cost",
                                "state", "directory");
  for (const FoundRun& run : runs) {
    out += fmt::format(fmt::runtime(kRow), run.started.empty() ? "n/a" : run.started, run.evaluation,
                       case_words(run), run.errored, cost_cell(run), to_string(run.state()),
                       run.directory.empty() ? run.run_id : run.directory);
    out += more_words(run);
  }
  return out;
}

constexpr RunState kStates[] = {RunState::unfinished, RunState::done, RunState::gate_failed};

// "gate_failed": a state as a flag's value.
std::string state_name(RunState state) {
  std::string name(to_string(state));
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const RunState state : kStates) names.push_back(state_name(state));
  return names;
}

PruneChoice choice_of(const Config& config) {
  PruneChoice choice;
  if (config.has("older_than")) choice.older_than = config.duration("older_than");
  if (const auto keep = config.integer("keep")) choice.keep = static_cast<std::size_t>(*keep);
  const std::vector<std::string> named = config.texts("state");
  for (const RunState state : kStates) {
    if (std::ranges::find(named, state_name(state)) != named.end()) choice.states.push_back(state);
  }
  return choice;
}

// What contradicts itself among the flags; empty if nothing does.
std::string prune_problem(const Config& config) {
  const bool choosing = !choice_of(config).empty();
  if (!config.boolean("prune")) {
    const bool meant = choosing || config.boolean("yes") || config.boolean("dry_run");
    return meant ? "--older-than, --keep, --state, --dry-run and --yes go with --prune" : "";
  }
  if (!choosing)
    return "which runs? say --older-than 30d, --keep 10, --state unfinished, or several of them: a run must "
           "fit all";
  if (config.boolean("yes") && config.boolean("dry_run"))
    return "found --yes and --dry-run, expected one of them";
  return "";
}

// What was left in the run's directory, and why.
std::string left_words(const PrunedRun& pruned) {
  constexpr std::size_t kShown = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(pruned.left.size(), kShown); ++i)
    out += fmt::format("  stays, the run did not make it: {}\n", pruned.left[i]);
  if (pruned.left.size() > kShown) out += fmt::format("  and {} more\n", pruned.left.size() - kShown);
  return out;
}

std::string prune_table(const std::vector<PrunedRun>& pruned) {
  constexpr std::string_view kRow = "{:<19}  {:<22} {:<11} {:>10}  {}\n";
  std::string out = fmt::format(fmt::runtime(kRow), "started", "evaluation", "state", "size", "directory");
  for (const PrunedRun& one : pruned) {
    const FoundRun& run = one.run;
    out += fmt::format(fmt::runtime(kRow), run.started.empty() ? "n/a" : run.started, run.evaluation,
                       to_string(run.state()), one.goes() ? bytes_words(one.bytes) : "stays", run.directory);
    if (!one.goes()) out += fmt::format("  {}\n", one.kept);
    if (!one.failure.empty()) out += fmt::format("  {}\n", one.failure);
    out += left_words(one);
  }
  return out;
}

int prune(const std::string& results, const Config& config) {
  const Pruning how = config.boolean("yes") ? Pruning::remove : Pruning::look;
  std::vector<PrunedRun> pruned;
  std::int64_t gone = 0;
  std::int64_t bytes = 0;
  bool failed = false;
  for (const FoundRun& run :
       chosen_runs(find_runs(results), choice_of(config), std::chrono::system_clock::now())) {
    PrunedRun one = prune_run(run, how);
    gone += one.goes() && one.failure.empty() ? 1 : 0;
    bytes += one.bytes;
    failed = failed || !one.failure.empty();
    pruned.push_back(std::move(one));
  }
  if (wants_json(config)) {
    JsonArray list;
    for (const PrunedRun& one : pruned) list.push_back(to_json(one));
    print(pretty_text(JsonObject{
        {"removed", how == Pruning::remove}, {"count", gone}, {"bytes", bytes}, {"runs", std::move(list)}}));
  } else {
    if (!pruned.empty()) print(prune_table(pruned));
    print(fmt::format("{} {}, {}{}\n", how == Pruning::remove ? "removed" : "would remove",
                      counted_words(gone, "run", "runs"), bytes_words(bytes),
                      how == Pruning::look && gone > 0 ? "; nothing was removed: --yes does it" : ""));
  }
  return failed ? kCasesErrored : kDone;
}

// What a list of runs is taken from, for the line that says that there are none.
struct Listed {
  std::string from;
  std::vector<FoundRun> runs;
};

Result<Listed> listed_in_store(const std::string& text, const Environment& environment) {
  auto filled = fill_environment(text, environment);
  auto store = filled ? run_store_address(*filled) : fail(std::move(filled.error()));
  if (!store) return fail(std::move(store.error()).with("key", "store"));
  auto stored = stored_runs(*store);
  if (!stored) return fail(std::move(stored.error()));
  Listed listed{.from = store->shown(), .runs = {}};
  for (const StoredRun& one : *stored) listed.runs.push_back(read_stored_run(one, *store));
  return listed;
}

// Has the judge changed? The plain answer, then run by run.
int drift(const std::string& results, const Config& config, const Surroundings& surroundings) {
  AnchorRuns found = find_anchor_runs(results);
  if (found.runs.empty() && found.unread.empty()) {
    return bad_input({ErrorKind::data,
                      "no finished run there has anchors; put `anchors: FILE` into the config (drift.md)",
                      {{"directory", results}}},
                     surroundings);
  }
  const DriftReport report = drift_report(std::move(found.runs));
  if (wants_json(config)) {
    Json told = to_json(report);
    JsonArray unread;
    for (const auto& [directory, why] : found.unread)
      unread.push_back(JsonObject{{"directory", directory}, {"message", why.text()}});
    told.get_object()["unread"] = std::move(unread);
    print(pretty_text(told));
  } else {
    print(drift_text(report));
    for (const auto& [directory, why] : found.unread)
      print(fmt::format("not read: {}: {}\n", visible(directory), visible(why.text())));
  }
  return report.drifted && config.boolean("fail_on_drift") ? kGateFailed : kDone;
}

}  // namespace

Keys runs_keys() {
  return {
      {.name = "store",
       .type = KeyType::text,
       .help = "The runs that this store keeps, in the place of those of a directory: postgres://…. "
               "`${NAME}` is filled from the environment.",
       .fills = Fills::when_used},
      {.name = "results", .type = KeyType::path, .help = "Where the runs are.", .default_value = "results"},
      format_key(),
      {.name = "drift",
       .type = KeyType::boolean,
       .help = "Whether the judge has changed, by the anchors of the runs (`anchors` in a config)."},
      {.name = "fail_on_drift",
       .type = KeyType::boolean,
       .help = "With --drift: exit code 1 where a change is found."},
      {.name = "prune",
       .type = KeyType::boolean,
       .help = "Show which runs would be removed, and their size; with --yes they are removed."},
      {.name = "older_than",
       .type = KeyType::duration,
       .help = "Prune runs that nothing was written to for so long.",
       .example = "30d"},
      {.name = "keep",
       .type = KeyType::integer,
       .help = "Prune none of the newest so many runs of each evaluation.",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "state",
       .type = KeyType::text_list,
       .help = "Prune runs in this state only; may be repeated.",
       .choices = state_names()},
      {.name = "dry_run", .type = KeyType::boolean, .help = "Remove nothing, which is so without --yes."},
      {.name = "yes", .type = KeyType::boolean, .help = "Remove them."},
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
  const std::string store = resolved.config.text("store");
  if (!store.empty() &&
      (!arguments->words.empty() || resolved.config.boolean("prune") || resolved.config.boolean("drift"))) {
    return bad_input({ErrorKind::usage,
                      "--store lists the runs of a store, and goes with no directory, --prune or --drift",
                      {}},
                     surroundings);
  }
  if (const std::string problem = prune_problem(resolved.config); !problem.empty())
    return bad_input({ErrorKind::usage, problem, {}}, surroundings);
  if (resolved.config.boolean("fail_on_drift") && !resolved.config.boolean("drift"))
    return bad_input({ErrorKind::usage, "--fail-on-drift goes with --drift", {}}, surroundings);
  if (resolved.config.boolean("drift")) return drift(results, resolved.config, surroundings);
  if (resolved.config.boolean("prune")) return prune(results, resolved.config);
  auto listed = store.empty() ? Result<Listed>(Listed{results, find_runs(results)})
                              : listed_in_store(store, surroundings.environment);
  if (!listed) return bad_input(listed.error(), surroundings);
  const std::vector<FoundRun>& runs = listed->runs;
  if (wants_json(resolved.config)) {
    JsonArray list;
    for (const FoundRun& run : runs) list.push_back(to_json(run));
    print(pretty_text(list));
  } else if (runs.empty()) {
    print(fmt::format("no runs in {}\n", listed->from));
  } else {
    print(table(runs));
  }
  return kDone;
}

}  // namespace assay
