// The last part of docs/metrics.md, made from the tables of kinds.
#pragma once

#include <string>

namespace assay::custom {

std::string metric_reference();

}  // namespace assay::custom
