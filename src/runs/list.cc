#include "runs/list.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/yaml.h"
#include "evaluations/cascade/cascade_config.h"
#include "report/summary.h"
#include "report/words.h"
#include "runs/directory.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSeconds = 19;  // "2026-11-17T10:00:00"

void add_model(const Json& value, std::vector<std::string>& models) {
  if (!value.is_string()) return;
  std::string name(value.get_string());
  if (name == kPeople) return;  // the end of a cascade
  if (!name.empty() && std::ranges::find(models, name) == models.end()) models.push_back(std::move(name));
}

// The models that a config names, whoever uses them: texts under `model`, `judge` and `models`, at any depth.
// Declarations of aliases and prices are none.
void find_models(const Json& config, std::vector<std::string>& models) {
  if (config.is_array()) {
    for (const Json& item : config.get_array()) find_models(item, models);
  }
  if (!config.is_object()) return;
  for (const auto& [name, value] : config.get_object()) {
    if (name == "prices" || (name == "models" && value.is_object())) continue;
    if (name == "model" || name == "judge" || name == "models") {
      add_model(value, models);
      if (value.is_array()) {
        for (const Json& item : value.get_array()) add_model(item, models);
      }
    }
    find_models(value, models);
  }
}

void read_config(std::string_view text, FoundRun& run) {
  auto config = parse_yaml(text);
  if (!config || !config->value.is_object()) return;
  run.evaluation = text_at(config->value, "evaluation");
  run.what = text_at(config->value, "what");
  find_models(config->value, run.models);
}

// What the results say; false if there are none.
bool read_results(FoundRun& run) {
  auto text = read_file(run.directory + "/summary.json");
  if (!text) return false;
  auto tree = parse_json(*text);
  if (!tree) return false;
  auto summary = summary_from_json(*tree);
  if (!summary) return false;
  run.complete = true;
  run.run_id = summary->run_id;
  run.evaluation = summary->evaluation;
  run.what = summary->what;
  run.started = summary->started.substr(0, kSeconds);
  run.finished = summary->finished.substr(0, kSeconds);
  run.cases = summary->cases.total;
  run.done = summary->cases.evaluated + summary->cases.errored;
  run.errored = summary->cases.errored;
  run.cost_usd = summary->usage.cost_usd;
  run.requests = summary->usage.requests;
  run.tokens = summary->usage.prompt_tokens + summary->usage.completion_tokens;
  run.simulated = std::move(summary->simulated);
  for (const GateResult& gate : summary->gates) ++(gate.passed ? run.passed_gates : run.failed_gates);
  run.gates_passed = run.failed_gates == 0;
  if (!summary->metrics.empty()) {
    const Metric& first = summary->metrics.front();
    run.figure = first;
    run.headline = fmt::format("{} {}", first.name, value_words(first));
    const std::string interval = interval_words(first);
    if (!interval.empty()) run.headline += fmt::format(" ({})", interval);
  }
  return true;
}

// What the journal of a run that is not finished says.
void read_journal(const RunAddress& address, FoundRun& run) {
  auto glance = glance_at(address);
  if (!glance) return;
  run.run_id = glance->identity.run_id;
  run.started = glance->identity.started.substr(0, kSeconds);
  run.done = glance->outcomes;
  run.errored = glance->errored;
  run.cases = glance->identity.cases;
  // It was gone on with, to take more cases than when it began; how many is not written down.
  if (run.done > run.cases) run.cases = 0;
  run.requests = glance->totals.requests;
  run.tokens = glance->totals.prompt_tokens + glance->totals.completion_tokens;
  run.simulated = std::move(glance->totals.simulated);
  if (glance->totals.cost_known) run.cost_usd = static_cast<double>(glance->totals.cost_picousd) / 1e12;
}

// Looking at a run touches none of these files.
WallTime last_written(const std::string& directory) {
  WallTime last{};
  for (const std::string& name : {std::string("config.yaml"), std::string("summary.json"),
                                  fmt::format("{}.head", kJournalFile), std::string(kJournalPlaceFile)}) {
    struct stat info{};
    if (::stat(fmt::format("{}/{}", directory, name).c_str(), &info) != 0) continue;
    const std::chrono::seconds since(info.st_mtim.tv_sec);
    last = std::max(last, WallTime(std::chrono::duration_cast<WallTime::duration>(since)));
  }
  return last;
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::unfinished:
      return "unfinished";
    case RunState::done:
      return "done";
    case RunState::gate_failed:
      break;
  }
  return "gate failed";
}

bool is_run_directory(const std::string& directory) {
  return file_exists(directory + "/config.yaml") && (holds_run(directory) || was_begun(directory));
}

FoundRun read_run(const std::string& directory) {
  FoundRun run;
  run.directory = directory;
  if (const auto config = read_file(directory + "/config.yaml")) read_config(*config, run);
  // What a finished run says is out of date as soon as somebody goes on with it.
  const bool goes_on = RunStore::holds_run(directory) && is_seal_broken(directory);
  if (goes_on || !read_results(run)) read_journal(directory, run);
  run.written = last_written(run.directory);
  return run;
}

FoundRun read_stored_run(const StoredRun& stored, const StoreAddress& store) {
  FoundRun run;
  run.store = store.shown();
  run.run_id = stored.identity.run_id;
  run.evaluation = stored.identity.evaluation;
  run.started = stored.identity.started.substr(0, kSeconds);
  run.cases = stored.identity.cases;
  run.complete = stored.home;
  read_config(stored.config, run);
  read_journal(RunAddress::in(store, run.run_id), run);
  return run;
}

std::string resume_words(const FoundRun& run) {
  if (!run.directory.empty()) return run.directory;
  return fmt::format("--run {} --store {}", run.run_id, run.store);
}

std::vector<FoundRun> find_runs(const std::string& results) {
  std::vector<FoundRun> runs;
  std::error_code ignored;
  if (is_run_directory(results)) runs.push_back(read_run(results));
  for (fs::recursive_directory_iterator it(results, fs::directory_options::skip_permission_denied, ignored),
       end;
       it != end; it.increment(ignored)) {
    if (it.depth() > 2) {
      it.disable_recursion_pending();
      continue;
    }
    if (it->is_directory(ignored) && is_run_directory(it->path().string()))
      runs.push_back(read_run(it->path().string()));
  }
  std::sort(runs.begin(), runs.end(),
            [](const FoundRun& a, const FoundRun& b) { return a.started > b.started; });
  return runs;
}

Json to_json(const FoundRun& run) {
  JsonArray models;
  for (const std::string& model : run.models) models.emplace_back(model);
  return JsonObject{{"directory", run.directory},
                    {"run_id", run.run_id},
                    {"store", run.store},
                    {"evaluation", run.evaluation},
                    {"what", run.what},
                    {"started", run.started},
                    {"complete", run.complete},
                    {"done", run.done},
                    {"cases", run.cases},
                    {"errored", run.errored},
                    {"models", std::move(models)},
                    {"cost_usd", run.cost_usd ? Json(*run.cost_usd) : Json(nullptr)},
                    {"headline", run.headline},
                    {"gates_passed", run.gates_passed}};
}

}  // namespace assay
