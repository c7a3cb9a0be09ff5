// The balanced part of a crossed design, and its mean squares and variance components (the formulas stand in
// variance_components.h) for the items as they are or drawn again. What an item adds to each sum of squares
// is computed once, so a draw costs one pass over the table.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stats/variance/variance_components.h"

namespace assay {

class BalancedTable {
 public:
  using Mask = std::size_t;  // a set of facets, bit f for the f-th; bit 0 is the item

  explicit BalancedTable(const CrossedDesign& design);

  // Why there is nothing to analyse; empty if there is. Only levels() and items_left_out() may then be asked.
  const std::string& undefined() const { return undefined_; }
  const std::vector<std::size_t>& levels() const { return levels_; }
  std::int64_t items_left_out() const { return items_left_out_; }
  std::size_t repeats() const { return repeats_; }  // scores a cell
  std::size_t items() const { return levels_.front(); }
  std::size_t cells() const { return items() * combinations_; }
  Mask whole() const { return (Mask{1} << facets_) - 1; }
  double freedom(Mask set) const;
  // Inside, scores are distances in units of half their range: no offset or scale can spoil the squares, and
  // equal scores are exactly equal. A variance times this is in the unit of the scores.
  double scale() const { return unit_ * unit_ * 4; }

  struct Squares {
    std::vector<double> mean_squares;  // by set; the one within cells stands at the empty set
    std::vector<double> components;    // by set, as solved; of whole() the residual if a cell has one score
    double residual = std::numeric_limits<double>::quiet_NaN();  // within cells; NaN if a cell has one score
  };
  // counts[i] copies of item i; they add up to items().
  Squares analyse(std::span<const std::int64_t> counts) const;

 private:
  std::string unusable(const CrossedDesign& design);
  void fill(const CrossedDesign& design);
  std::size_t cell_of(const CrossedDesign::Score& score) const;
  void keep_complete(std::vector<std::vector<double>>& cells);
  double marginal_squares(std::span<const double> values, Mask rest) const;
  Squares solve(std::span<const double> totals, double within) const;

  std::size_t facets_ = 0;
  std::string undefined_;
  std::vector<std::vector<std::string>> names_;
  std::vector<std::size_t> levels_;
  std::size_t combinations_ = 0;  // of the levels of all facets but the first
  std::size_t repeats_ = 0;
  std::int64_t items_left_out_ = 0;
  double unit_ = 0;
  std::vector<double> means_;        // by item, then combination
  std::vector<double> within_;       // by item: squares around the cell means
  std::vector<double> item_totals_;  // by item, then set of the other facets: uncorrected squares
};

}  // namespace assay
