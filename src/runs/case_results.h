// The cases of a finished run as its results.jsonl has them, for formats that list each.
#pragma once

#include <string>

#include "core/error.h"
#include "report/junit.h"

namespace assay {

Result<CaseResults> read_case_results(const std::string& directory);

}  // namespace assay
