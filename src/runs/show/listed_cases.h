// The cases of a run, finished or under way, one after the other: how each ended, its scores, what it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "report/cases/case_view.h"

namespace assay {

struct CasesWanted {
  bool failed = false;  // those only
  std::optional<std::size_t> worst =
      {};  // so many, as the report shows them: failures first, then the lowest
  std::optional<std::size_t> limit = {};  // no more than so many
};

struct CasesListed {
  std::int64_t told = 0;
  std::int64_t fitting = 0;    // that the wanted ones were taken from
  std::int64_t not_begun = 0;  // of a run that is not finished
  bool finished = false;       // the run has its results
};

// Tells them in input order, or the worst first. Of a finished run from its results.jsonl; of one that is
// not, from its journal, config and data as they are now. Bounded by one case, or by the worst ones that are
// wanted. Locks nothing and writes nothing.
Result<CasesListed> list_cases(const std::string& directory, const CasesWanted& wanted,
                               const std::function<void(const CaseGlance&)>& tell);

// Whether the run's results are there, and nobody is going on with it; else it has a journal, or nothing.
bool has_results(const std::string& directory);

// Lines of results.jsonl as glances.
class GlanceReader {
 public:
  GlanceReader();
  Result<CaseGlance> read(const Line& line);
  Result<CaseGlance> read_text(std::string_view line);

 private:
  CaseGlance glance() const;
  void read_material(CaseGlance& one) const;
  LineParser parser_;
};

}  // namespace assay
