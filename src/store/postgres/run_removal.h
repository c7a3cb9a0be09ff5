// Taking a run out of PostgreSQL, with all that was asked and answered.
#pragma once

#include <string>

#include "core/error.h"
#include "store/address.h"

namespace assay::postgres_runs {

// For good, in one transaction; nothing happens if there is no such run. Nobody may be working on it.
Status remove(const StoreAddress& store, const std::string& run_id);

}  // namespace assay::postgres_runs
