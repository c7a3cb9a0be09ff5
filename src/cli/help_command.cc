#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/help.h"
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

std::string flags_of(const Keys& keys) {
  std::string flags;
  for (const std::string& name : flag_names(keys)) flags += (flags.empty() ? "--" : " --") + name;
  return flags;
}

// One line per first word: "name) flags…".
std::vector<std::pair<std::string, std::string>> flags_by_word() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Command& command : commands()) list.emplace_back(command.name, flags_of(command.keys()));
  for (const EvaluationKind& kind : evaluation_kinds())
    list.emplace_back(kind.name, flags_of(all_keys(kind)) + " " + flags_of(evaluation_flags(kind)));
  return list;
}

std::string bash_completion() {
  std::string out =
      "_assay() {\n  local current=\"${COMP_WORDS[COMP_CWORD]}\" flags=\"\"\n  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  out +=
      fmt::format("    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n    return\n  fi\n",
                  fmt::join(first_words(), " "));
  out += "  case \"${COMP_WORDS[1]}\" in\n";
  for (const auto& [word, flags] : flags_by_word())
    out += fmt::format("    {}) flags=\"{}\" ;;\n", word, flags);
  out +=
      "  esac\n  case \"$current\" in\n    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n  esac\n}\ncomplete -o filenames -F _assay "
      "assay\n";
  return out;
}

std::string zsh_completion() {
  std::string out = "#compdef assay\n_assay() {\n  if (( CURRENT == 2 )); then\n";
  out += fmt::format(
      "    compadd -- {} --help --version\n    return\n  fi\n  local -a flags\n  case \"$words[2]\" in\n",
      fmt::join(first_words(), " "));
  for (const auto& [word, flags] : flags_by_word())
    out += fmt::format("    {}) flags=({}) ;;\n", word, flags);
  out +=
      "  esac\n  if [[ \"$words[CURRENT]\" == -* ]]; then\n    compadd -- $flags\n  else\n    _files\n  "
      "fi\n}\ncompdef _assay assay\n";
  return out;
}

std::string fish_completion() {
  std::string out =
      fmt::format("complete -c assay -n __fish_use_subcommand -a '{}'\n", fmt::join(first_words(), " "));
  for (const Command& command : commands()) {
    for (const std::string& flag : flag_names(command.keys())) {
      out += fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}' -l {}\n", command.name, flag);
    }
  }
  return out;
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

int completion_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  const std::string shell = words.empty() ? "" : words.front();
  if (shell == "bash") {
    print(bash_completion());
  } else if (shell == "zsh") {
    print(zsh_completion());
  } else if (shell == "fish") {
    print(fish_completion());
  } else {
    show_error(Error{ErrorKind::usage,
                     "which shell? assay completion bash|zsh|fish; for bash: source <(assay completion bash)",
                     {}},
               surroundings);
    return kBadInput;
  }
  return kDone;
}

}  // namespace assay
