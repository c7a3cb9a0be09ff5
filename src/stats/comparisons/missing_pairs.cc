#include "stats/comparisons/missing_pairs.h"

#include <utility>

#include "stats/comparisons/pairs.h"

namespace assay {

void MissingPairs::add(Interval difference, const std::string& reason, const std::string& cluster) {
  differences_.push_back(difference);
  clusters_.push_back(cluster);
  ++reasons_[reason];
}

void MissingPairs::lacks_first(double second, const std::string& reason, const std::string& cluster) {
  const Interval range = range_.value_or(Interval{});
  add({range.low - second, range.high - second}, reason, cluster);
}

void MissingPairs::lacks_second(double first, const std::string& reason, const std::string& cluster) {
  const Interval range = range_.value_or(Interval{});
  add({first - range.high, first - range.low}, reason, cluster);
}

Estimate MissingPairs::added_to(Estimate difference) const {
  if (differences_.empty()) return difference;
  for (const auto& [reason, number] : reasons_) difference.missing[reason] += number;
  if (!range_) return difference;
  const double paired = difference.value ? static_cast<double>(difference.n) : 0;
  const double sum = difference.value ? *difference.value * paired : 0;
  const double all = paired + static_cast<double>(differences_.size());
  Interval added;
  for (const Interval& one : differences_) {
    added.low += one.low;
    added.high += one.high;
  }
  difference.bounds = Interval{(sum + added.low) / all, (sum + added.high) / all};
  return difference;
}

std::optional<Interval> MissingPairs::interval(std::span<const double> whole,
                                               std::span<const std::string> clusters, double level) const {
  if (differences_.empty() || !range_) return std::nullopt;
  std::vector<std::string> grouped(clusters.begin(), clusters.end());
  if (!clusters.empty()) grouped.insert(grouped.end(), clusters_.begin(), clusters_.end());
  const auto completed = [&](double Interval::* end) {
    std::vector<double> all(whole.begin(), whole.end());
    for (const Interval& one : differences_) all.push_back(one.*end);
    const std::vector<double> nothing(all.size(), 0);
    return paired_difference(all, nothing, grouped, level).difference.ci;
  };
  const auto low = completed(&Interval::low);
  const auto high = completed(&Interval::high);
  if (!low || !high) return std::nullopt;
  return Interval{low->low, high->high};
}

}  // namespace assay
