// Taking away runs that are not wanted any more. What goes is what the run made: the files that its seal
// names, its journal, and what every run writes. Whatever else is in its directory is somebody's: it stays,
// is named, and keeps the directory. A run that is under way is left alone.
//
// A removal that is cut off leaves a directory that is still seen as a run, and is finished by the next one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "core/time.h"
#include "runs/list.h"

namespace assay {

// Which runs are meant: those that fit all that is said.
struct PruneChoice {
  std::optional<std::chrono::nanoseconds> older_than{};  // nothing was written to it for so long
  std::optional<std::size_t> keep{};                     // the newest so many of each evaluation stay
  std::vector<RunState> states{};                        // in one of these; none: in any

  // Whether anything is said: what fits nothing at all would be everything.
  bool empty() const { return !older_than && !keep && states.empty(); }
};

// Pure. `runs` newest first, as find_runs() gives them, and so is the answer.
std::vector<FoundRun> chosen_runs(const std::vector<FoundRun>& runs, const PruneChoice& choice, WallTime now);

struct PrunedRun {
  FoundRun run;
  std::int64_t files = 0;         // that go, or went
  std::int64_t bytes = 0;         // of them
  std::vector<std::string> left;  // names of what the run did not make, in order
  std::string kept;               // why nothing goes; empty: it does
  std::string failure;            // what could not be removed, in words; empty: nothing

  bool goes() const { return kept.empty(); }
};
Json to_json(const PrunedRun& pruned);

enum class Pruning { look, remove };
PrunedRun prune_run(const FoundRun& run, Pruning how);

}  // namespace assay
