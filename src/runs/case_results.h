// The cases of a run as the lines of its results have them, for formats that list each.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "report/junit.h"

namespace assay {

// Of a finished run, from its results.jsonl.
Result<CaseResults> read_case_results(const std::string& directory);

// The same line by line, of a run that has no such file yet.
class CaseResultLines {
 public:
  CaseResultLines();
  Status add(std::string_view line);
  CaseResults take() { return std::move(results_); }

 private:
  friend Result<CaseResults> read_case_results(const std::string& directory);
  void take_parsed();

  LineParser parser_;
  CaseResults results_;
};

}  // namespace assay
