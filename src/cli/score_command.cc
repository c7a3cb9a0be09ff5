// `assay score`: the answers of a run, judged anew.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "cli/execution.h"
#include "core/file.h"
#include "core/visible.h"
#include "core/yaml.h"
#include "evaluations/judge_config.h"
#include "report/words.h"
#include "runs/finished.h"
#include "store/run_store.h"

namespace assay {
namespace {

// What the config of a run says; null if it cannot be read, which is told where the run is planned.
Json config_of(const std::string& directory) {
  const auto text = read_file(directory + "/config.yaml");
  const auto config = text ? parse_yaml(*text) : Result<YamlDocument>(fail(text.error()));
  return config ? config->value : Json(nullptr);
}

// `--judge` where an evaluation has no such key: whoever judges in it.
void name_judges(const Json& config, std::vector<FlagValue>& flags) {
  const std::vector<std::string> keys = judge_model_keys(text_at(config, "evaluation"), config);
  if (keys.empty()) return;
  std::vector<FlagValue> named;
  for (const FlagValue& flag : flags) {
    if (flag.name != "judge" && flag.name != "judge.model") {
      named.push_back(flag);
      continue;
    }
    for (const std::string& key : keys) named.push_back({key, flag.value});
  }
  flags = std::move(named);
}

// What the other judge, or the other metrics, changed on the same answers.
void show_judges(const std::string& base, const std::string& fresh) {
  if (!file_exists(fresh + "/summary.json")) return;
  const auto comparison = compare_finished(base, fresh, {});
  if (!comparison) {
    print_error(fmt::format("note: not compared with {}: {}\n", base, visible(comparison.error().message)));
    return;
  }
  if (!comparison->judges) return;
  print(fmt::format("\nagainst {}:\n", base));
  for (const std::string& sentence : comparison->judges->sentences)
    print(fmt::format("  {}\n", visible(sentence)));
  if (const std::size_t flips = comparison->judges->flips.size(); flips > 0) {
    print(fmt::format("  {}, with both reasons: assay compare {} {}\n",
                      counted_words(static_cast<std::int64_t>(flips), "case flips", "cases flip"), base,
                      fresh));
  }
}

}  // namespace

Result<std::vector<FlagValue>> flags_for_scoring(const std::string& directory) {
  if (!file_exists(directory + "/config.yaml")) {
    return fail(Error{ErrorKind::usage,
                      "there is no config.yaml: this is not the directory of a run",
                      {{"directory", directory}}});
  }
  std::vector<FlagValue> flags;
  const Json config = config_of(directory);
  const bool of_file = find_member(config, "answers") != nullptr;
  if (text_at(config, "evaluation") == "benchmark" && !of_file) {
    flags.push_back({"transcripts", directory});
  } else if (text_at(config, "evaluation") == "experiment" && !of_file) {
    flags.push_back({"generate", "false"});
    flags.push_back({"responses", directory + "/responses"});
    flags.push_back({"incomplete-responses", std::nullopt});
  } else if (file_exists(directory + "/outputs.jsonl")) {
    flags.push_back({"outputs", directory + "/outputs.jsonl"});
  } else if (file_exists(directory + "/generated.jsonl")) {
    flags.push_back({"input-path", directory + "/generated.jsonl"});
    flags.push_back({"no-generate", std::nullopt});
  }
  if (RunStore::holds_run(directory)) flags.push_back({"reuse", directory});
  return flags;
}

int score_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, any_evaluation_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("score", "", *arguments, surroundings)) return kDone;
  const auto telling = telling_of(*arguments, surroundings);
  if (!telling) return kBadInput;
  if (arguments->words.empty() || arguments->words.size() > 2)
    return bad_input({ErrorKind::usage, "which run? assay score DIR [CONFIG]", {}}, surroundings);
  const std::string directory = arguments->words[0];
  auto flags = flags_for_scoring(directory);
  if (!flags) return bad_input(flags.error(), surroundings);
  const auto own = std::ranges::find_if(arguments->flags, [](const FlagValue& flag) {
    return flag.name == "output-dir" || flag.name == "output_dir";
  });
  Execution execution;
  if (own != arguments->flags.end()) execution.directory = own->value.value_or("");
  name_judges(config_of(directory), arguments->flags);
  // What the command line says itself comes later, and counts.
  arguments->flags.insert(arguments->flags.begin(), flags->begin(), flags->end());
  auto plan = plan_from("", arguments->words.size() == 2 ? arguments->words[1] : directory + "/config.yaml",
                        *arguments, surroundings);
  if (!plan) return kBadInput;
  execution.plan = std::move(*plan);
  execution.telling = *telling;
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  execution.command = command_line("score", words);
  // Never the run's own directory, which its config may name.
  if (execution.directory.empty())
    execution.directory = fresh_directory(execution.plan.kind->name, std::chrono::system_clock::now());
  const int code = check_and_execute(execution, surroundings);
  if (!execution.quiet && execution.telling == Telling::words && code != kBadInput)
    show_judges(directory, execution.directory);
  return code;
}

}  // namespace assay
