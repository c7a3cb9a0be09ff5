// The tables of an evaluation store as SQL for SQLite, from which PostgreSQL's are made.
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
#include <string_view>

namespace assay {

// Both databases count alike; PostgreSQL's begins with 4.
inline constexpr int kDataFormat = 5;

// Of format 1 and later; those that came with a later format.
extern const char* const kDataTables;
extern const char* const kJudgedTables;   // 2
extern const char* const kSharedTables;   // 3
extern const char* const kReadingTables;  // 4
extern const char* const kSharedJobs;     // 5

// The views `records` and `failures`, whose JSON is put together by this expression over a row `r`.
std::string whole_views(std::string_view whole_json);

}  // namespace assay
