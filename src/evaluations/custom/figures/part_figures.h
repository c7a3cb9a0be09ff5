// Metrics that give several numbers by names of their own: the mean of each over cases,
// "style.warmth.mean.new".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "report/summary.h"
#include "stats/intervals/mean.h"

namespace assay::custom {

class PartFigures {
 public:
  static constexpr std::size_t kMost = 100;  // of one metric; more are left out, and said so in a table
  explicit PartFigures(const Design& design);
  void add(std::uint32_t cluster, const CaseMarks& marks);
  void apply(bool clustered, Summary& summary) const;

 private:
  Design design_;
  // By metric, then part, then variant.
  std::vector<std::map<std::string, std::vector<ClusteredMoments>>> parts_;
  std::int64_t left_out_ = 0;
};

}  // namespace assay::custom
