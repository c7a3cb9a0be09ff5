// In which form a file holds its records: one JSON object a line, a JSON list of them, or a table with a row
// of names. The name says it; where there is no name (a pipe), the first bytes do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay {

enum class RecordFormat { jsonl, json, csv, tsv };

std::string_view to_string(RecordFormat format);
std::optional<RecordFormat> record_format(std::string_view name);
// "jsonl", "json", "csv", "tsv".
std::vector<std::string> record_format_names();

// By the end of the name, with or without .gz behind it: .json, .csv, .tsv (or .tab); every other is JSON
// Lines.
RecordFormat format_of_name(std::string_view path);
// By what stands at the beginning: `{` JSON Lines, `[` a list, else a table, with tabs if its first row has
// some.
RecordFormat format_of_content(std::string_view start);

// Why content that begins like this cannot be in the format, with what to do; "" if it can.
std::string format_mismatch(RecordFormat format, std::string_view start);

}  // namespace assay
