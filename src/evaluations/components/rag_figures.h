// The figures of rag_answers over cases: quality per metric, and the judge's own noise (how much runs of the
// same case differ) apart from the differences between cases.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "evaluations/components/rag_lines.h"
#include "evaluations/evaluation.h"

namespace assay::components {

// The figures of every metric: "coherence.mean", …
inline constexpr std::array<const char*, 7> kRagFigures = {
    "mean", "median", "std", "pass_rate", "n", "not_applicable", "judge_noise"};

// `runs`: how often every case is judged.
std::unique_ptr<Aggregate> make_rag_figures(std::vector<RagMetricSettings> metrics, int runs,
                                            OutputFiles& files);

}  // namespace assay::components
