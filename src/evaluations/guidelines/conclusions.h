// The deciding sentences of a run: how much the agent carried out, which guideline it follows least, and what
// the judge is worth where verdicts were expected. They say no more than the figures do. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/summary.h"

namespace assay::guidelines {

struct GuidelineRate {
  std::string id;
  std::string action;
  Estimate rate;
};

// `summary` has the metrics; `guidelines` come least applied first.
std::vector<std::string> conclusions(const Summary& summary, std::int64_t conversations,
                                     const std::vector<GuidelineRate>& guidelines);

}  // namespace assay::guidelines
