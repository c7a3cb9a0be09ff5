// Runs whose journal is in PostgreSQL. What RunStore says of addresses, for these: each has a store and a
// run's id, and a directory where the run's files are on this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/run_store.h"

namespace assay::postgres_runs {

bool holds_run(const RunAddress& address);
bool is_locked(const RunAddress& address);
// `directory`: the right to the run's directory, if it is here; it goes along.
Result<std::unique_ptr<RunLock>> lock(const RunAddress& address, std::unique_ptr<RunLock> directory);
Result<std::unique_ptr<RunStore>> create(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                         const RunIdentity& identity, const std::vector<PlanText>& texts);
Result<std::unique_ptr<RunStore>> open(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                       Damage damage);
// A run whose journal came home goes on in the store where it was: the one that holds it as it is here.
Result<std::unique_ptr<RunStore>> take_up_again(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                Damage damage);
Result<std::unique_ptr<RunStore>> join(const RunAddress& address);
Result<RunIdentity> read_identity(const RunAddress& address);
Result<RunGlance> glance_at(const RunAddress& address);
Result<JournalReport> check_journal(const RunAddress& address);

}  // namespace assay::postgres_runs
