// The tables of an evaluation store, and how its file is made and opened.
//
// Short texts that come again and again (tags, personas, modes, classifications, agents) are numbered once in
// `names`, so that the indexes hold numbers. An item is known by its number too; one that only results speak
// of has no position among the stored items. What queries filter by is repeated in `item_tags`, `result_tags`
// and `evaluated`, so that finding and counting never touches the wide rows that hold JSON.
//
// Records and failures repeat the prompts: `record_rows` and `failure_rows` keep what each has for itself,
// and the views `records` and `failures` show them whole (pieced_texts.h).
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
