// topic_tagger: does each question get the right topics, one primary and perhaps a secondary one?
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

std::unique_ptr<Evaluation> make_topic_tagger(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::components
