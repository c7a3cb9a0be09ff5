// The cases that a reader should look at first: failures, then the lowest, many of each; of equals those that
// came first. Bounded in number and in bytes, so that neither memory nor a report grows with the cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "report/summary.h"

namespace assay {

// The order of `first`, and among equals that of `second`; both from 0 to 1.
inline double then_by(double first, double second) {
  return first + 1e-6 * second;
}

class WorstCases {
 public:
  static constexpr std::size_t kKept = 200;            // failures, and others
  static constexpr std::size_t kCaseBytes = 60'000;    // of one case; longer fields are cut
  static constexpr std::size_t kAllBytes = 2'000'000;  // of all that are shown
  static constexpr std::size_t kFewest = 20;           // are shown whatever their size

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
    bound(shown);
    list.insert(at, {goodness, std::move(shown)});
    if (list.size() > kKept) list.pop_back();
  }
  std::vector<NotableCase> take() {
    std::vector<NotableCase> all;
    all.reserve(failed_.size() + low_.size());
    std::size_t bytes = 0;
    for (auto* list : {&failed_, &low_}) {
      for (auto& [goodness, shown] : *list) {
        bytes += size_of(shown);
        if (bytes <= kAllBytes || all.size() < kFewest) all.push_back(std::move(shown));
      }
      list->clear();
    }
    return all;
  }

 private:
  static std::size_t size_of(const NotableCase& shown) {
    std::size_t bytes = shown.id.size() + shown.why.size();
    for (const auto& [name, text] : shown.fields) bytes += name.size() + text.size();
    return bytes;
  }
  // Each field gets its share of what a case may have; what the short ones leave goes to the long ones.
  static void bound(NotableCase& shown) {
    std::size_t left = kCaseBytes;
    std::size_t fields = shown.fields.size();
    if (size_of(shown) <= left) return;
    for (auto& [name, text] : shown.fields) {
      const std::size_t share = left / fields--;
      if (text.size() > share) text = shorten(text, share);
      left -= text.size();
    }
  }

  using Entries = std::vector<std::pair<double, NotableCase>>;  // lowest first
  Entries failed_;
  Entries low_;
};

}  // namespace assay
