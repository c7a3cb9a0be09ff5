#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "cli/help/help.h"
#include "core/json/json.h"
#include "report/judging_plan.h"
#include "runs/output.h"
#include "runs/pilot/pilot.h"

namespace assay {

Keys plan_keys() {
  return {
      {.name = "pilot",
       .type = KeyType::path,
       .help = "The directory of a small finished run.",
       .required = true},
      {.name = "figure", .help = "The judged figure to plan for; by default the first of the pilot."},
      {.name = "width",
       .type = KeyType::number,
       .help = "The figure is to be known within plus or minus this (95 %).",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "detect",
       .type = KeyType::number,
       .help = "A difference of this size between two systems on the same cases is to be seen (power 80 %).",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "format", .help = "What to write.", .default_value = "md", .choices = {"md", "json"}},
      {.name = "output", .type = KeyType::path, .help = "The file to write; by default it is printed."},
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int plan_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, plan_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("plan", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(plan_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() != 1) {
    return bad_input(
        Error{ErrorKind::usage, "which config? assay plan CONFIG --pilot DIR --width W | --detect D", {}},
        surroundings);
  }
  // The config says how many cases there are.
  const auto config = plan_from("", arguments->words[0], Arguments{}, surroundings);
  if (!config) return kBadInput;
  const auto scan = scan_data(*config->evaluation, Estimating::some);
  if (!scan) return bad_input(scan.error(), surroundings);
  const auto read = read_pilot(resolved.config.text("pilot"), resolved.config.text("figure"));
  if (!read) return bad_input(read.error(), surroundings);
  if (const std::string_view wanted = config->kind->name; read->evaluation != wanted) {
    return bad_input(
        Error{ErrorKind::usage,
              fmt::format("the pilot is a run of {}, and the config is of {}", read->evaluation, wanted),
              {{"pilot", resolved.config.text("pilot")}}},
        surroundings);
  }
  const auto plan = plan_judging(judging_pilot(*read, scan->cases),
                                 {resolved.config.number("width"), resolved.config.number("detect")});
  if (!plan) return bad_input(plan.error(), surroundings);
  const std::string text =
      resolved.config.text("format") == "json" ? pretty_text(to_json(*plan)) : markdown_plan(*plan);
  if (!resolved.config.has("output")) {
    print(text);
    return kDone;
  }
  if (auto written = write_output(resolved.config.text("output"), text); !written)
    return bad_input(written.error(), surroundings);
  return kDone;
}

}  // namespace assay
