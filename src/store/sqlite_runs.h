// Runs whose journal is in their directory: `run.db`. What RunStore says of addresses, for these.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/run_store.h"

namespace assay::sqlite_runs {

bool holds_run(const std::string& directory);
Result<std::unique_ptr<RunLock>> lock(const std::string& directory);
bool is_locked(const std::string& directory);
Result<std::unique_ptr<RunStore>> create(const std::string& directory, std::unique_ptr<RunLock> lock,
                                         const RunIdentity& identity, const std::vector<PlanText>& texts);
Result<std::unique_ptr<RunStore>> open(const std::string& directory, std::unique_ptr<RunLock> lock,
                                       Damage damage);
Result<RunIdentity> read_identity(const std::string& directory);
Result<RunGlance> glance_at(const std::string& directory);
Result<JournalReport> check_journal(const std::string& directory);

}  // namespace assay::sqlite_runs
