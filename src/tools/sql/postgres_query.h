// A reading query on a PostgreSQL server.
#pragma once

#include <string>

#include "core/error.h"
#include "core/json/json.h"
#include "tools/sql/sql_rows.h"

namespace assay {

// As run_sql_query promises; `url` is filled already. Blocks until the answer is there or run.stop asks it to
// end; only the lookup of the host's name cannot be cut short. Error of kind config in a build without libpq.
Result<Json> query_postgres(const std::string& url, const SqlRun& run);

}  // namespace assay
