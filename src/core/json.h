// JSON trees (Boost.JSON), read strictly or leniently, and written compactly, canonically or for people.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

// RFC 8259 and nothing else: whole text, valid UTF-8, depth at most 128. The error names line and column.
Result<Json> parse_json(std::string_view text);

struct LenientJson {
  Json value;
  // What had to be forgiven, in plain words ("trailing comma", "comment", "text around the JSON"); empty if none.
  std::vector<std::string> forgiven;
};

// JSON as models write it: inside ``` fences or running text, with comments, trailing commas, single quotes
// around keys or a missing closing bracket at the end (only where `allow_unfinished`). Prefers the last complete
// fenced block, then the last top-level object or array.
enum class Unfinished { reject, close };
Result<LenientJson> parse_lenient_json(std::string_view text, Unfinished unfinished = Unfinished::reject);

// Compact; numbers round-trip; deterministic for equal trees built in the same order.
std::string to_text(const Json& value);
// Compact with keys sorted at every level: equal values give equal bytes. For hashing.
std::string canonical_text(const Json& value);
// Indented by two spaces, ends with a newline.
std::string pretty_text(const Json& value);
// A double as JSON writes it: the shortest text that reads back as the same value; "null" if not finite.
std::string number_text(double value);
// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text);

// Looks up by RFC 6901 pointer; null if absent.
const Json* find_pointer(const Json& value, std::string_view pointer);
// Object member or null; a non-object has none.
const Json* find_member(const Json& value, std::string_view key);
// Whole or fractional number as double.
std::optional<double> as_number(const Json& value);
std::optional<std::int64_t> as_integer(const Json& value);  // accepts 3.0
std::optional<std::string_view> as_text(const Json& value);
std::optional<bool> as_boolean(const Json& value);
// "text", "number", "true/false", "list", "object", "null": words for people.
std::string_view kind_word(const Json& value);
// The value as short text for messages: at most `limit` bytes, cut at a character with "…".
std::string excerpt(const Json& value, std::size_t limit = 60);

}  // namespace assay
