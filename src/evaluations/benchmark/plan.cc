#include "evaluations/benchmark/plan.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/benchmark/python_tool.h"
#include "evaluations/judge_config.h"
#include "evaluations/output_files.h"
#include "models/declared.h"
#include "models/providers/provider.h"
#include "tools/kinds/kinds.h"
#include "tools/tool_config.h"

namespace assay::benchmark {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kSystems = {"promptql", "tool_calling", "tool_calling_python"};

// `--system a,b` and `--system a --system b` are the same.
std::vector<std::string> names_of(const Config& config, const std::string& key) {
  std::vector<std::string> names;
  for (const std::string& text : config.texts(key)) {
    for (const std::string_view part : split(text, ',')) {
      std::string name(trim(part));
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<System> read_systems(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<System> systems;
  for (const std::string& name : names_of(config, "system")) {
    const auto found = std::ranges::find(kSystems, name);
    if (found != kSystems.end()) {
      systems.push_back(static_cast<System>(found - kSystems.begin()));
      continue;
    }
    const auto guess = nearest(name, std::span<const std::string_view>(kSystems));
    problems.push_back({"config", "system",
                        fmt::format("found {}, expected one or more of {}{}", name, fmt::join(kSystems, ", "),
                                    guess ? fmt::format("; did you mean {}?", *guess) : "")});
  }
  if (systems.empty() && problems.empty())
    problems.push_back(
        {"config", "system", fmt::format("expected one or more of {}", fmt::join(kSystems, ", "))});
  return systems;
}

std::vector<BenchmarkModel> read_models(const Config& config, std::vector<ConfigProblem>& problems) {
  std::vector<BenchmarkModel> models;
  std::map<std::string, std::string> taken;
  for (const std::string& name : names_of(config, "model")) {
    auto spec = declared_model(config, name);
    if (!spec) {
      problems.push_back({"config", "model", spec.error().text()});
      continue;
    }
    BenchmarkModel model{name, fit_for_file(name), std::move(*spec)};
    if (const auto [other, fresh] = taken.emplace(model.in_files, name); !fresh) {
      problems.push_back(
          {"config", "model",
           fmt::format("{} and {} would write the same files ({}); give one of them another name "
                       "under `models`",
                       other->second, name, model.in_files)});
    }
    models.push_back(std::move(model));
  }
  if (models.empty() && problems.empty())
    problems.push_back({"config", "model", "expected at least one model"});
  return models;
}

// Its YAML files, by name.
std::vector<fs::path> task_files(const std::string& directory, std::vector<ConfigProblem>& problems) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const std::string ending = entry.path().extension().string();
    std::error_code ignored;
    if ((ending == ".yaml" || ending == ".yml") && entry.is_regular_file(ignored))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (failed) {
    problems.push_back({"config", "input_dir", fmt::format("{}: {}", directory, failed.message())});
  } else if (files.empty()) {
    problems.push_back({"config", "input_dir", fmt::format("{} holds no .yaml file", directory)});
  }
  return files;
}

class TaskLoader {
 public:
  TaskLoader(const Config& config, const ToolSpecs& common, BenchmarkPlan& plan)
      : config_(config), common_(common), plan_(plan) {}

  void load(const fs::path& path) {
    BenchmarkTask task;
    task.name = path.stem().string();
    task.file = path.string();
    const std::size_t before = errors_;
    read(task);
    if (errors_ == before && !names_.insert(task.name).second)
      complain(task.file, "", "another file of this name, with the other ending, is there too");
    if (errors_ == before) {
      plan_.tasks.push_back(std::move(task));
    } else {
      ++plan_.unusable_tasks;
    }
  }

 private:
  void read(BenchmarkTask& task) {
    auto text = config_.read_text(task.file);
    if (!text) return complain("", "", text.error().text());
    auto read = read_task(*text, task.file);
    if (!read) return complain(task.file, "", read.error().text());
    std::vector<ConfigProblem> problems = std::move(read->problems);
    const ToolSpecs own = read_tools(read->document, task.file, problems);
    for (const ConfigProblem& problem : problems) complain(problem.where, problem.key, problem.text);
    for (const ConfigProblem& warning : read->warnings)
      plan_.problems.push_back({"warning", warning.where, warning.key + ": " + warning.text});
    task.task = std::move(read->task);
    task.tools = own;
    // A task's own tool takes the place of the config's of the same name.
    for (const auto& tool : common_) {
      if (std::ranges::none_of(own, [&](const auto& mine) { return mine->name == tool->name; }))
        task.tools.push_back(tool);
    }
    check(task);
  }

  void check(const BenchmarkTask& task) {
    const bool promptql = asks(System::promptql);
    if (promptql && !task.task.promptql_prompt)
      complain(task.file, "promptql_prompt", "is missing, and the system promptql is asked with it");
    if (promptql && task.task.expected_promptql_artifact.empty())
      complain(task.file, "expected_promptql_artifact",
               "is missing: the answer of promptql is that artifact");
    if (plan_.systems.size() == (promptql ? 1U : 0U)) return;
    if (!task.task.tool_calling_prompt)
      complain(task.file, "tool_calling_prompt",
               "is missing, and the tool calling systems are asked with it");
    check_expected_calls(task);
  }

  // A call that is expected of a tool which nobody offers would only end in nudges. A server's tools are not
  // known yet.
  void check_expected_calls(const BenchmarkTask& task) {
    const bool with_server =
        std::ranges::any_of(task.tools, [](const auto& tool) { return is_server(*tool); });
    if (with_server) return;
    std::set<std::string> names = {kPythonTool};
    for (const auto& tool : task.tools) names.insert(tool->name);
    for (const std::string& name : task.task.expected_tool_calls) {
      if (names.contains(name)) continue;
      const std::vector<std::string> known(names.begin(), names.end());
      const auto guess = nearest(name, known);
      complain(task.file, "expected_tool_calls",
               guess ? fmt::format("there is no tool {}; did you mean {}?", name, *guess)
                     : fmt::format("there is no tool {}; declare it under `tools` (known: {})", name,
                                   fmt::join(known, ", ")));
    }
  }

  bool asks(System system) const { return std::ranges::find(plan_.systems, system) != plan_.systems.end(); }

  void complain(const std::string& where, const std::string& key, const std::string& text) {
    ++errors_;
    plan_.problems.push_back({"error", where, key.empty() ? text : key + ": " + text});
  }

  const Config& config_;
  const ToolSpecs& common_;
  BenchmarkPlan& plan_;
  std::set<std::string> names_;
  std::size_t errors_ = 0;
};

void plan_runs(BenchmarkPlan& plan) {
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    for (std::size_t variation = 0; variation < plan.tasks[task].task.variations.size(); ++variation) {
      for (int run = 1; run <= plan.repeat; ++run) {
        for (const System system : plan.systems) {
          for (std::size_t model = 0; model < plan.models.size(); ++model) {
            PlannedRun planned{task, variation, run, system, model, ""};
            planned.id = fmt::format("{}-{}-{}-variation{}", plan.tasks[task].name, to_string(system),
                                     plan.models[model].in_files, variation);
            // The first keeps its name, so that repeats can be asked for later.
            if (run > 1) planned.id += fmt::format("-run{}", run);
            plan.runs.push_back(std::move(planned));
          }
        }
      }
    }
  }
}

// Each run is kept in a file of its name, which must fit before the run is paid for.
void check_names(const BenchmarkPlan& plan, std::vector<ConfigProblem>& problems) {
  for (const PlannedRun& run : plan.runs) {
    if (run.id.size() + std::string_view(".yaml").size() <= kLongestFileName) continue;
    problems.push_back(
        {plan.tasks[run.task].file, "",
         fmt::format("{}.yaml would be the name of its output: found {} bytes, expected at most {}; "
                     "give the task's file or the model a shorter name",
                     run.id, run.id.size() + 5, kLongestFileName)});
    return;
  }
}

// Two models that PromptQL is not told apart by would be compared with themselves.
void warn_of_equal_queries(BenchmarkPlan& plan) {
  std::map<std::string, std::string> seen;
  for (const BenchmarkModel& model : plan.models) {
    const Json query = to_json(promptql_query(plan.promptql, model.spec, ""));
    const auto [other, fresh] = seen.emplace(canonical_text(query), model.name);
    if (!fresh) {
      plan.problems.push_back(
          {"warning", "model",
           fmt::format("PromptQL is asked the same with {} as with {}: its {} takes no such model",
                       model.name, other->second, plan.promptql.version)});
    }
  }
}

PromptqlSettings read_promptql(const Config& config, bool used, std::vector<ConfigProblem>& problems) {
  PromptqlSettings settings;
  const auto take = [&](const std::string& key, std::string& into) {
    if (config.has("promptql." + key)) into = config.text("promptql." + key);
  };
  take("url", settings.url);
  take("version", settings.version);
  take("api_key_env", settings.api_key_env);
  take("timezone", settings.timezone);
  take("system_instructions", settings.system_instructions);
  if (config.has("promptql.ai_primitives_llm")) {
    auto spec = declared_model(config, config.text("promptql.ai_primitives_llm"));
    if (spec) {
      settings.ai_primitives = std::move(*spec);
    } else {
      problems.push_back({"config", "promptql.ai_primitives_llm", spec.error().text()});
    }
  }
  if (config.has("promptql.timeout")) settings.timeout = config.duration("promptql.timeout");
  if (const Json* ddn = config.find("promptql.ddn")) {
    if (ddn->is_object()) {
      settings.ddn = ddn->get_object();
    } else {
      problems.push_back(
          {"config", "promptql.ddn", fmt::format("found {}, expected an object", excerpt(*ddn))});
    }
  }
  for (const std::string& path : config.texts("promptql.artifacts")) {
    auto text = config.read_text(path);
    auto artifact = text ? parse_json(*text) : fail(text.error());
    if (!artifact) {
      problems.push_back(
          {"config", "promptql.artifacts", std::move(artifact.error()).with("file", path).text()});
    } else if (artifact->is_array()) {
      for (const Json& one : artifact->get_array()) settings.artifacts.push_back(one);
    } else {
      settings.artifacts.push_back(std::move(*artifact));
    }
  }
  if (used) {
    for (std::string& words : problems_of(settings))
      problems.push_back({"config", "promptql", std::move(words)});
  }
  return settings;
}

// Enough to see that a text has changed.
std::string fingerprint(std::string_view text) {
  return text.empty() ? "none" : hex(sha256(text)).substr(0, 16);
}

}  // namespace

std::string_view to_string(System system) {
  return kSystems.at(static_cast<std::size_t>(system));
}

std::string fit_for_file(std::string_view name) {
  std::string fit(name);
  for (char& c : fit) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  return fit;
}

ToolSpecs BenchmarkPlan::tools_of(const BenchmarkTask& task, System system) const {
  ToolSpecs tools;
  bool python = false;
  for (const auto& tool : task.tools) {
    const bool is_python = tool->kind == &kPythonKind;
    if (is_python && system != System::tool_calling_python) continue;
    python = python || is_python;
    tools.push_back(tool);
  }
  if (system == System::tool_calling_python && !python) tools.push_back(default_python_tool());
  return tools;
}

ToolSpecs BenchmarkPlan::tools_used() const {
  ToolSpecs used;
  if (!transcripts.empty()) return used;
  for (const BenchmarkTask& task : tasks) {
    for (const System system : systems) {
      if (system == System::promptql) continue;
      for (const auto& tool : tools_of(task, system)) {
        if (std::ranges::find(used, tool) == used.end()) used.push_back(tool);
      }
    }
  }
  return used;
}

int BenchmarkPlan::runs_at_once() const {
  std::ptrdiff_t most = 0;
  for (const BenchmarkTask& task : tasks) {
    most = std::max(
        most, std::ranges::count_if(task.tools, [](const auto& tool) { return has_own_process(*tool); }));
  }
  return most == 0 ? std::numeric_limits<int>::max() : std::max(1, max_servers / static_cast<int>(most));
}

std::string BenchmarkPlan::prompt_of(const PlannedRun& run) const {
  const TaskFile& task = tasks[run.task].task;
  const auto& prompt = run.system == System::promptql ? task.promptql_prompt : task.tool_calling_prompt;
  return fill(prompt.value_or(""), task.variations[run.variation].parameters);
}

Present BenchmarkPlan::present(const PlannedRun& run) const {
  const BenchmarkTask& task = tasks[run.task];
  const ModelSpec& spec = models[run.model].spec;
  Present present;
  present.keep_changed = keep_changed;
  present.artifact = task.task.expected_promptql_artifact;
  present.asked["prompt"] = fingerprint(prompt_of(run));
  const bool names_model = run.system != System::promptql || promptql.version == "v1";
  if (names_model) present.asked["model"] = fmt::format("{}/{}", spec.provider, spec.name);
  if (run.system == System::promptql) {
    present.asked["system_instructions"] = fingerprint(promptql.system_instructions);
    return present;
  }
  present.asked["system_prompt"] = fingerprint(system_prompt_of(run));
  const Provider* provider = find_provider(spec.provider);
  present.max_tokens = sampling.max_tokens ? sampling.max_tokens : spec.max_tokens;
  if (!present.max_tokens && provider != nullptr && provider->wire != nullptr)
    present.max_tokens = provider->wire->max_tokens;
  return present;
}

std::string BenchmarkPlan::system_prompt_of(const PlannedRun& run) const {
  const TaskFile& task = tasks[run.task].task;
  return fill(task.system_prompt.value_or(""), task.variations[run.variation].parameters);
}

std::string BenchmarkPlan::contender(const PlannedRun& run) const {
  return fmt::format("{}/{}", to_string(run.system), models[run.model].in_files);
}

BenchmarkPlan make_plan(const Config& config, std::vector<ConfigProblem>& problems) {
  BenchmarkPlan plan;
  plan.input_dir = config.text("input_dir");
  plan.systems = read_systems(config, problems);
  plan.models = read_models(config, problems);
  plan.repeat = static_cast<int>(config.integer("repeat").value_or(1));
  plan.max_turns = config.integer("max_turns").value_or(20);
  plan.max_servers = static_cast<int>(config.integer("max_servers").value_or(16));
  plan.max_nudges = config.integer("max_nudges").value_or(3);
  plan.transcripts = config.text("transcripts");
  plan.keep_changed = config.boolean("keep_changed") || !plan.transcripts.empty();
  plan.sampling.temperature = config.number("temperature");
  if (const auto tokens = config.integer("max_tokens")) plan.sampling.max_tokens = static_cast<int>(*tokens);
  const bool promptql = std::ranges::find(plan.systems, System::promptql) != plan.systems.end();
  plan.promptql = read_promptql(config, promptql, problems);
  std::error_code ignored;
  if (config.has("output_dir") && fs::equivalent(plan.input_dir, config.text("output_dir"), ignored)) {
    problems.push_back(
        {"config", "output_dir", "is input_dir: output files would be taken for tasks; choose another"});
  }
  const ToolSpecs common = read_tools(config, problems);
  TaskLoader loader(config, common, plan);
  for (const fs::path& file : task_files(plan.input_dir, problems)) loader.load(file);
  if (promptql) warn_of_equal_queries(plan);
  if (problems.empty()) plan_runs(plan);
  check_names(plan, problems);
  return plan;
}

}  // namespace assay::benchmark
