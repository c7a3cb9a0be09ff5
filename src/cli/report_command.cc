#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/file.h"
#include "report/csv.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/notable.h"
#include "report/pages/html.h"
#include "report/summary.h"
#include "runs/case_results.h"
#include "runs/finished.h"
#include "runs/output.h"
#include "runs/unfinished.h"

namespace assay {
namespace {

// Plots that the run wrote, by name; a run of an earlier version has none.
std::vector<Plot> written_plots(const std::string& directory) {
  constexpr std::string_view kEnding = ".vl.json";
  std::vector<Plot> plots;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/plots", failed)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    plots.emplace_back().name = std::move(name);
  }
  std::ranges::sort(plots, {}, &Plot::name);
  return plots;
}

// Those that the page shows; a run of an earlier version has none beside it.
Result<std::vector<NotableCase>> written_notable(const std::string& directory) {
  const std::string file = fmt::format("{}/{}", directory, kNotableFile);
  if (!file_exists(file)) return std::vector<NotableCase>();
  auto text = read_file(file);
  if (!text) return fail(std::move(text.error()));
  auto tree = parse_json(*text);
  if (!tree) return fail(std::move(tree.error()).with("file", file));
  auto cases = notable_from_json(*tree);
  if (!cases) return fail(std::move(cases.error()).with("file", file));
  return cases;
}

Result<std::string> markdown_of(const std::string& directory, Summary summary) {
  ReportInput input;
  input.summary = std::move(summary);
  input.summary.plots = written_plots(directory);
  auto notable = written_notable(directory);
  if (!notable) return fail(std::move(notable.error()));
  input.notable = std::move(*notable);
  auto results = read_case_results(directory);
  if (!results) return fail(std::move(results.error()));
  for (CaseResult& one : results->cases) {
    if (!one.error.empty()) input.problems.push_back({"error", "case " + one.id, std::move(one.error)});
  }
  input.problem_count = static_cast<std::int64_t>(input.problems.size());
  return markdown_report(input);
}

Result<std::string> rendered(const std::string& directory, const std::string& format) {
  const bool unfinished = is_unfinished(directory);
  // The page shows more than the summary holds, and was written with the run.
  if (format == "html" && !unfinished) return read_file(directory + "/report.html");
  if (unfinished && format == "junit") {
    auto found = report_unfinished_with_cases(directory);
    if (!found) return fail(std::move(found.error()));
    return junit_report(found->report.summary, found->cases);
  }
  if (unfinished) {
    auto input = report_unfinished(directory);
    if (!input) return fail(std::move(input.error()));
    if (format == "html") return html_report(*input);
    if (format == "md") return markdown_report(*input);
    if (format == "csv") return summary_csv(input->summary);
    return pretty_text(to_json(input->summary));
  }
  auto summary = read_summary(directory);
  if (!summary) return fail(std::move(summary.error()));
  if (format == "md") return markdown_of(directory, std::move(*summary));
  if (format == "csv") return summary_csv(*summary);
  if (format == "json") return pretty_text(to_json(*summary));
  auto results = read_case_results(directory);
  if (!results) return fail(std::move(results.error()));
  return junit_report(*summary, *results);
}

}  // namespace

Keys report_keys() {
  return {{.name = "format",
           .help = "What to write.",
           .default_value = "md",
           .choices = {"html", "md", "json", "junit", "csv"}},
          {.name = "output", .type = KeyType::path, .help = "The file to write; by default it is printed."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int report_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, report_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("report", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(report_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() != 1)
    return bad_input(Error{ErrorKind::usage, "which run? assay report DIR", {}}, surroundings);
  auto text = rendered(arguments->words[0], resolved.config.text("format"));
  if (!text) return bad_input(text.error(), surroundings);
  if (resolved.config.has("output")) {
    if (auto written = write_output(resolved.config.text("output"), *text); !written)
      return bad_input(written.error(), surroundings);
  } else {
    print(*text);
  }
  return kDone;
}

}  // namespace assay
