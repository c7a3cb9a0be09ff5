#include "runs/show/whole_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "report/notable.h"
#include "report/plots/plot.h"
#include "runs/collecting/problem_log.h"
#include "runs/finished.h"
#include "runs/unfinished.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProblems = 200;
constexpr std::string_view kPlotEnding = ".vl.json";

std::vector<std::string> names_in(const std::string& directory, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator it(directory, ignored), end; it != end; it.increment(ignored)) {
    std::string name = it->path().filename().string();
    if (name.ends_with(ending)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

// A plot says in its file what it was in the report: title and caption by the spec itself, its place and
// whether it is wide by what collecting noted beside them. Runs of an earlier version did not note it.
std::vector<Plot> written_plots(const std::string& directory) {
  std::multimap<std::int64_t, Plot> placed;
  for (const std::string& name : names_in(directory + "/plots", kPlotEnding)) {
    const auto text = read_file(fmt::format("{}/plots/{}", directory, name));
    auto spec = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    if (!spec) continue;
    Plot plot;
    plot.name = name.substr(0, name.size() - kPlotEnding.size());
    if (const Json* title = find_pointer(*spec, "/title/text")) plot.title = as_text(*title).value_or("");
    const std::string described = text_at(*spec, "description");
    const std::string before = plot.title + ". ";
    if (described.starts_with(before)) plot.caption = described.substr(before.size());
    const Json* wide = find_pointer(*spec, "/usermeta/wide");
    plot.wide = wide != nullptr && as_boolean(*wide).value_or(false);
    const Json* place = find_pointer(*spec, "/usermeta/place");
    const std::int64_t number = place == nullptr ? 0 : as_integer(*place).value_or(0);
    plot.spec = std::move(*spec);
    placed.emplace(number, std::move(plot));
  }
  std::vector<Plot> plots;
  for (auto& [place, plot] : placed) plots.push_back(std::move(plot));
  return plots;
}

void read_problems(const std::string& directory, ReportInput& report) {
  const auto text = read_file(fmt::format("{}/{}", directory, kProblemsFile));
  if (!text) return;
  for (const std::string_view line : split_lines(*text)) {
    if (line.empty()) continue;
    ++report.problem_count;
    if (report.problems.size() < kMostProblems) report.problems.push_back(read_problem(line));
  }
}

Result<ReportInput> show_finished(const std::string& directory) {
  auto summary = read_summary(directory);
  if (!summary) return fail(std::move(summary.error()));
  ReportInput report;
  report.summary = std::move(*summary);
  report.summary.plots = written_plots(directory);
  const auto text = read_file(fmt::format("{}/{}", directory, kNotableFile));
  const auto tree = text ? parse_json(*text) : Result<Json>(fail(text.error()));
  if (tree) {
    if (auto notable = notable_from_json(*tree)) report.notable = std::move(*notable);
  }
  read_problems(directory, report);
  report.config_yaml = read_file(directory + "/config.yaml").value_or("");
  report.command = fmt::format("assay run {0}/config.yaml --output-dir {0}-again", directory);
  for (std::string& name : names_in(directory, ".html")) {
    if (name != "report.html") report.pages.push_back(std::move(name));
  }
  return report;
}

}  // namespace

Result<ReportInput> show_run(const std::string& directory) {
  return is_unfinished(directory) ? report_unfinished(directory) : show_finished(directory);
}

}  // namespace assay
