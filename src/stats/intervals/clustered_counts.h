// A yes/no decision's four counts, over all cases and for each cluster of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stats/classification/classification.h"

namespace assay {

class ClusteredBinaryCounts {
 public:
  // `cluster` says which cases belong together; "" for none. Either all cases have one, or none has.
  void add(bool expected, bool actual, std::string_view cluster) {
    all_.add(expected, actual);
    if (cluster.empty()) return;
    auto own = clusters_.find(cluster);
    if (own == clusters_.end()) own = clusters_.emplace(cluster, BinaryCounts()).first;
    own->second.add(expected, actual);
  }
  const BinaryCounts& all() const { return all_; }
  BinaryFigures figures() const {
    std::vector<BinaryCounts> clusters;
    clusters.reserve(clusters_.size());
    for (const auto& [name, counts] : clusters_) clusters.push_back(counts);
    return binary_figures(all_, {}, clusters);
  }

 private:
  BinaryCounts all_;
  std::map<std::string, BinaryCounts, std::less<>> clusters_;
};

}  // namespace assay
