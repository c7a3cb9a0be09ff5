// Collects judged conversations: verdicts as rows, figures clustered by conversation, disagreements with what
// was expected, and a page that shows each conversation with its evidence.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"

namespace assay::guidelines {

class GuidelinesEvaluation;

// `evaluation` must outlive the collector.
std::unique_ptr<Collector> make_collector(const GuidelinesEvaluation& evaluation, OutputFiles& files);

}  // namespace assay::guidelines
