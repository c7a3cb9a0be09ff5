// An evaluation store in one SQLite file, open in one process.
#pragma once

#include <memory>
#include <string>

#include "core/error.h"
#include "store/data/data_database.h"

namespace assay {

Result<std::unique_ptr<DataDatabase>> open_sqlite_data(const std::string& path);
// Also while a process has it open.
Result<std::unique_ptr<DataSql>> open_sqlite_data_reader(const std::string& path);

}  // namespace assay
