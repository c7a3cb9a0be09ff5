#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/json/json.h"
#include "report/audit/audit.h"
#include "runs/audit/audit_runs.h"
#include "runs/output.h"

namespace assay {

Keys audit_keys() {
  return {
      {.name = "figure",
       .help = "The figure that says whether a case is solved, without the name of a variant; by default "
               "the first that all runs have."},
      {.name = "similarity",
       .type = KeyType::number,
       .help = "Texts that share this part of their runs of three words are near-duplicates.",
       .default_value = 0.7,
       .minimum = 0.3,
       .maximum = 1},
      {.name = "suspected",
       .type = KeyType::number,
       .help = "Name cases whose key is wrong with at least this probability.",
       .default_value = 0.5,
       .minimum = 0,
       .maximum = 1},
      {.name = "format", .help = "What to write.", .default_value = "md", .choices = {"md", "json", "html"}},
      {.name = "output", .type = KeyType::path, .help = "The file to write; by default it is printed."},
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int audit_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, audit_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("audit", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(audit_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.empty())
    return bad_input(Error{ErrorKind::usage, "which runs? assay audit DIR...", {}}, surroundings);
  const auto input = read_for_audit(arguments->words, resolved.config.text("figure"));
  if (!input) return bad_input(input.error(), surroundings);
  AuditOptions options;
  options.similarity = resolved.config.number("similarity").value_or(options.similarity);
  options.suspected = resolved.config.number("suspected").value_or(options.suspected);
  const auto audit = audit_cases(*input, options);
  if (!audit) return bad_input(audit.error(), surroundings);
  const std::string format = resolved.config.text("format");
  const std::string text = format == "json"   ? pretty_text(to_json(*audit))
                           : format == "html" ? html_audit(*audit, options)
                                              : markdown_audit(*audit, options);
  if (!resolved.config.has("output")) {
    print(text);
    return kDone;
  }
  if (auto written = write_output(resolved.config.text("output"), text); !written)
    return bad_input(written.error(), surroundings);
  return kDone;
}

}  // namespace assay
