// Which cases of the data a run takes: all of them, the first so many, or those that are named. The choice is
// made around whatever source an evaluation has, so that looking at the data, asking, stopping early, going
// on and collecting all see the same cases; a case keeps the index that it has among all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace assay {

class CaseSource;

struct CaseChoice {
  std::optional<std::int64_t> limit = {};  // so many, in input order; invalid ones do not count
  std::vector<std::string> only = {};      // their ids; empty: all

  bool all() const { return !limit && only.empty(); }
  bool operator==(const CaseChoice&) const = default;
};

// Whether every case that `before` takes of some data is taken by `now`, too.
bool covers(const CaseChoice& now, const CaseChoice& before);

using OpenCases = std::function<Result<std::unique_ptr<CaseSource>>()>;

// The chosen cases of the source that `open` gives, in its order. Where a line is several cases, the id of
// the line names them all. A named case that the data do not hold is an error of kind data at their end,
// which names the nearest that they do hold.
//
// What cannot be used counts as far as the data were read for the first so many. Of named cases nothing but
// they themselves is looked at: what is wrong elsewhere is not the run's concern.
Result<std::unique_ptr<CaseSource>> chosen_cases(CaseChoice choice, OpenCases open);

}  // namespace assay
