#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/stats/stats_help.h"
#include "evaluations/custom/metric_reference.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command& command : commands()) words.emplace_back(command.name);
  for (const EvaluationKind& kind : evaluation_kinds()) words.emplace_back(kind.name);
  return words;
}

// `assay help stats icc`, and the reference part of docs/stats.md.
int help_on_stats(const std::string& word, const Surroundings& surroundings) {
  const answers::Mode* mode = answers::find_mode(word);
  if (mode != nullptr) {
    print(mode_help(*mode, surroundings.terminal));
  } else if (word == "--reference") {
    print(stats_reference());
  } else {
    print(command_help("stats", "", surroundings.terminal));
  }
  return kDone;
}

}  // namespace

int help_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  if (words.empty()) {
    print(general_help(surroundings.terminal));
    return kDone;
  }
  if (words.front() == "--reference") {
    print(config_reference());
    return kDone;
  }
  if (words.front() == "--help" || words.front() == "-h") {
    print(command_help("help", "", surroundings.terminal));
    return kDone;
  }
  if (words.front() == "metrics") {
    print(custom::metric_reference());
    return kDone;
  }
  if (find_command(words.front()) == nullptr && find_evaluation(words.front()) == nullptr) {
    show_error(
        Error{ErrorKind::usage,
              fmt::format("no help on {}; known are {}", words.front(), fmt::join(first_words(), ", ")),
              {}},
        surroundings);
    return kBadInput;
  }
  if (words.front() == "stats" && words.size() > 1) return help_on_stats(words[1], surroundings);
  print(command_help(words.front(), words.front(), surroundings.terminal));
  return kDone;
}

}  // namespace assay
