// The deciding sentences of a run: with how much the personas agree, with what least, how far they differ,
// and what people say of it. They say no more than the figures do. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/summary.h"

namespace assay::persona {

// `summary` has the metrics; agreement by classification and by persona (its name).
std::vector<std::string> conclusions(const Summary& summary,
                                     const std::map<std::string, Estimate>& classifications,
                                     const std::map<std::string, Estimate>& personas);

}  // namespace assay::persona
