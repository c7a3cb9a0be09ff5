#include "runs/show/opened_run.h"

#include <utility>

#include <boost/json/object.hpp>

#include "core/file.h"
#include "core/sha256.h"
#include "evaluations/result_line.h"
#include "runs/directory.h"
#include "runs/list.h"
#include "runs/show/hashed_files.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;

Error first_problem(PlanProblems problems) {
  if (problems.error) return std::move(*problems.error);
  const ConfigProblem& first = problems.problems.front();
  return {ErrorKind::config, first.text, {{"file", first.where}, {"key", first.key}}};
}

std::int64_t sitting_of(const FinishedCase& finished) {
  const Json* sitting = finished.outcome.result.if_contains("sitting");
  return sitting != nullptr ? as_integer(*sitting).value_or(0) : 0;
}

// A case of such an evaluation has another index in each sitting; what was recalled decides which is next.
Task<Status> read_sittings(OpenedRun& run) {
  for (std::int64_t first = 0;;) {
    auto page = co_await run.store->outcomes(first, kPage);
    if (!page) co_return fail(std::move(page.error()));
    for (const OutcomeRow& row : *page) {
      FinishedCase finished = read_finished(row);
      run.evaluation->recall(row.case_id, finished.outcome);
      const auto [there, fresh] = run.last_sittings.try_emplace(row.case_id, finished);
      if (!fresh && sitting_of(finished) > sitting_of(there->second)) there->second = std::move(finished);
    }
    if (page->size() < kPage) co_return Status();
    first = page->back().case_index + 1;
  }
}

// What was asked for other data says nothing of these.
Status check_data(const OpenedRun& run, HashedFiles* hashes) {
  if (run.store == nullptr || run.store->identity().data_hash.empty()) return {};
  const std::string path = run.evaluation->data_path();
  auto hash = hashes != nullptr ? hashes->sha256(path) : sha256_of_file(path);
  if (!hash) return fail(std::move(hash.error()));
  if (*hash == run.store->identity().data_hash) return {};
  return fail(Error{ErrorKind::changed, "the data changed since the run began", {{"file", path}}});
}

}  // namespace

Status check_run_directory(const std::string& directory) {
  if (!directory_exists(directory)) return fail(file_error(directory, "open the run", 2));
  if (is_run_directory(directory)) return {};
  return fail(Error{ErrorKind::usage,
                    "this is not the directory of a run: it holds no config.yaml with a journal or results",
                    {{"directory", directory}}});
}

Result<std::unique_ptr<OpenedRun>> OpenedRun::open(const std::string& directory, Data data,
                                                   HashedFiles* hashes) {
  auto run = std::make_unique<OpenedRun>();
  if (RunStore::holds_run(directory)) {
    auto store = RunStore::open(directory, nullptr);
    if (!store) return fail(std::move(store.error()));
    run->store = std::move(*store);
  } else if (!file_exists(directory + "/results.jsonl")) {
    return fail(Error{ErrorKind::usage, "the run has no answer yet", {{"directory", directory}}});
  }
  auto plan = make_run_plan({.config_file = directory + "/config.yaml"});
  if (!plan) {
    run->no_evaluation = first_problem(std::move(plan.error()));
    return run;
  }
  run->plan = std::move(*plan);
  run->evaluation = run->plan->evaluation.get();
  if (auto same = data == Data::unknown ? check_data(*run, hashes) : Status(); !same) {
    run->no_evaluation = std::move(same.error());
    run->evaluation = nullptr;
    return run;
  }
  if (run->store != nullptr && run->evaluation->goes_on()) {
    if (auto read = run->loop.run_until_done(read_sittings(*run)); !read)
      return fail(std::move(read.error()));
  }
  return run;
}

Task<Result<std::optional<FinishedCase>>> finished_case(const OpenedRun& run, OutcomeCursor& outcomes,
                                                        const Case& input) {
  if (run.evaluation->goes_on()) {
    const auto last = run.last_sittings.find(input.id);
    if (last == run.last_sittings.end()) co_return std::nullopt;
    co_return last->second;
  }
  co_return co_await outcomes.at(input.index);
}

LineOfCase result_of(const Evaluation& evaluation, const Case& input, const FinishedCase& finished) {
  ResultLine line;
  line.begin(&finished);
  evaluation.line(input, &finished, line);
  LineOfCase result{std::string(line.whole(input, &finished)), std::nullopt, ""};
  for (const auto& [goodness, shown] : line.notable()) {
    if (result.goodness && *result.goodness <= goodness) continue;
    result.goodness = goodness;
    result.why = shown.why;
  }
  return result;
}

}  // namespace assay
