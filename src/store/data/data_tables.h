// The SQLite file of an evaluation store: how it is made, opened and brought up to date.
#pragma once

#include <string>

#include "core/error.h"
#include "store/sqlite.h"

namespace assay {

// Makes the file if there is none. Open for writing; every commit is on the disk when it returns.
Result<Database> open_data_database(const std::string& path);
// The file must be open for writing already.
Result<Database> open_data_reader(const std::string& path);

}  // namespace assay
