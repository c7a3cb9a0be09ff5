// How well do sets of labels agree, case by case? Each label is a yes/no decision of its own on every case; a
// case that does not name it has said no. Cases with the same two sets are counted together, so memory grows
// with the number of different pairs only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/classification/classification.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

class MultilabelCounts {
 public:
  // A label that belongs to the data even if no case has it.
  void know(std::string_view label);
  // `cluster` says which cases belong together; "" for none. Either all cases have one, or none has.
  void add(const std::set<std::string>& expected, const std::set<std::string>& actual,
           std::string_view cluster = {});

  std::int64_t total() const { return total_; }
  // Sorted by bytes.
  const std::set<std::string, std::less<>>& labels() const { return labels_; }
  using Pair = std::pair<std::set<std::string>, std::set<std::string>>;  // expected, actual
  const std::map<Pair, std::int64_t>& pairs() const { return pairs_; }
  // What each cluster has of them, by position in pairs(); clusters by name.
  std::vector<ClusterCells> clusters() const;

 private:
  std::set<std::string, std::less<>> labels_;
  std::map<Pair, std::int64_t> pairs_;
  std::map<std::string, std::map<const Pair*, std::int64_t>, std::less<>> clusters_;  // keys of pairs_
  std::int64_t total_ = 0;
};

struct MultilabelFigures {
  struct Label {
    std::string name;
    BinaryCounts counts;
    Estimate precision;
    Estimate recall;
    Estimate f1;
  };
  struct Average {
    Estimate precision;
    Estimate recall;
    Estimate f1;
  };
  std::vector<Label> labels;
  // The mean over the labels that have a value, each alike; `n` is their number. Undefined if none has one.
  Average macro;
  // On tp, fp and fn summed over all labels; `n` is the denominator.
  Average micro;
  Estimate exact_match;  // cases on which both sets are the same
};

// Averages get bootstrap intervals over the cases: the decisions of one case are not independent. If the
// cases have clusters, every interval is that of the bootstrap that draws clusters.
MultilabelFigures multilabel_figures(const MultilabelCounts& counts, const Resampling& resampling = {});

}  // namespace assay
