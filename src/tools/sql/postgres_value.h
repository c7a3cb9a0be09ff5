// A value as PostgreSQL writes it, as JSON.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/json/json.h"

namespace assay {

// `type` is the number of a built-in type (its OID), `text` the value in the server's text format with
// DateStyle ISO and bytea_output hex. The rules are run_sql_query's; a text that does not look as its type
// should is given as it is.
Json postgres_value(std::uint32_t type, std::string_view text);

}  // namespace assay
