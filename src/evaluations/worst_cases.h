// The cases that a reader should look at first: failures, then the lowest, at most so many of each; of equals
// those that came first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "report/summary.h"

namespace assay {

class WorstCases {
 public:
  static constexpr std::size_t kKept = 30;  // failures, and others

  // Only what lies below this is worth adding.
  double threshold() const {
    if (low_.size() < kKept) return std::numeric_limits<double>::infinity();
    return low_.back().first;
  }
  // `goodness` below 0: a failure.
  void add(double goodness, NotableCase shown) {
    auto& list = goodness < 0 ? failed_ : low_;
    const auto at = std::upper_bound(list.begin(), list.end(), goodness,
                                     [](double value, const auto& entry) { return value < entry.first; });
    list.insert(at, {goodness, std::move(shown)});
    if (list.size() > kKept) list.pop_back();
  }
  std::vector<NotableCase> take() {
    std::vector<NotableCase> all;
    all.reserve(failed_.size() + low_.size());
    for (auto* list : {&failed_, &low_}) {
      for (auto& [goodness, shown] : *list) all.push_back(std::move(shown));
    }
    failed_.clear();
    low_.clear();
    return all;
  }

 private:
  using Entries = std::vector<std::pair<double, NotableCase>>;  // lowest first
  Entries failed_;
  Entries low_;
};

}  // namespace assay
