// The runs that a PostgreSQL server keeps, as it knows them: for lists, for who looks on while workers are at
// one, and for who has lost the directory of a run's files. Nothing here locks a run; all of it blocks, and
// looks once: a server that is away is an error at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "store/run_address.h"
#include "store/run_store.h"

namespace assay {

// A worker that is alive for a run, by its last sign of life.
struct RunWorker {
  std::string name;     // "host-a/4711-5f3a9c1e"
  std::string words;    // why it takes no cases; empty: it does
  double silent_s = 0;  // seconds since that sign
  bool operator==(const RunWorker&) const = default;
};
// Sorted by name. None of a run whose journal is in its directory.
Result<std::vector<RunWorker>> workers_of(const RunAddress& address);

struct StoredRun {
  RunIdentity identity;
  std::string config;      // its config.yaml
  bool home = false;       // it has ended: its journal is in the directory of its files
  bool worked_on = false;  // somebody has the right to it now
};
// Those that a command has begun (jobs of the data service are not among them), the newest first and at most
// kMostStoredRuns of them.
inline constexpr int kMostStoredRuns = 1000;
Result<std::vector<StoredRun>> stored_runs(const StoreAddress& store);

// Under this a run shares what was prepared in its directory before the first request.
inline constexpr std::string_view kPreparedFolder = "prepared/";

// Makes the directory of a run's files anew from what the store keeps of them, so that the run can be gone
// on with there. The directory is new or empty. Kind usage if the run has ended.
Status restore_directory(const RunAddress& address);

}  // namespace assay
