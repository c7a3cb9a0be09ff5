#include "stats/variance/balanced_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

using Mask = BalancedTable::Mask;
constexpr std::size_t kMostFacets = 6;
constexpr double kRounding = 1e-13;  // a sum of squares below this share of the whole is rounding

double sign_of(Mask larger, Mask smaller) {
  return (std::popcount(larger) - std::popcount(smaller)) % 2 == 0 ? 1 : -1;
}

std::vector<std::string> sorted_levels(const CrossedDesign& design, std::size_t facet) {
  std::vector<std::string> levels;
  for (const CrossedDesign::Score& score : design.scores()) levels.push_back(score.levels[facet]);
  std::ranges::sort(levels);
  const auto rest = std::ranges::unique(levels);
  levels.erase(rest.begin(), rest.end());
  return levels;
}

}  // namespace

BalancedTable::BalancedTable(const CrossedDesign& design) {
  facets_ = design.facets().size();
  undefined_ = unusable(design);
  if (undefined_.empty()) fill(design);
}

BalancedTable::Squares BalancedTable::analyse(std::span<const std::int64_t> counts) const {
  const auto n = static_cast<double>(items());
  std::vector<double> totals(whole() + 1);  // uncorrected sums of squares
  double within = 0;
  std::vector<double> mean(combinations_);
  for (std::size_t item = 0; item < items(); ++item) {
    if (counts[item] == 0) continue;
    const auto copies = static_cast<double>(counts[item]);
    within += copies * within_[item];
    for (Mask rest = 0; rest <= whole() / 2; ++rest) {
      totals[rest * 2 + 1] += copies * item_totals_[item * (whole() / 2 + 1) + rest];
    }
    for (std::size_t cell = 0; cell < combinations_; ++cell) {
      mean[cell] += copies / n * means_[item * combinations_ + cell];
    }
  }
  for (Mask rest = 0; rest <= whole() / 2; ++rest) totals[rest * 2] = n * marginal_squares(mean, rest);
  return solve(totals, within);
}

double BalancedTable::freedom(Mask set) const {
  double product = 1;
  for (std::size_t facet = 0; facet < facets_; ++facet) {
    if ((set >> facet & 1) != 0) product *= static_cast<double>(levels_[facet] - 1);
  }
  return product;
}

std::string BalancedTable::unusable(const CrossedDesign& design) {
  if (facets_ < 2 || facets_ > kMostFacets) return "a design has two to six facets";
  if (design.ragged()) return "a score has not one level per facet";
  if (design.scores().empty()) return "no scores";
  std::size_t combinations = 1;
  for (std::size_t facet = 0; facet < facets_; ++facet) {
    names_.push_back(sorted_levels(design, facet));
    levels_.push_back(names_.back().size());
    if (levels_.back() < 2) {
      return fmt::format("the facet {} has one level, so nothing can be said of its spread; leave it out",
                         design.facets()[facet]);
    }
    if (facet > 0) combinations *= levels_.back();
    if (combinations > design.scores().size()) return "no item was scored under every combination";
  }
  combinations_ = combinations;
  return "";
}

void BalancedTable::fill(const CrossedDesign& design) {
  std::vector<std::vector<double>> cells(levels_.front() * combinations_);
  for (const CrossedDesign::Score& score : design.scores()) cells[cell_of(score)].push_back(score.value);
  keep_complete(cells);
  if (!undefined_.empty()) return;

  double least = cells.front().front();
  double most = least;
  for (std::vector<double>& cell : cells) {
    std::ranges::sort(cell);  // so that no sum depends on the order of rows
    least = std::min(least, cell.front());
    most = std::max(most, cell.back());
  }
  unit_ = most / 2 - least / 2;
  if (!(unit_ > 0)) {
    undefined_ = "all scores are equal";
    return;
  }
  for (std::vector<double>& cell : cells) {
    double mean = 0;
    for (double& score : cell) {
      score = (score / 2 - least / 2) / unit_ - 0.5;
      mean += score / static_cast<double>(repeats_);
    }
    means_.push_back(mean);
    const std::size_t item = (means_.size() - 1) / combinations_;
    within_.resize(item + 1);
    if (cell.front() == cell.back()) continue;
    for (const double score : cell) within_[item] += (score - mean) * (score - mean);
  }
  for (std::size_t item = 0; item < items(); ++item) {
    const std::span<const double> own = std::span(means_).subspan(item * combinations_, combinations_);
    for (Mask rest = 0; rest <= whole() / 2; ++rest) item_totals_.push_back(marginal_squares(own, rest));
  }
}

std::size_t BalancedTable::cell_of(const CrossedDesign::Score& score) const {
  std::size_t cell = 0;
  for (std::size_t facet = 0; facet < facets_; ++facet) {
    const auto at = std::ranges::lower_bound(names_[facet], score.levels[facet]) - names_[facet].begin();
    cell = cell * levels_[facet] + static_cast<std::size_t>(at);
  }
  return cell;
}

// Keeps the items whose cells all hold the same number of scores, that number being the one most items have
// (the larger of two such).
void BalancedTable::keep_complete(std::vector<std::vector<double>>& cells) {
  std::map<std::size_t, std::size_t> items_with;
  std::vector<std::size_t> scores(levels_.front());
  for (std::size_t item = 0; item < levels_.front(); ++item) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(item * combinations_);
    const std::span<const std::vector<double>> own(begin, combinations_);
    const std::size_t first = own.front().size();
    const bool even = std::ranges::all_of(own, [&](const auto& cell) { return cell.size() == first; });
    scores[item] = even ? first : 0;
    if (scores[item] > 0) ++items_with[first];
  }
  std::size_t items = 0;
  for (const auto& [repeats, count] : items_with) {
    if (count >= items) {
      items = count;
      repeats_ = repeats;
    }
  }
  items_left_out_ = static_cast<std::int64_t>(levels_.front() - items);
  if (items < 2) {
    undefined_ = fmt::format(
        "fewer than two items are complete (scored equally often under each of the {} combinations)",
        combinations_);
    return;
  }
  std::vector<std::vector<double>> kept;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (scores[cell / combinations_] == repeats_) kept.push_back(std::move(cells[cell]));
  }
  cells = std::move(kept);
  levels_.front() = items;
}

// Σ over all combinations of the squared mean at their levels of the facets in `rest` (bit f for facet f+1).
double BalancedTable::marginal_squares(std::span<const double> values, Mask rest) const {
  std::size_t size = 1;
  for (std::size_t facet = 1; facet < facets_; ++facet) {
    if ((rest >> (facet - 1) & 1) != 0) size *= levels_[facet];
  }
  std::vector<double> sums(size);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    std::size_t left = cell;
    std::size_t at = 0;
    std::size_t stride = 1;
    for (std::size_t facet = facets_ - 1; facet >= 1; --facet) {
      const std::size_t level = left % levels_[facet];
      left /= levels_[facet];
      if ((rest >> (facet - 1) & 1) == 0) continue;
      at += level * stride;
      stride *= levels_[facet];
    }
    sums[at] += values[cell];
  }
  const double share = static_cast<double>(values.size()) / static_cast<double>(size);
  double squares = 0;
  for (const double sum : sums) squares += sum * sum / share;
  return squares;
}

BalancedTable::Squares BalancedTable::solve(std::span<const double> totals, double within) const {
  const auto repeats = static_cast<double>(repeats_);
  const double spread = std::max(repeats * (totals[whole()] - totals[0]) + within, 0.0);
  Squares result;
  result.mean_squares.resize(whole() + 1);
  result.components.resize(whole() + 1);
  for (Mask set = 1; set <= whole(); ++set) {
    double squares = 0;
    for (Mask part = 0; part <= set; ++part) {
      if ((part & set) == part) squares += sign_of(set, part) * totals[part];
    }
    squares *= repeats;
    result.mean_squares[set] = squares > kRounding * spread ? squares / freedom(set) : 0;
  }
  if (repeats_ > 1) {
    result.residual = within / (static_cast<double>(cells()) * (repeats - 1));
    result.mean_squares[0] = result.residual;
  }
  for (Mask set = 1; set <= whole(); ++set) {
    double sum = set == whole() && repeats_ > 1 ? -result.residual : 0;
    for (Mask larger = set; larger <= whole(); ++larger) {
      if ((larger & set) == set) sum += sign_of(larger, set) * result.mean_squares[larger];
    }
    for (std::size_t facet = 0; facet < facets_; ++facet) {
      if ((set >> facet & 1) == 0) sum /= static_cast<double>(levels_[facet]);
    }
    result.components[set] = sum / repeats;
  }
  return result;
}

}  // namespace assay
