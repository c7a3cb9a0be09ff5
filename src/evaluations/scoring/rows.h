// An answer or an expected output as rows that have an id: what ranking and records compare. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::scoring {

// How ids and values of rows are told apart.
struct RowRule {
  std::string key;            // the field that is the id; "": the first field of the first expected row
  bool strict_types = false;  // whether 123 and "123" are different
};

struct Row {
  std::optional<std::string> id;  // as text to compare; nothing if the row has none
  const Json* value = nullptr;    // the row itself; lives as long as the tree it was read from
};

struct Rows {
  std::vector<Row> rows;
  std::string field;  // that held the ids; "" if the rows are ids themselves
  std::string note;   // what was read as a list though it is none; "" if nothing
};

// A list; an object with a single member that is a list stands for that list, and any other object for a list
// of one. Nothing if there is no list to be had.
std::optional<Rows> read_rows(const Json& value, const RowRule& rule);
// The rows of an answer: an id is looked up under the name that it has in the expected rows, and where a row
// has no such field, in its first one.
std::optional<Rows> read_rows(const Json& answer, const RowRule& rule, const Rows& expected);

// A text, number or true/false to compare: 143, 143.0 and "143" are one id, unless types are strict, when
// only the first two are. Null, lists and objects are no ids.
std::optional<std::string> id_text(const Json& value, bool strict_types);

// Whether two values of a field agree. Numbers may differ by `tolerance` (and by rounding in the last
// places); unless types are strict, a number may be written as text.
bool values_agree(const Json& expected, const Json& actual, double tolerance, bool strict_types);

// |a - b| ≤ tolerance as people mean it: 84.2 is within 0.1 of 84.1 although their binary difference is not.
bool within(double a, double b, double tolerance);
// A number, or, unless types are strict, text that is one as a whole.
std::optional<double> number_of(const Json& value, bool strict_types);

}  // namespace assay::scoring
