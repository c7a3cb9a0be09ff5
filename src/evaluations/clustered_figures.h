// Figures of cases that come in clusters (several questions on one document). Every figure that is a mean
// over cases gets the clustered interval in place of the one for independent cases, unless it has one that
// was made from these clusters by a method of its own (a paired difference, a mean of shares); an interval
// that was made from clusters stays; any other is taken away, since it would claim more than the data hold.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "evaluations/score.h"
#include "report/summary.h"
#include "stats/intervals/mean.h"

namespace assay {

class ClusteredFigures {
 public:
  void add(std::string_view cluster, std::string_view figure, double value);
  // No effect if no case had a cluster. `means` say in which range a case's score can lie, if not 0 to 1.
  void apply(Summary& summary, std::span<const MeanFigure> means = {}) const;

 private:
  ClusterNumbers clusters_;  // of all figures alike
  std::map<std::string, ClusteredMoments, std::less<>> moments_;
};

}  // namespace assay
