// comparison.md: what the run says of its variants, to paste into a pull request. Made of the final summary
// alone.
#pragma once

#include <string>

#include "evaluations/custom/design.h"
#include "report/summary.h"

namespace assay::custom {

std::string comparison_markdown(const Summary& summary, const Design& design);

}  // namespace assay::custom
