// The tables of an evaluation store in a PostgreSQL database, and how they are made and brought up to date.
#pragma once

#include <cstdint>

#include "core/error.h"
#include "store/data/postgres/postgres_sql.h"

namespace assay {

// Makes what is not there; a role that may not is enough for what is. By one process at a time.
Status make_postgres_tables(PostgresSql& sql);
// As make_postgres_tables() leaves it, in `assay_versions` under this name.
inline constexpr std::string_view kDataPart = "data";
std::int64_t postgres_data_version();

}  // namespace assay
