#include "runs/unfinished.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "net/event_loop.h"
#include "runs/about.h"
#include "runs/case_results.h"
#include "runs/collect.h"
#include "runs/collecting/problem_log.h"
#include "runs/plan.h"
#include "runs/run.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {

bool is_unfinished(const std::string& directory) {
  return RunStore::holds_run(directory) && file_exists(directory + "/config.yaml") &&
         (!file_exists(directory + "/summary.json") || is_seal_broken(directory));
}

namespace {

std::string so_far_words(const CaseCounts& cases, const std::string& directory) {
  const std::int64_t done = cases.evaluated + cases.errored;
  if (RunStore::is_locked(directory))
    return fmt::format("The run goes on: {} of {} cases have an outcome so far.", done, cases.total);
  return fmt::format(
      "The run is not finished: {} of {} cases have an outcome so far. Go on with: assay resume {}", done,
      cases.total, directory);
}

Result<ReportInput> report_so_far(const std::string& directory,
                                  std::function<void(std::string_view line)> hear_line) {
  auto plan = make_run_plan({.config_file = directory + "/config.yaml"});
  if (!plan) {
    if (plan.error().error) return fail(std::move(*plan.error().error));
    const ConfigProblem& first = plan.error().problems.front();
    return fail(Error{ErrorKind::config, first.text, {{"file", first.where}, {"key", first.key}}});
  }
  EventLoop loop;
  auto store = RunStore::open(directory, nullptr);
  if (!store) return fail(std::move(store.error()));
  auto totals = loop.run_until_done((*store)->totals());
  if (!totals) return fail(std::move(totals.error()));
  Evaluation& evaluation = *plan->evaluation;
  const RunIdentity& identity = (*store)->identity();
  if (evaluation.goes_on()) {
    if (auto recalled = loop.run_until_done(recall_outcomes(evaluation, **store)); !recalled)
      return fail(std::move(recalled.error()));
    if (auto ready = evaluation.prepare(directory, {identity.run_id, identity.started}); !ready)
      return fail(std::move(ready.error()));
  }
  CollectRequest collecting{.evaluation = evaluation};
  collecting.header = {identity.evaluation,
                       plan->config.shown_text("what"),
                       identity.run_id,
                       identity.started,
                       "assay resume " + directory,
                       written_config(plan->config),
                       about_run(identity.evaluation, plan->config, evaluation)};
  collecting.store = store->get();
  collecting.gates = plan->gates;
  collecting.invalid_lines = plan->config.boolean("skip_invalid") ? InvalidLines::skip : InvalidLines::refuse;
  collecting.hear_line = std::move(hear_line);
  RunEnding ending;
  ending.totals = *totals;
  ending.not_taken = NotTaken::open;
  ending.worked_seconds = totals->worked_seconds;
  ProblemList problems;
  auto collected = loop.run_until_done(collect_run(std::move(collecting), std::move(ending), problems));
  if (!collected) return fail(std::move(collected.error()));
  ReportInput& report = collected->report;
  report.summary.finished.clear();
  report.summary.conclusions.insert(report.summary.conclusions.begin(),
                                    so_far_words(report.summary.cases, directory));
  if (auto why = why_stopped(directory)) {
    report.problems.insert(report.problems.begin(), std::move(*why));
    ++report.problem_count;
  }
  return std::move(report);
}

}  // namespace

Result<ReportInput> report_unfinished(const std::string& directory) {
  return report_so_far(directory, nullptr);
}

Result<UnfinishedReport> report_unfinished_with_cases(const std::string& directory) {
  CaseResultLines lines;
  Status heard;
  auto report = report_so_far(directory, [&](std::string_view line) {
    if (heard) heard = lines.add(line);
  });
  if (!report) return fail(std::move(report.error()));
  if (!heard) return fail(std::move(heard.error()));
  UnfinishedReport found{std::move(*report), lines.take()};
  const CaseCounts& counts = found.report.summary.cases;
  found.cases.not_begun = counts.open;
  return found;
}

}  // namespace assay
