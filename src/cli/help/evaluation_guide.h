// What `assay help EVALUATION` says before the keys: the fields of the data, the figures for gates, and the
// smallest config that runs, with its data (templates/smallest).
#pragma once

#include <string>

#include "cli/terminal.h"

namespace assay {

struct EvaluationKind;

std::string guide_text(const EvaluationKind& kind, const Terminal& terminal);

}  // namespace assay
