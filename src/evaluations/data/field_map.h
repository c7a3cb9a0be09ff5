// `fields:` of a config: how a record of the data becomes one of the evaluation. Each field says which column
// it comes from, what type it has, and how a text is split; the record is rewritten to the evaluation's own
// names before it is checked. Pure.
//
//   fields:
//     question: {from: user_input}
//     must_say: {type: list, separator: ";", optional: true}
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"

namespace assay {

// `as_is`: whatever the data hold; of a table a text, unless the evaluation itself wants something else
// there. `tree`: a text that begins like a JSON list or object is one, every other stays a text.
enum class ValueKind { as_is, text, number, boolean, list, json, tree };

struct FieldRule {
  std::string name;
  std::string from;  // a column, or a JSON pointer into the record; never empty
  ValueKind kind = ValueKind::as_is;
  std::string separator =
      {};                   // of a list that is written as one text; "": `;`, unless the text is a JSON list
  bool optional = false;    // it may be absent or null, and an empty cell is none
  bool answer_key = false;  // nothing that is evaluated may see it
};

// What an evaluation itself wants of a field.
struct WantedField {
  ValueKind kind = ValueKind::as_is;  // of a cell of a table, where `fields` gives it no type
  bool optional = false;
};
struct WantedFields {
  std::map<std::string, WantedField, std::less<>> by_name;
  std::optional<WantedField> others = {};  // of all that are not named; nothing: they stay as they are
  const WantedField* find(std::string_view name) const;
};

// Where a record comes from: the cells of a row are texts for want of anything else, and an empty one of an
// optional field is none.
enum class RecordOrigin { json, row };

using FieldProblems = std::vector<std::string>;

struct FieldMap {
  std::vector<FieldRule> rules;

  bool empty() const { return rules.empty(); }
  const FieldRule* find(std::string_view name) const;

  // The record under the evaluation's names: what the rules say, and every other member under its own (a
  // column that a rule takes under another name is gone). Or everything that is wrong with it, each with
  // field, column, what was found and what was expected.
  std::expected<JsonObject, FieldProblems> rewrite(const JsonObject& record,
                                                   RecordOrigin origin = RecordOrigin::json,
                                                   const WantedFields& wanted = {}) const;
};

Key fields_key();
// From `fields`; problems name the key.
FieldMap read_field_map(const Config& config, std::vector<ConfigProblem>& problems);

// The value as that kind, or what is wrong with it: "found "12 €", expected a number".
std::expected<Json, std::string> converted(const Json& value, ValueKind kind,
                                           std::string_view separator = "");

}  // namespace assay
