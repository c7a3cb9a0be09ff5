#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "core/json/json.h"
#include "report/cases/case_view.h"
#include "report/words.h"
#include "runs/show/listed_cases.h"
#include "runs/show/whole_case.h"

namespace assay {
namespace {

TerminalStyle style_of(const Terminal& terminal) {
  TerminalStyle style;
  style.colour = terminal.colour ? Colour::ansi : Colour::none;
  style.width = static_cast<std::size_t>(terminal.width);
  return style;
}

CasesWanted wanted_by(const Config& config) {
  CasesWanted wanted;
  wanted.failed = config.boolean("failed");
  if (const auto worst = config.integer("worst")) wanted.worst = static_cast<std::size_t>(*worst);
  if (const auto limit = config.integer("limit")) wanted.limit = static_cast<std::size_t>(*limit);
  return wanted;
}

// "3 of 120 cases; 12 more have not begun"
std::string count_words_of(const CasesListed& listed, const CasesWanted& wanted) {
  std::string words = counted_words(listed.told, "case", "cases");
  if (listed.told < listed.fitting)
    words = fmt::format("{} of {}", count_words(listed.told), counted_words(listed.fitting, "case", "cases"));
  if (wanted.failed) words += " that failed";
  if (!listed.finished)
    words += fmt::format("; the run is not finished, {} not begun",
                         counted_words(listed.not_begun, "case has", "cases have"));
  return words;
}

int show_table(const std::string& directory, const Config& config, const Surroundings& surroundings) {
  const CasesWanted wanted = wanted_by(config);
  CaseTable table(style_of(surroundings.terminal));
  auto listed = list_cases(directory, wanted, [&](const CaseGlance& one) { print(table.add(one)); });
  if (!listed) return bad_input(listed.error(), surroundings);
  print(table.end());
  print(count_words_of(*listed, wanted) + "\n");
  return kDone;
}

int show_list(const std::string& directory, const Config& config, const Surroundings& surroundings) {
  std::string before = "[\n";
  auto listed = list_cases(directory, wanted_by(config), [&](const CaseGlance& one) {
    print(before + to_text(to_json(one)));
    before = ",\n";
  });
  if (!listed) return bad_input(listed.error(), surroundings);
  print(listed->told == 0 ? "[]\n" : "\n]\n");
  return kDone;
}

int show_one(const std::string& directory, const std::string& id, bool json,
             const Surroundings& surroundings) {
  auto view = show_case(directory, id);
  if (!view) return bad_input(view.error(), surroundings);
  print(json ? pretty_text(to_json(*view)) : case_page(*view, style_of(surroundings.terminal)));
  return kDone;
}

}  // namespace

Keys show_keys() {
  return {
      {.name = "failed", .type = KeyType::boolean, .help = "List cases that failed or did not pass only."},
      {.name = "worst",
       .type = KeyType::integer,
       .help = "List so many, as the report shows them: failures first, then the lowest.",
       .minimum = 1,
       .maximum = 1e6},
      {.name = "limit",
       .type = KeyType::integer,
       .help = "List no more than so many.",
       .minimum = 1,
       .maximum = 1e15},
      format_key(),
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int show_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, show_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("show", "", *arguments, surroundings)) return kDone;
  const ResolvedConfig resolved = resolve_config(show_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.empty() || arguments->words.size() > 2)
    return bad_input({ErrorKind::usage, "which run? assay show DIR [CASE]", {}}, surroundings);
  std::string directory = arguments->words.front();
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  const Config& config = resolved.config;
  const bool json = wants_json(config);
  if (arguments->words.size() == 1)
    return json ? show_list(directory, config, surroundings) : show_table(directory, config, surroundings);
  if (config.boolean("failed") || config.has("worst") || config.has("limit"))
    return bad_input({ErrorKind::usage,
                      "--failed, --worst and --limit are for the list: assay show DIR without a case",
                      {}},
                     surroundings);
  return show_one(directory, arguments->words[1], json, surroundings);
}

}  // namespace assay
