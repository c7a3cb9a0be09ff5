// cases.html: cases side by side, what differs from the baseline's answer marked word by word, each metric
// with its reason. Cases on which variants differ, or that do not pass, come first; the page is bounded.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"

namespace assay::custom {

class CasesPage {
 public:
  static constexpr std::size_t kMostCases = 300;  // of each sort
  static constexpr std::size_t kMostBytes = 3'000'000;

  explicit CasesPage(const Design& design) : design_(design) {}

  // `fields` and `answers` are those of the case's line in results.jsonl.
  void add(const std::string& id, const JsonObject& fields, const JsonArray& answers, const CaseMarks& marks);
  std::string html(const std::string& title) const;

 private:
  std::string card(const std::string& id, const JsonObject& fields, const JsonArray& answers) const;
  std::string answer_html(const Json& answer, const Json* baseline) const;

  const Design& design_;
  std::vector<std::string> telling_;  // variants differ, or something does not pass
  std::vector<std::string> others_;
  std::size_t bytes_ = 0;
  std::size_t cases_ = 0;
};

}  // namespace assay::custom
