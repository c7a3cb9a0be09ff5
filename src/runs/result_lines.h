// The lines of a finished run's results.jsonl, as trees, one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

// Until all, or at most so many, are told of or `tell` gives an error. One that cannot be read is an error
// with file and line.
Status each_result_line(const std::string& directory, const std::function<Status(const Json&)>& tell,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace assay
