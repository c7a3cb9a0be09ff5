// A reading query on a SQLite file.
#pragma once

#include <string>

#include "core/error.h"
#include "core/json/json.h"
#include "tools/sql/sql_rows.h"

namespace assay {

// As run_sql_query promises; blocks until the answer is there or run.stop asks it to end.
Result<Json> query_sqlite(const std::string& file, SqlRun& run);

}  // namespace assay
