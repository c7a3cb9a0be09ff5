#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/file.h"
#include "report/compare/compare.h"
#include "runs/baseline.h"
#include "runs/finished.h"
#include "runs/output.h"

namespace assay {
namespace {

std::string rendered(const RunComparison& comparison, const std::string& format) {
  if (format == "json") return pretty_text(to_json(comparison));
  if (format == "html") return html_comparison(comparison);
  if (format == "junit") return junit_comparison(comparison);
  return markdown_comparison(comparison);
}

}  // namespace

Keys compare_keys() {
  return {{.name = "format",
           .help = "What to write.",
           .default_value = "md",
           .choices = {"md", "json", "html", "junit"}},
          {.name = "output", .type = KeyType::path, .help = "The file to write; by default it is printed."},
          {.name = "fail_on_regression",
           .type = KeyType::boolean,
           .help = "Exit code 1 if the interval of any figure lies wholly on the worse side of the margin, "
                   "failed.rate among them.",
           .default_value = false},
          {.name = "margin",
           .type = KeyType::number,
           .help = "How much worse a figure may be and still be no regression.",
           .default_value = 0,
           .minimum = 0,
           .maximum = 1e9},
          baselines_key(),
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int compare_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, compare_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("compare", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(compare_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() != 2)
    return bad_input(Error{ErrorKind::usage, "which runs? assay compare BASE NEW", {}}, surroundings);
  CompareOptions options;
  options.margin = resolved.config.number("margin").value_or(0);
  const std::string baselines = resolved.config.text("baselines");
  const auto before = read_base(arguments->words[0], baselines);
  if (!before) return bad_input(before.error(), surroundings);
  const auto after = read_base(arguments->words[1], baselines);
  if (!after) return bad_input(after.error(), surroundings);
  const auto comparison = compare_finished(*before, *after, options);
  if (!comparison) return bad_input(comparison.error(), surroundings);
  const std::string text = rendered(*comparison, resolved.config.text("format"));
  if (resolved.config.has("output")) {
    if (auto written = write_output(resolved.config.text("output"), text); !written)
      return bad_input(written.error(), surroundings);
  } else {
    print(text);
  }
  if (!resolved.config.boolean("fail_on_regression")) return kDone;
  if (comparison->regressed()) return kGateFailed;
  if (!comparison->judged_differently.empty()) {
    print_error("judged differently: whether the target has become worse cannot be told from these runs\n");
  } else if (comparison->undecided()) {
    print_error(
        "undecided: these cases do not rule a regression out; no figure is known to be worse by more than "
        "the margin\n");
  }
  return kDone;
}

}  // namespace assay
