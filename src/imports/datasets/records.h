// Records of a foreign data set: a list in JSON (at the top, or under a key), columns in JSON (lists, or as a
// data frame writes them), JSON Lines, or a table in CSV. Each knows its line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "core/error.h"
#include "core/json/json.h"
#include "imports/imported.h"

namespace assay::datasets {

struct Record {
  std::uint64_t line = 0;  // 0: one JSON document, whose record this is in the order of `number`
  std::uint64_t number = 0;
  JsonObject fields;
};

struct Records {
  std::string file;
  std::vector<Record> list;
  std::vector<LeftOut> bad;  // what is no record
  // Where a record stands: "data.jsonl, line 3" or "goldens.json, record 3".
  std::string place(const Record& record) const;
};

// `lists`: keys of a JSON object under which the records may stand. An error: nothing can be read.
Result<Records> read_records(const std::string& name, std::string_view text,
                             std::span<const std::string_view> lists);

// JSON as Python writes it: a figure that is NaN or infinite is null.
Result<Json> python_json(std::string_view text);

// The first of the names that the record has a value for; null if none.
const Json* first_of(const JsonObject& fields, std::span<const std::string_view> names);
// A list of texts: of a list its texts, of a text that is a JSON list that, else the text divided at
// `separator` ("": it is one). Python's own spelling of a list of texts ('a', "b") is read, too, and that of
// an array, which has no commas.
JsonArray texts_of(const Json& value, std::string_view separator);
// What stands in the text of a cell where a table has something else than text; other values as they are.
Json unfolded(const Json& value);

// Why a record without an output is left out where others have one: an answer that somebody else gives now
// would be measured with theirs.
inline constexpr std::string_view kNotAnswered = "it has no output, and other cases have one";

// The cases as a file of the import.
ImportedFile cases_file(const std::vector<JsonObject>& cases);
// The config as one, with a line on where it comes from.
ImportedFile config_file(const JsonObject& config, std::string_view form, const std::string& name);

}  // namespace assay::datasets
