#include "runs/collect.h"

#include <utility>

#include "core/file.h"
#include "engine/case_feed.h"
#include "engine/runner.h"
#include "runs/outcome_cursor.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;  // outcomes that are in memory at a time
constexpr std::int64_t kSomeCases = 32;

}  // namespace

Task<Status> hear_outcomes(const Evaluation& evaluation, RunStore& store,
                           std::function<void(const Case& input, const Outcome& outcome)> hear,
                           std::function<Task<void>()> ready) {
  OutcomeCursor outcomes(store);
  CaseFeed feed(evaluation);
  for (;;) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) co_return Status();
    auto finished = co_await outcomes.at((*next)->index);
    if (!finished) co_return fail(std::move(finished.error()));
    if (!*finished) continue;
    hear(**next, (*finished)->outcome);
    if (ready) co_await ready();
  }
}

Task<Status> recall_outcomes(Evaluation& evaluation, RunStore& store) {
  for (std::int64_t first = 0;;) {
    auto page = co_await store.outcomes(first, kPage);
    if (!page) co_return fail(std::move(page.error()));
    for (const OutcomeRow& row : *page) evaluation.recall(row.case_id, read_finished(row).outcome);
    if (page->size() < kPage) co_return Status();
    first = page->back().case_index + 1;
  }
}

Task<Status> look_at_earlier(Evaluation& evaluation, std::string directory) {
  if (!evaluation.goes_on() || !directory_exists(directory)) co_return Status();
  if (RunStore::holds_run(directory)) {
    auto store = RunStore::open(directory, nullptr);
    if (!store) co_return fail(std::move(store.error()));
    if (auto recalled = co_await recall_outcomes(evaluation, **store); !recalled) co_return recalled;
  }
  co_return evaluation.prepare(directory, {});
}

std::optional<double> Scan::calls_a_case() const {
  if (estimated == 0) return std::nullopt;
  std::int64_t calls = estimate.target_calls;
  for (const auto& [model, asked] : estimate.models) calls += asked.calls;
  return static_cast<double>(calls) / static_cast<double>(estimated);
}

namespace {

void take_estimate(const Evaluation& evaluation, const Case& one, Scan& scan) {
  CallEstimate own;
  evaluation.estimate(one, own);
  scan.estimate.add(own);
  for (const auto& [part, more] : own.parts) scan.estimate.parts[part].add(more);
  for (const auto& [model, asked] : own.models) {
    if (asked.calls <= 0) continue;
    const std::int64_t tokens = asked.prompt_tokens / asked.calls;
    Scan::Longest& longest = scan.longest[model];
    if (tokens > longest.tokens) longest = {one.id, tokens};
  }
}

Status scan_beside(const Evaluation& evaluation, Estimating estimating, Scan& scan) {
  const CaseWork* beside = evaluation.beside();
  if (beside == nullptr) return {};
  auto source = beside->cases();
  if (!source) return fail(std::move(source.error()));
  CallEstimate whole;
  for (;;) {
    auto more = (*source)->next();
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    ++scan.beside;
    if (estimating == Estimating::all) beside->estimate((*source)->current(), whole);
  }
  if (estimating == Estimating::all) scan.estimate.add_part("anchors", whole);
  return {};
}

}  // namespace

Result<Scan> scan_data(const Evaluation& evaluation, Estimating estimating) {
  auto source = evaluation.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  Scan scan;
  for (;;) {
    auto more = (*source)->next();
    for (Problem& problem : (*source)->take_problems()) scan.problems.add(std::move(problem));
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    ++scan.cases;
    if (estimating == Estimating::some && scan.estimated == kSomeCases) continue;
    take_estimate(evaluation, (*source)->current(), scan);
    ++scan.estimated;
  }
  scan.unit = (*source)->unit();
  scan.lines = (*source)->lines();
  scan.invalid = (*source)->invalid();
  if (estimating == Estimating::all) scan.left_out = (*source)->left_out();
  if (auto more = scan_beside(evaluation, estimating, scan); !more) return fail(std::move(more.error()));
  return scan;
}

Task<Result<Collected>> collect_run(CollectRequest request, RunEnding ending, ProblemList& problems) {
  auto collection = Collection::begin(std::move(request));
  if (!collection) co_return fail(std::move(collection.error()));
  auto taken = co_await (*collection)->take_rest(std::move(ending));
  problems = (*collection)->problems();
  if (!taken) co_return fail(std::move(taken.error()));
  co_return (*collection)->finish();
}

}  // namespace assay
