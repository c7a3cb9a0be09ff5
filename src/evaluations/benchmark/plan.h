// What a benchmark is to do: which tasks, put to which systems with which models, how often.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/problem.h"
#include "evaluations/benchmark/resume.h"
#include "evaluations/benchmark/task_file.h"
#include "models/chat.h"
#include "models/providers/promptql.h"
#include "tools/tool.h"

namespace assay::benchmark {

enum class System { promptql, tool_calling, tool_calling_python };
std::string_view to_string(System system);

struct BenchmarkTask {
  std::string name;  // of its file, without the ending
  std::string file;
  TaskFile task;
  ToolSpecs tools;  // the config's, with the task's own over them
};

struct BenchmarkModel {
  std::string name;      // as configured
  std::string in_files;  // the same, fit for the name of a file
  ModelSpec spec;
};

// One run of one variation by one system: one output file.
struct PlannedRun {
  std::size_t task = 0;
  std::size_t variation = 0;
  int run = 1;
  System system = System::tool_calling;
  std::size_t model = 0;
  std::string id;  // the output file without its ending
};

struct BenchmarkPlan {
  std::string input_dir;
  std::vector<BenchmarkTask> tasks;
  std::vector<System> systems;
  std::vector<BenchmarkModel> models;
  std::vector<PlannedRun> runs;     // the variations of a task together, and all runs of a variation
  std::vector<Problem> problems;    // of the task files: errors, and warnings
  std::int64_t unusable_tasks = 0;  // files that cannot be used
  std::int64_t max_turns = 20;
  std::int64_t max_nudges = 3;
  int max_servers = 16;  // that belong to one run each, at a time
  int repeat = 1;
  Sampling sampling;
  PromptqlSettings promptql;
  bool keep_changed = false;  // see Present
  std::string transcripts;    // directory of an earlier run whose files are scored; "": the systems are asked

  // The tools that a system has.
  ToolSpecs tools_of(const BenchmarkTask& task, System system) const;
  // Those that some system has in some task, each once.
  ToolSpecs tools_used() const;
  // How many runs may be under way at a time without more servers of their own than that.
  int runs_at_once() const;
  // What the system is asked, filled in.
  std::string prompt_of(const PlannedRun& run) const;
  // What a model with tools is told first, filled in; "" if nothing is.
  std::string system_prompt_of(const PlannedRun& run) const;
  // The same, and whatever else decides how the run is taken up.
  Present present(const PlannedRun& run) const;
  // "tool_calling/claude": a system with a model, for figures and tables.
  std::string contender(const PlannedRun& run) const;
};

Keys benchmark_keys();
BenchmarkPlan make_plan(const Config& config, std::vector<ConfigProblem>& problems);

// Letters, digits, '.', '_' and '-' stay, everything else becomes '-'.
std::string fit_for_file(std::string_view name);

}  // namespace assay::benchmark
