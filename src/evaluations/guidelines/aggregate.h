// Folds judged conversations: figures clustered by conversation, what was expected against what was judged,
// and a page that shows each conversation with its evidence.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"

namespace assay::guidelines {

// Of lines that conversation_line() wrote; `votes` on each guideline.
std::unique_ptr<Aggregate> make_aggregate(int votes, OutputFiles& files);

}  // namespace assay::guidelines
