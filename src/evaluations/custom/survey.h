// What the data hold, read through once before anything is declared about them: which fields there are and
// how many cases have each, so that a misspelt placeholder and a metric that applies to no case are found
// before anything is paid for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "engine/work.h"

namespace assay::custom {

struct Survey {
  std::map<std::string, std::int64_t> fields;  // how many cases have it, and not empty
  std::vector<std::string> names;              // in the order of their coming
  std::int64_t cases = 0;
  std::int64_t with_checks = 0;  // cases that have checks of their own
  bool whole = true;             // all cases were looked at
};

// For machines that do not have the data.
std::string survey_text(const Survey& survey);
Survey read_survey(std::string_view text);

// Of the cases that can be read; `look` sees each of them.
Survey survey(CaseSource& source, const std::function<void(const JsonObject& fields)>& look);

}  // namespace assay::custom
