#include "runs/unfinished.h"

#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "net/event_loop.h"
#include "runs/about.h"
#include "runs/collect.h"
#include "runs/plan.h"
#include "runs/run.h"
#include "store/run_store.h"

namespace assay {

bool is_unfinished(const std::string& directory) {
  return RunStore::holds_run(directory) && file_exists(directory + "/config.yaml") &&
         !file_exists(directory + "/summary.json");
}

Result<ReportInput> report_unfinished(const std::string& directory) {
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
                       plan->config.text("what"),
                       identity.run_id,
                       identity.started,
                       "assay resume " + directory,
                       written_config(plan->config),
                       about_run(identity.evaluation, plan->config, evaluation)};
  collecting.store = store->get();
  collecting.totals = *totals;
  collecting.not_taken = NotTaken::skipped;
  collecting.gates = plan->gates;
  collecting.invalid_lines = plan->config.boolean("skip_invalid") ? InvalidLines::skip : InvalidLines::refuse;
  collecting.worked_seconds = totals->worked_seconds;
  ProblemList problems;
  auto collected = loop.run_until_done(collect_run(collecting, problems));
  if (!collected) return fail(std::move(collected.error()));
  ReportInput& report = collected->report;
  const CaseCounts& cases = report.summary.cases;
  report.summary.finished.clear();
  report.summary.conclusions.insert(
      report.summary.conclusions.begin(),
      fmt::format(
          "The run is not finished: {} of {} cases have an outcome so far. Go on with: assay resume {}",
          cases.evaluated + cases.errored, cases.total, directory));
  return std::move(report);
}

}  // namespace assay
