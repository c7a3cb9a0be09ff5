// A run as JUnit XML, which every CI system shows: one test case per gate and one per case. A case that ended
// in error is an error, one that stayed below a threshold of the config a failure. Well formed for any model
// text: characters that XML 1.0 does not allow become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/summary.h"

namespace assay {

// A line of results.jsonl, as far as a list of tests has it.
struct CaseResult {
  std::string id;
  std::string outcome;             // "scored", or how it failed
  std::string error;               // if it failed
  double seconds = 0;              // that its answers took
  std::string scores;              // in words, for who opens the test
  std::vector<std::string> below;  // thresholds that it missed: "faithfulness 0.62, threshold 0.9"
};
struct CaseResults {
  static constexpr std::size_t kMost = 10'000;
  // Beyond kMost those that failed in one way or another are listed all the same, up to so many more.
  static constexpr std::size_t kMostFailed = 10'000;
  std::vector<CaseResult> cases;
  std::int64_t unlisted = 0;   // cases beyond
  std::int64_t not_begun = 0;  // cases of a run that is not finished, which have no outcome yet

  void add(CaseResult one);
};

std::string junit_report(const Summary& summary, const CaseResults& results);

// Safe as XML text and inside a quoted attribute; line breaks survive an attribute.
std::string xml_escape(std::string_view text);

}  // namespace assay
