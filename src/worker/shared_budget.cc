#include "worker/shared_budget.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace assay {
namespace {

// Two workers that ask at the same time see what the other asks for, and may both be refused.
constexpr int kTries = 4;
constexpr std::chrono::milliseconds kBetween(150);
// Of what is free a worker takes a part, so that the last of it is not held by one that needs it not.
constexpr std::int64_t kParts = 4;

std::string dollars(std::int64_t picodollars) {
  return fmt::format("${:.2f}", static_cast<double>(picodollars) / 1e12);
}

}  // namespace

std::int64_t SharedBudget::held() const {
  return local_.limit().value_or(0) - kept_before_ + promised_;
}

Task<Result<std::int64_t>> SharedBudget::more(std::int64_t needed) {
  for (int tries = 1;; ++tries) {
    // Many calls' worth, as long as there is much left: each question is a look at all that was spent.
    auto granted = co_await try_for(std::max(needed, free_ / kParts / workers_));
    // Whoever asked raises what it may spend before anybody else comes to look.
    promised_ = 0;
    if (!granted || *granted > 0) co_return granted;
    if (tries == kTries) break;
    co_await loop_.sleep(tries * kBetween);
  }
  co_return fail(
      ErrorKind::budget,
      fmt::format("the budget of {} does not hold another call, which may cost {}: {} is spent by all "
                  "workers together, and the rest is set aside for calls under way; raise budget.usd and "
                  "resume",
                  dollars(limit_), dollars(needed), dollars(spent_in_all_)));
}

Task<Result<std::int64_t>> SharedBudget::try_for(std::int64_t wanted) {
  const std::int64_t before = held();
  promised_ = wanted;
  // First it is set aside, then it is seen whether it was there: so two can never take the same.
  WorkerSign sign = own_;
  sign.held = saturating_add(before, wanted);
  auto watch = co_await board_.alive(run_, std::move(sign));
  if (!watch) co_return fail(std::move(watch.error()));
  workers_ = static_cast<std::int64_t>(std::max<std::size_t>(1, watch->alive.size()));
  std::int64_t others = 0;
  for (const WorkerSign& other : watch->alive) {
    if (other.worker != own_.worker) others = saturating_add(others, other.held);
  }
  // After that: what somebody else held no more is spent by now.
  auto totals = co_await store_.totals();
  if (!totals) co_return fail(std::move(totals.error()));
  spent_in_all_ = totals->cost_picousd;
  const std::int64_t free =
      limit_ - std::min(limit_, saturating_add(saturating_add(spent_in_all_, others), before));
  free_ = free;
  if (free < wanted) co_return 0;
  co_return wanted;
}

}  // namespace assay
