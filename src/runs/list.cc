#include "runs/list.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "report/summary.h"
#include "report/words.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

}  // namespace assay
