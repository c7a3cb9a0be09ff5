#include "stats/agreement/label_sets.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "stats/agreement/krippendorff.h"
#include "stats/agreement/ratings.h"

namespace assay {

double label_set_distance(const LabelSet& a, const LabelSet& b, SetDistance distance) {
  if (a == b) return 0;
  const auto shared = static_cast<double>(
      std::ranges::count_if(a, [&](const std::string& label) { return b.contains(label); }));
  if (shared == 0) return 1;
  const auto size_a = static_cast<double>(a.size());
  const auto size_b = static_cast<double>(b.size());
  const double jaccard = shared / (size_a + size_b - shared);
  if (distance == SetDistance::jaccard) return 1 - jaccard;
  const bool one_holds_the_other = shared == std::min(size_a, size_b);
  return 1 - jaccard * (one_holds_the_other ? 2.0 / 3 : 1.0 / 3);
}

Estimate label_set_alpha(std::span<const std::vector<std::optional<LabelSet>>> units, SetDistance distance,
                         const Resampling& resampling) {
  // Sets are numbered in their own order, so that no figure depends on the order of the units.
  std::map<LabelSet, double> numbers;
  for (const auto& unit : units) {
    for (const std::optional<LabelSet>& set : unit) {
      if (set) numbers.emplace(*set, 0);
    }
  }
  std::vector<const LabelSet*> sets;
  for (auto& [set, number] : numbers) {
    number = static_cast<double>(sets.size());
    sets.push_back(&set);
  }
  Ratings ratings(units.empty() ? 2 : units.front().size());
  for (const auto& unit : units) {
    std::vector<double> row;
    row.reserve(unit.size());
    for (const std::optional<LabelSet>& set : unit) row.push_back(set ? numbers.at(*set) : Ratings::kAbsent);
    ratings.add_unit(row);
  }
  const auto between = [&](double a, double b) {
    return label_set_distance(*sets[static_cast<std::size_t>(a)], *sets[static_cast<std::size_t>(b)],
                              distance);
  };
  return krippendorff_alpha(ratings, between, resampling);
}

}  // namespace assay
