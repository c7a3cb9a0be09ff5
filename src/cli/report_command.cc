#include <algorithm>
#include <filesystem>
#include <system_error>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/file.h"
#include "core/json/jsonl.h"
#include "report/csv.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/summary.h"
#include "runs/finished.h"

namespace assay {
namespace {

constexpr std::size_t kErroredCases = 1000;

// Cases that ended in error, for formats that list them; the first thousand.
Result<std::vector<NotableCase>> errored_cases(const std::string& directory) {
  std::vector<NotableCase> cases;
  auto reader = LineReader::open(directory + "/results.jsonl");
  if (!reader) return fail(std::move(reader.error()));
  LineParser parser({"id", "outcome", "error"});
  while (cases.size() < kErroredCases) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (auto parsed = parser.parse(**line); !parsed)
      return fail(std::move(parsed.error()).with("file", directory + "/results.jsonl"));
    if (parser.field(1).text == "scored") continue;
    cases.push_back({std::string(parser.field(0).text),
                     std::string(parser.field(1).text),
                     {{"error", std::string(parser.field(2).text)}}});
  }
  return cases;
}

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

Result<ReportInput> load(const std::string& directory) {
  auto summary = read_summary(directory);
  if (!summary) return fail(std::move(summary.error()));
  auto cases = errored_cases(directory);
  if (!cases) return fail(std::move(cases.error()));
  ReportInput input;
  input.summary = std::move(*summary);
  input.summary.plots = written_plots(directory);
  for (const NotableCase& errored : *cases) {
    input.problems.push_back({"error", "case " + errored.id, errored.fields.front().second});
  }
  input.problem_count = static_cast<std::int64_t>(input.problems.size());
  input.notable = std::move(*cases);
  return input;
}

Result<std::string> rendered(const std::string& directory, const std::string& format) {
  // The page shows more than the summary holds, and was written with the run.
  if (format == "html") return read_file(directory + "/report.html");
  auto input = load(directory);
  if (!input) return fail(std::move(input.error()));
  if (format == "md") return markdown_report(*input);
  if (format == "junit") return junit_report(*input);
  if (format == "csv") return summary_csv(input->summary);
  return pretty_text(to_json(input->summary));
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
    if (auto written = write_file(resolved.config.text("output"), *text); !written)
      return bad_input(written.error(), surroundings);
  } else {
    print(*text);
  }
  return kDone;
}

}  // namespace assay
