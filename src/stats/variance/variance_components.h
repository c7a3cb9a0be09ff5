// Where does the spread of scores come from: the items, the personas, the judges, or mere repetition? And how
// many personas and repeats does a reliable score need?
//
// G-study: scores of a fully crossed design, every item (the object of measurement, the first facet) scored
// under every combination of the other facets, equally often. All facets are random samples of many. With
// MS_β the mean square of a set of facets β, n_f the levels of a facet and r the scores a cell, equating mean
// squares to their expectations gives
//   σ²_α = (1/(r·Π_{f∉α} n_f)) · Σ_{β⊇α} (−1)^{|β|−|α|} MS_β,      σ²_residual = MS within cells.
// With one score a cell the highest interaction cannot be told from the residual and is called "residual". A
// repeat whose number means nothing (run 1 of one item has no tie to run 1 of another) is no facet: add
// several scores to one cell. Only a repeat that is shared by all cells (a day, a seed) is a facet.
//
// D-study: the reliability of an item's mean score over n′_f levels of each facet and r′ repeats:
//   generalizability Eρ² = σ²_item/(σ²_item + σ²_δ)   for ranking items; σ²_δ sums the components that
//   contain
//                                                     the item and something else, each over its n′
//   dependability    Φ   = σ²_item/(σ²_item + σ²_Δ)   for the score itself; σ²_Δ sums all but the item's
//
// Negative components, which mean squares can give for a small true one, are reported as 0 with a note. Items
// without the full number of scores are left out and counted (the balanced part is used); nothing is said if
// fewer than two remain, if a facet has one level, or if all scores are equal. Intervals are the percentile
// bootstrap over items, from ten of them on and expanded for few (expanded_level): they say what other items
// would change, not other personas or judges. References: Cronbach et al. 1972; Brennan, "Generalizability
// Theory" (2001); Shavelson and Webb 1991.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

class CrossedDesign {
 public:
  // Two to six facets; the first is the object of measurement.
  explicit CrossedDesign(std::vector<std::string> facets) : facets_(std::move(facets)) {}

  // One score at one level of each facet. A score that is not finite is counted and left out; another number
  // of levels than facets makes every figure undefined.
  void add(std::vector<std::string> levels, double score);

  struct Score {
    std::vector<std::string> levels;
    double value = 0;
  };
  const std::vector<std::string>& facets() const { return facets_; }
  const std::vector<Score>& scores() const { return scores_; }
  std::int64_t not_finite() const { return not_finite_; }
  bool ragged() const { return ragged_; }

 private:
  std::vector<std::string> facets_;
  std::vector<Score> scores_;
  std::int64_t not_finite_ = 0;
  bool ragged_ = false;
};

struct VarianceComponent {
  std::string name;                 // "item", "item×judge", …, "residual"
  std::vector<std::size_t> facets;  // their positions; all of them for the residual
  std::int64_t df = 0;
  double mean_square = 0;
  double solved = 0;  // as the mean squares give it, possibly negative
  Estimate variance;  // the same, not below 0
  double share = 0;   // of the sum of all variances
  std::string note;   // empty, or that a negative value is reported as 0
};

struct GStudy {
  std::vector<std::string> facets;
  std::vector<std::size_t> levels;              // how many of each facet are in
  std::size_t repeats = 0;                      // scores a cell
  std::vector<VarianceComponent> components;    // fewest facets first, the residual last
  std::int64_t n = 0;                           // scores in
  std::map<std::string, std::int64_t> missing;  // "items_incomplete", "not_finite"
  std::string undefined;
};
GStudy g_study(const CrossedDesign& design, const Resampling& resampling = {});

// How many levels of every facet but the first, and how many repeats a cell.
struct Panel {
  std::vector<std::size_t> numbers;
  std::size_t repeats = 1;
};

struct Reliability {
  Estimate generalizability;
  Estimate dependability;
  std::optional<double> relative_error;  // σ²_δ
  std::optional<double> absolute_error;  // σ²_Δ
};
// Undefined for a panel that does not fit the facets or holds a 0, for more than one repeat if the G-study
// had one score a cell (the effect of repeating is then unknown), and if nothing varies.
Reliability d_study(const GStudy& study, const Panel& panel);  // figures without interval, for scanning
Reliability d_study(const CrossedDesign& design, const Panel& panel, const Resampling& resampling = {});

enum class Coefficient { generalizability, dependability };

// The panel with the fewest scores an item, all numbers between `least` and `most`, that reaches `target`; of
// equally small ones the most reliable. If none does, `undefined` says so and `reliability` is that of
// `most`.
struct PanelPlan {
  std::optional<Panel> panel;
  std::int64_t scores_per_item = 0;
  std::optional<double> reliability;
  std::string undefined;
};
PanelPlan smallest_panel(const GStudy& study, double target, Coefficient coefficient, const Panel& least,
                         const Panel& most);

}  // namespace assay
