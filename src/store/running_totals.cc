#include "store/running_totals.h"

#include <cmath>
#include <string_view>

#include "core/saturating.h"

namespace assay {
namespace {

constexpr std::string_view kSimulated = "sim/";

void add_to(std::int64_t& sum, std::int64_t more) {
  sum = saturating_add(sum, more);
}

}  // namespace

void RunningTotals::begin(const RunTotals& earlier) {
  const std::lock_guard guard(mutex_);
  sums_ = earlier;
  earlier_ms_ = std::llround(earlier.worked_seconds * 1000) - worked_ms_;
  simulated_ = {earlier.simulated.begin(), earlier.simulated.end()};
}

void RunningTotals::Adding::add(const EffectRow& row) {
  if (row.key.case_index < 0) return;  // of the run itself: what it has asked is in the rows of the cases
  RunTotals& sums = totals_.sums_;
  add_to(sums.cost_picousd, row.cost_picousd.value_or(0));
  const bool paid = row.kind == "model" || row.kind == "embedding" || row.kind == "promptql";
  if (!row.cost_picousd && paid) sums.cost_known = false;
  if (row.model.starts_with(kSimulated) && !totals_.simulated_.contains(row.model))
    totals_.simulated_.insert(row.model);
  if (row.reused) {
    ++sums.reused;
    return;
  }
  add_to(sums.requests, row.tries);
  add_to(sums.prompt_tokens, row.prompt_tokens);
  add_to(sums.completion_tokens, row.completion_tokens);
  add_to(sums.cached_tokens, row.cached_tokens);
  add_to(sums.reasoning_tokens, row.reasoning_tokens);
  add_to(sums.retries, row.tries - 1);
  if (row.kind == "model" && row.key.attempt > 1) ++sums.repairs;
}

RunTotals RunningTotals::now() const {
  const std::lock_guard guard(mutex_);
  RunTotals totals = sums_;
  totals.worked_seconds = static_cast<double>(earlier_ms_ + worked_ms_) / 1000;
  totals.simulated = {simulated_.begin(), simulated_.end()};
  return totals;
}

}  // namespace assay
