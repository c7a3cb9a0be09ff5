// JSON trees (Boost.JSON), read strictly or leniently, and written compactly, canonically or for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "core/error.h"

namespace assay {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

// RFC 8259 and nothing else: whole text, valid UTF-8, depth at most 128. Of two members with one name the
// last counts. Whole numbers up to 64 bits stay exact, all others are the nearest double; one that is too
// large for a double is refused. The error's context holds line and column (in characters).
Result<Json> parse_json(std::string_view text);
// The same in memory of the caller's, which the tree must not outlive: for a tree that is read once and goes.
Result<Json> parse_json(std::string_view text, boost::json::storage_ptr memory);
// Whether parse_json would take it.
bool is_json(std::string_view text);

struct LenientJson {
  Json value;
  // What had to be forgiven, in plain words ("trailing comma", "comment", "text around the JSON"); empty
  // if none.
  std::vector<std::string> forgiven;
};

// JSON as models write it: inside ``` fences or running text, with comments, trailing commas, single quotes
// around texts, Python's True/False/None, bare keys, raw line breaks in texts, or unfinished at the end (only
// with Unfinished::close: an open text, list or object is closed there, and a key without a value dropped).
// Prefers the text as a whole, then the last complete fenced block, then the last top-level object or array
// (never a fragment from inside a broken object); a list of integers inside a sentence, which is a citation
// like [1], only if there is nothing else.
enum class Unfinished { reject, close };
Result<LenientJson> parse_lenient_json(std::string_view text, Unfinished unfinished = Unfinished::reject);

// Compact; numbers round-trip; deterministic for equal trees built in the same order.
std::string to_text(const Json& value);
std::string to_text(const JsonObject& object);
// Compact with keys sorted at every level: equal values (1 and 1.0 too) give equal bytes. For hashing.
std::string canonical_text(const Json& value);
// Indented by two spaces, ends with a newline.
std::string pretty_text(const Json& value);
// A double as JSON writes it: the fewest digits that read back as the same value; "null" if not finite.
std::string number_text(double value);
// Appends `text` as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// Appends to_text(value), or the digits of a whole number.
void append_json(std::string& out, const Json& value);
void append_json_number(std::string& out, std::int64_t value);

// A text as it is, any other value as its compact JSON: what people and models read.
std::string text_or_json(const Json& value);

// Looks up by RFC 6901 pointer; null if absent.
const Json* find_pointer(const Json& value, std::string_view pointer);
// Object member or null; a non-object has none.
const Json* find_member(const Json& value, std::string_view key);
// A member that is text, or that is a list; nothing or empty if it is absent or something else.
std::optional<std::string> find_text(const Json& value, std::string_view key);
std::string text_at(const Json& value, std::string_view key);
const JsonArray& list_at(const Json& value, std::string_view key);
// Text or null.
Json or_null(const std::optional<std::string>& text);
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
