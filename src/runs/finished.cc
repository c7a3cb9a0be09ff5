#include "runs/finished.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/yaml.h"
#include "evaluations/judge_config.h"
#include "evaluations/registry.h"
#include "runs/baseline.h"
#include "runs/judges/judged_answers.h"
#include "runs/passed.h"

namespace assay {
namespace {

enum Field : std::size_t { kId, kCluster, kOutcome, kScores, kQuestion, kMessage, kError, kPassed, kMetrics };

// The scores of one line, by the run's list of figures, which grows as new ones are met.
void read_scores(const Json& scores, RunScores& run, ScoredCase& one) {
  if (!scores.is_object()) return;
  for (const auto& [name, value] : scores.get_object()) {
    auto at = std::find(run.figures.begin(), run.figures.end(), std::string_view(name));
    if (at == run.figures.end()) at = run.figures.emplace(run.figures.end(), name);
    const auto position = static_cast<std::size_t>(at - run.figures.begin());
    if (one.scores.size() <= position) one.scores.resize(position + 1);
    one.scores[position] = as_number(value);
  }
}

}  // namespace

Status read_case_scores(LineReader& reader, const std::string& file, RunScores& run) {
  LineParser parser(
      {"id", "cluster", "outcome", "scores", "question", "message", "error", "passed", "metrics"});
  bool failed = false;  // some case did: then there is something to compare without any score
  for (;;) {
    auto line = reader.next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (auto parsed = parser.parse(**line); !parsed)
      return fail(std::move(parsed.error()).with("file", file).with("line", std::to_string((*line)->number)));
    ScoredCase one;
    one.id = parser.field(kId).text;
    one.cluster = parser.field(kCluster).text;
    one.outcome = parser.field(kOutcome).text;
    one.text = parser.field(kQuestion).present() ? parser.field(kQuestion).text : parser.field(kMessage).text;
    one.error = parser.field(kError).text;
    failed = failed || (!one.outcome.empty() && one.outcome != "scored" && one.outcome != "skipped");
    read_scores(parser.tree(kScores), run, one);
    one.passed = passed_of(parser.field(kPassed), parser.tree(kMetrics));
    run.cases.push_back(std::move(one));
  }
  if (run.figures.empty() && !failed) {
    return fail(Error{
        ErrorKind::data,
        "no case has scores to compare; runs of an older version have none: run it again, with --reuse for "
        "the answers",
        {{"file", file}}});
  }
  return {};
}

void take_config(JsonObject config, RunScores& run) {
  run.config = std::move(config);
  run.judging = marking_of(run.summary.evaluation, run.config);
  const EvaluationKind* kind = find_evaluation(run.summary.evaluation);
  if (kind == nullptr) return;
  // Where a run was written and how fast it went makes no difference.
  for (const Key& key : all_keys(*kind)) {
    if (key.decides == Decides::nothing) run.config.erase(key.name);
  }
}

Result<Summary> read_summary(const std::string& directory) {
  if (!directory_exists(directory)) return fail(file_error(directory, "open the run", 2));
  if (!file_exists(directory + "/config.yaml")) {
    return fail(Error{ErrorKind::usage,
                      "there is no config.yaml: this is not the directory of a run",
                      {{"directory", directory}}});
  }
  if (!file_exists(directory + "/summary.json")) {
    return fail(
        Error{ErrorKind::usage,
              fmt::format("the run is not finished: there is no summary.json; go on with: assay resume {}",
                          directory),
              {{"directory", directory}}});
  }
  auto text = read_file(directory + "/summary.json");
  if (!text) return fail(std::move(text.error()));
  auto tree = parse_json(*text);
  if (!tree) return fail(std::move(tree.error()).with("file", directory + "/summary.json"));
  auto summary = summary_from_json(*tree);
  if (!summary) return fail(std::move(summary.error()).with("file", directory + "/summary.json"));
  return summary;
}

Result<RunScores> read_run_scores(const std::string& directory) {
  auto summary = read_summary(directory);
  if (!summary) return fail(std::move(summary.error()));
  RunScores run;
  run.directory = directory;
  run.summary = std::move(*summary);
  auto config = read_file(directory + "/config.yaml");
  if (!config) return fail(std::move(config.error()));
  auto yaml = parse_yaml(*config);
  if (!yaml) return fail(std::move(yaml.error()).with("file", directory + "/config.yaml"));
  take_config(yaml->value.is_object() ? std::move(yaml->value.get_object()) : JsonObject(), run);
  const std::string results = directory + "/results.jsonl";
  auto reader = LineReader::open(results);
  if (!reader) return fail(std::move(reader.error()));
  if (auto read = read_case_scores(*reader, results, run); !read) return fail(std::move(read.error()));
  return run;
}

Result<RunComparison> compare_finished(const std::string& base, const std::string& fresh,
                                       const CompareOptions& options) {
  auto before = read_run_scores(base);
  if (!before) return fail(std::move(before.error()));
  auto after = read_run_scores(fresh);
  if (!after) return fail(std::move(after.error()));
  return compare_finished(*before, *after, options);
}

Result<RunComparison> compare_finished(const RunScores& before, const RunScores& after,
                                       const CompareOptions& options) {
  auto comparison = compare_runs(before, after, options);
  if (!comparison || comparison->judged_differently.empty()) return comparison;
  // A baseline has kept scores, not what was judged.
  if (before.directory.starts_with(kBaselineMark) || after.directory.starts_with(kBaselineMark))
    return comparison;
  const auto answers = judged_answers(before, after);
  if (!answers) return fail(answers.error());
  comparison->judges = compare_judges(before, after, *answers);
  if (auto reasons = add_reasons(before, after, *comparison->judges); !reasons)
    return fail(std::move(reasons.error()));
  return comparison;
}

Result<std::vector<RunCheck>> verify_finished(const EvaluationKind& kind, const std::string& directory) {
  if (kind.verify == nullptr)
    return fail(ErrorKind::usage, fmt::format("{} has nothing to check in its files", kind.name));
  return kind.verify(directory);
}

}  // namespace assay
