// How well does a choice among labels agree with the truth? Cases are added one at a time; only the pairs of
// labels that occur are kept, so a million cases cost no more than a few, and free text instead of labels
// costs one entry a case at most. Labels are sorted by bytes, whatever the order of the cases.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

class ConfusionMatrix {
 public:
  // `cluster` says which cases belong together; "" for none. Either all cases have one, or none has.
  void add(std::string_view expected, std::string_view actual, std::int64_t count = 1,
           std::string_view cluster = {});
  void merge(const ConfusionMatrix& other);

  std::int64_t total() const { return total_; }
  std::int64_t correct() const { return correct_; }
  std::size_t label_count() const { return names_.size(); }

  struct Cell {
    std::size_t expected = 0;  // position in labels()
    std::size_t actual = 0;
    std::int64_t count = 0;
  };
  // The union of expected and actual labels, sorted.
  std::vector<std::string> labels() const;
  // The cells that are not empty, by expected, then actual label.
  std::vector<Cell> cells() const;
  // What each cluster has of them, by position in cells(); clusters by name.
  std::vector<ClusterCells> clusters() const;
  // The full square, rows expected, columns actual. Its size is the square of label_count(): ask for that
  // first.
  std::vector<std::vector<std::int64_t>> rows() const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::uint32_t index_of(std::string_view label);
  std::vector<std::size_t> sorted_positions() const;

  std::vector<std::string> names_;  // in order of first sight
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> index_;
  std::unordered_map<std::uint64_t, std::int64_t> counts_;  // expected index << 32 | actual index
  std::map<std::string, std::map<std::uint64_t, std::int64_t>, std::less<>> clusters_;  // keys as above
  std::int64_t total_ = 0;
  std::int64_t correct_ = 0;
};

struct LabelFigures {
  std::string label;
  std::int64_t support = 0;    // cases expected to have the label
  std::int64_t predicted = 0;  // cases given the label
  std::int64_t correct = 0;
  bool averaged = true;  // it counts in the averages over labels
  Estimate precision;
  Estimate recall;
  Estimate f1;
  Estimate f2;
};

struct AveragedFigures {
  Estimate precision;
  Estimate recall;
  Estimate f1;
  Estimate f2;
};

// The figures of a matrix. Averages leave out the labels whose value is undefined (weights are renormalised):
// `n` is the number of cases behind the labels that are in (for a macro average every case is: the label that
// it was given has a precision, the one that it should have a recall), `missing` counts the cases that should
// have one of the labels that are not, and `bounds` says what the average would be had those been 0 or 1. If
// the cases have clusters, every interval is that of the bootstrap that draws clusters. Where the labels that
// there are were declared (`classes`), words that are none of them, and that no case should have, are wrong
// answers and no labels: averages are not taken over them.
struct MatrixFigures {
  Estimate accuracy;
  AveragedFigures weighted;  // by support
  AveragedFigures macro;     // every label alike
  AveragedFigures micro;     // over all decisions; with one label a case all four equal the accuracy
  Estimate cohen_kappa;
  Estimate matthews_correlation;  // Gorodkin's R_K for more than two labels
  std::vector<LabelFigures> labels;
};
MatrixFigures matrix_figures(const ConfusionMatrix& matrix, const Resampling& resampling = {},
                             const std::vector<std::string>& classes = {});

}  // namespace assay
