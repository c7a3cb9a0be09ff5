// Collects judged answers: per case the mean over runs, per metric the figures over cases, and the judge's
// own noise (how much runs of the same case differ) apart from the differences between cases.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "evaluations/components/data.h"
#include "evaluations/evaluation.h"

namespace assay::components {

struct RagMetricSettings {
  std::string name;
  double threshold = 0;
  bool lower_is_better = false;
};

// The figures of every metric: "coherence.mean", …
inline constexpr std::array<const char*, 7> kRagFigures = {
    "mean", "median", "std", "pass_rate", "n", "not_applicable", "judge_noise"};

// `fields` must outlive the collector; `generated` are those that a target gives, none if the data hold them.
std::unique_ptr<Collector> make_rag_collector(std::vector<RagMetricSettings> metrics, int runs,
                                              const DataFields& fields, std::vector<DataField> generated,
                                              OutputFiles& files);

}  // namespace assay::components
