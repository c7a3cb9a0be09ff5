// Money: what was spent, and what the calls under way may still cost. A call is started only if the budget
// holds even when everything under way costs as much as expected.
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

class Budget {
 public:
  // In picodollars; no limit if absent.
  explicit Budget(std::optional<std::int64_t> limit_picousd, std::int64_t spent_picousd = 0)
      : limit_(limit_picousd), spent_(spent_picousd) {}

  // Whether a call of that expected cost may start; if so it is reserved.
  bool reserve(std::int64_t expected) {
    if (limit_ && spent_ + reserved_ + expected > *limit_) return false;
    reserved_ += expected;
    return true;
  }
  // The call ended: the reservation is given back and what it really cost is spent.
  void settle(std::int64_t expected, std::int64_t actual) {
    reserved_ -= expected;
    spent_ += actual;
  }
  std::int64_t spent() const { return spent_; }
  std::optional<std::int64_t> limit() const { return limit_; }

 private:
  std::optional<std::int64_t> limit_;
  std::int64_t spent_ = 0;
  std::int64_t reserved_ = 0;
};

}  // namespace assay
