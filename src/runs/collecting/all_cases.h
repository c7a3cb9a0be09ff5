// Every case of a run for its report: inside it as long as they are few, in a page beside it beyond that.
// Both are bounded in cases and in bytes; results.jsonl has all of them always.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "evaluations/output_files.h"
#include "report/summary.h"

namespace assay {

inline constexpr const char* kCasesPage = "all_cases.html";

class AllCases {
 public:
  struct Bounds {
    std::int64_t cases = 0;
    std::size_t bytes = 0;
  };
  static constexpr Bounds kInside{2'000, std::size_t{4} << 20};
  static constexpr Bounds kBeside{20'000, std::size_t{64} << 20};

  // `script` shows them (ReportScripts::cases); without one they are not shown.
  AllCases(OutputFiles& files, std::string_view script) : files_(files), script_(script) {}

  // A line of results.jsonl, in their order. A line that does not repeat its case's material, as those of
  // judged conversations do not, is shown with it: [line, material].
  void add(std::string_view line, const std::function<Json()>& material);
  ShownCases finish();

 private:
  bool fits(const Bounds& bounds) const { return shown_.count < bounds.cases && bytes_ < bounds.bytes; }
  // A report that is made for a look at a run has no files beside it.
  bool has_files() const { return !files_.directory().empty(); }
  void move_beside();

  OutputFiles& files_;
  std::string_view script_;
  ShownCases shown_;
  std::size_t bytes_ = 0;
};

}  // namespace assay
