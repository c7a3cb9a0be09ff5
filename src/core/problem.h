// A warning or error that a reader of the run should know of: a line of problems.log.
#pragma once

#include <string>

namespace assay {

struct Problem {
  std::string severity;  // "warning", "error"
  std::string where;     // case or line; may be empty
  std::string text;
};

}  // namespace assay
