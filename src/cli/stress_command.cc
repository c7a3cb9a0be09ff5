#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "cli/execution.h"
#include "core/file.h"
#include "core/ids.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/visible.h"
#include "evaluations/cascade/cascade_config.h"
#include "evaluations/stress/changes.h"
#include "gateway/gateway.h"
#include "net/event_loop.h"
#include "report/words.h"
#include "runs/collect.h"
#include "runs/stress/stress_files.h"

namespace assay {
namespace {

std::vector<std::string> change_names() {
  std::vector<std::string> names;
  for (const stress::Change& change : stress::changes()) names.emplace_back(change.name);
  return names;
}

// Beside the keys of the evaluations.
Keys own_keys() {
  return {{.name = "cases",
           .type = KeyType::integer,
           .help = "How many cases to draw.",
           .default_value = 40,
           .minimum = 2,
           .maximum = 100'000},
          {.name = "changes",
           .type = KeyType::text_list,
           .help = "Only these changes; by default all that can be made.",
           .choices = change_names()},
          {.name = "metric",
           .type = KeyType::text_list,
           .help = "Only these judged metrics; the flag may be repeated."},
          {.name = "check",
           .type = KeyType::boolean,
           .help = "Tell what would be asked and what it costs; send nothing."}};
}

// The flags of one kind, taken out of the others.
std::vector<FlagValue> taken(std::vector<FlagValue>& flags, const Keys& keys) {
  std::vector<FlagValue> own;
  const auto is_own = [&](const FlagValue& flag) { return flag_form(keys, flag.name).has_value(); };
  std::ranges::copy_if(flags, std::back_inserter(own), is_own);
  std::erase_if(flags, is_own);
  return own;
}

Keys gate_key() {
  return {{.name = "gates", .type = KeyType::text_list, .help = "", .flag = "gate"}};
}

std::string drawn_words(const StressFiles& files) {
  std::vector<std::string> parts;
  for (const auto& [name, cases] : files.changes()) parts.push_back(fmt::format("{} {}", name, cases));
  std::string words = fmt::format("{} of {}: each as it was, once more, and changed ({})\n", files.cases(),
                                  counted_words(files.of(), "case", "cases"), join(parts, ", "));
  if (files.without_answer() > 0)
    words += fmt::format("{} without an answer in words left out\n",
                         counted_words(files.without_answer(), "case", "cases"));
  return words;
}

// Where the files of a look at the cost are: they go again.
std::string passing_directory() {
  std::error_code ignored;
  const auto base = std::filesystem::temp_directory_path(ignored);
  return (base / fmt::format("assay-stress-{}", make_run_id(std::chrono::system_clock::now()))).string();
}

}  // namespace

Keys stress_keys() {
  Keys keys = any_evaluation_keys();
  std::erase_if(keys, [](const Key& key) { return key.name == "probe"; });
  for (Key& key : own_keys()) keys.push_back(std::move(key));
  return keys;
}

int stress_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, stress_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("stress", "", *arguments, surroundings)) return kDone;
  if (arguments->words.size() != 1)
    return bad_input({ErrorKind::usage, "of what? assay stress CONFIG|DIR", {}}, surroundings);
  const ResolvedConfig own = resolve_config(own_keys(), {"", {}, taken(arguments->flags, own_keys())});
  if (!own.problems.empty()) {
    show_problems(own.problems, surroundings);
    return kBadInput;
  }
  // Gates are about the figures of the stress test, not about those of what it is made of.
  const std::vector<FlagValue> gates = taken(arguments->flags, gate_key());
  std::string config_file = arguments->words[0];
  if (directory_exists(config_file)) {
    auto flags = flags_for_scoring(config_file);
    if (!flags) return bad_input(flags.error(), surroundings);
    arguments->flags.insert(arguments->flags.begin(), flags->begin(), flags->end());
    config_file += "/config.yaml";
  }
  std::string directory;
  for (const FlagValue& flag : arguments->flags) {
    if (flag.name == "output-dir" || flag.name == "output_dir") directory = flag.value.value_or("");
  }
  const auto source = plan_from("", config_file, *arguments, surroundings);
  if (!source) return kBadInput;
  if (has_cascade(source->config)) {
    return bad_input({ErrorKind::config,
                      "found several judges, expected one: a stress test is of a single judge; name its "
                      "`model` instead of a cascade, in a config of its own",
                      {{"file", config_file}, {"field", "judge.cascade"}}},
                     surroundings);
  }
  const bool check = own.config.boolean("check");
  if (check) {
    directory = passing_directory();
  } else if (directory.empty()) {
    directory = fresh_directory(source->kind->name, std::chrono::system_clock::now());
  }
  const auto files = StressFiles::write(*source,
                                        {.cases = own.config.integer("cases").value_or(40),
                                         .changes = own.config.texts("changes"),
                                         .metrics = own.config.texts("metric"),
                                         .of = arguments->words[0]},
                                        directory);
  if (!files) return bad_input(files.error(), surroundings);

  Execution execution;
  auto plan = plan_from("", files->config_file(), {{}, gates}, surroundings);
  if (!plan) return kBadInput;
  execution.plan = std::move(*plan);
  execution.directory = directory;
  execution.own_data = StressFiles::name();
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  Secrets secrets(kHiddenMark);
  add_secrets_of(source->config.values(), secrets);
  execution.command = secrets.hide(command_line("stress", words));
  if (check || !execution.quiet) {
    EventLoop loop;
    std::vector<ConfigProblem> problems;
    const Gateway gateway(loop, execution.plan.config, surroundings.environment, problems);
    const auto scan = scan_data(*execution.plan.evaluation, Estimating::all);
    if (!scan) return bad_input(scan.error(), surroundings);
    print(drawn_words(*files) + estimate_words(execution.plan, *scan, gateway));
  }
  if (check) {
    print("nothing was sent\n");
    return kDone;
  }
  return check_and_execute(execution, surroundings);
}

}  // namespace assay
