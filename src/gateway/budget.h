// Money: what was spent, and what the calls under way may still cost. A call is started only if the budget
// holds even when everything under way costs as much as expected.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/saturating.h"
#include "core/task.h"

namespace assay {

// A limit that no run can reach is the largest number too.
inline std::int64_t picousd(double usd) {
  constexpr double kMost = 9.2e6;  // dollars that fit
  return usd >= kMost ? std::numeric_limits<std::int64_t>::max()
                      : static_cast<std::int64_t>(std::llround(usd * 1e12));
}

class Budget {
 public:
  // In picodollars; no limit if absent.
  explicit Budget(std::optional<std::int64_t> limit_picousd) : limit_(limit_picousd) {}

  // Whether a call of that expected cost may start; if so it is reserved.
  bool reserve(std::int64_t expected) {
    assert(expected >= 0);
    if (!limit_) return true;
    if (saturating_add(saturating_add(spent_, reserved_), expected) > *limit_) return false;
    reserved_ += expected;
    return true;
  }
  // The call ended: the reservation is given back and what it really cost is spent.
  void settle(std::int64_t expected, std::int64_t actual) {
    if (limit_) reserved_ -= expected;
    assert(reserved_ >= 0);
    spend(actual);
  }
  // What was spent before, by an earlier sitting of a run.
  void spend(std::int64_t actual) { spent_ = saturating_add(spent_, actual); }
  // So much of what calls have spent is durable in the journal, where others see it.
  void keep(std::int64_t actual) { kept_ = saturating_add(kept_, actual); }
  // So much more may be spent.
  void raise(std::int64_t more) {
    if (limit_) limit_ = saturating_add(*limit_, more);
  }
  // From now on no more than what raise() allows.
  void begin_with_nothing() {
    if (limit_) limit_ = spent_;
  }
  std::int64_t spent() const { return spent_; }
  std::int64_t kept() const { return kept_; }
  std::int64_t reserved() const { return reserved_; }
  std::optional<std::int64_t> limit() const { return limit_; }

 private:
  std::optional<std::int64_t> limit_;
  std::int64_t spent_ = 0;
  std::int64_t kept_ = 0;      // of that
  std::int64_t reserved_ = 0;  // under a limit; never above it
};

// Where a process gets more to spend when others draw on the same budget.
class BudgetSource {
 public:
  virtual ~BudgetSource() = default;
  // Room for a call of that cost, or for more than one; 0 if there is none left. Asked on the gateway's home,
  // one question at a time.
  virtual Task<Result<std::int64_t>> more(std::int64_t needed) = 0;
};

}  // namespace assay
