#include "cli/help/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help/evaluation_guide.h"
#include "core/version.h"
#include "evaluations/common_keys.h"
#include "evaluations/registry.h"

namespace assay {

std::string bold(std::string_view text, const Terminal& terminal) {
  return terminal.colour ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

int text_width(const Terminal& terminal) {
  return std::clamp(terminal.width, 60, 110);
}

std::string general_help(const Terminal& terminal) {
  std::string out = fmt::format(
      "{} {}: evaluates LLM systems. Every paid answer is kept, every figure has its error bars.\n\n",
      bold("assay", terminal), kVersion);
  out += bold("Start here\n", terminal);
  out +=
      "  assay demo                 every evaluation on bundled examples; needs no key and no network\n"
      "  assay init [EVALUATION]    a config with data and prompts of your own to begin with\n"
      "  assay run CONFIG           run the evaluation that a YAML file describes\n"
      "  assay check CONFIG         look at config and data, count calls, estimate cost; sends nothing\n\n";
  out += bold("Commands\n", terminal);
  for (const Command& command : commands()) {
    out += fmt::format("  {:<26} {}\n", fmt::format("{} {}", command.name, command.words), command.title);
  }
  out += "\n" + bold("Evaluations", terminal) + " (assay NAME [CONFIG] [--KEY VALUE]...)\n";
  for (const EvaluationKind& kind : evaluation_kinds())
    out += fmt::format("  {:<26} {}\n", kind.name, kind.title);
  out +=
      "\nassay help COMMAND or assay help EVALUATION tells more. Every config key is also a flag and beats "
      "the file.\n"
      "Exit codes: 0 done, 1 a gate failed, 2 bad input (nothing was sent), 3 some cases ended in error, 130 "
      "interrupted.\n";
  return out;
}

std::string command_help(std::string_view command, std::string_view evaluation, const Terminal& terminal) {
  const EvaluationKind* kind = find_evaluation(evaluation);
  std::string out;
  if (kind != nullptr) {
    out += fmt::format("{}: {}\n\nassay {} [CONFIG] [--KEY VALUE]...\n\n", bold(kind->name, terminal),
                       kind->title, kind->name);
    out += guide_text(*kind, terminal);
    out += bold("Config keys, as flags\n", terminal) + help_text(all_keys(*kind), text_width(terminal));
    out += "\n" + bold("Flags of the command\n", terminal) +
           help_text(evaluation_flags(*kind), text_width(terminal));
    return out;
  }
  const Command* found = find_command(command);
  if (found == nullptr) return general_help(terminal);
  out += fmt::format("{}: {}\n\nassay {} {}\n", bold(found->name, terminal), found->title, found->name,
                     found->words);
  if (found->help != nullptr) return out + "\n" + found->help(terminal);
  const bool runs =
      found->name == "run" || found->name == "check" || found->name == "score" || found->name == "resume";
  const Keys keys = found->name == "resume" ? resume_flags() : runs ? run_flags() : found->keys();
  if (!keys.empty()) out += "\n" + bold("Flags\n", terminal) + help_text(keys, text_width(terminal));
  if (runs) out += "\nEvery config key is a flag too: `assay help EVALUATION` lists them.\n";
  return out;
}

std::string config_reference() {
  std::string out =
      "# Config keys\n\n"
      "This page is made from the declarations in the code: `assay help --reference` prints it, and a test "
      "compares.\n\n"
      "A config is a YAML file. Each key is also a flag (`--input-path` for `input_path`, "
      "`--limits.concurrency` for a "
      "nested one, `--no-generate` for false; lists and objects are written as YAML), and a flag beats the "
      "file. An "
      "unknown key is an error. A relative path is looked up beside the config file, then in the working "
      "directory.\n\n## Common to all evaluations\n\n";
  out += reference_markdown(common_keys());
  for (const EvaluationKind& kind : evaluation_kinds()) {
    out += fmt::format("\n## {}\n\n{}\n\n{}", kind.name, kind.title, reference_markdown(kind.keys()));
  }
  return out;
}

}  // namespace assay
