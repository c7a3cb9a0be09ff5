// The fields of the cases: variables of the suite under their names or, where a name has a meaning of its own
// here, under another; what templates make of them; and what single tests expect. Templates become texts with
// `{field}`, and braces that stood in them as text come back from a field of their own, whose value nobody
// searches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "imports/promptfoo/template.h"
#include "imports/promptfoo/tests.h"

namespace assay::promptfoo {

// Who is given a field: one that only metrics use is an answer key.
enum class FieldUse { variant, metric };

class Fields {
 public:
  explicit Fields(const std::vector<Test>& tests);

  // The error says which part of the template has no counterpart.
  Result<std::string> pattern(const Template& text, FieldUse use);
  Result<Json> pattern_tree(const Json& tree, FieldUse use);

  // A field of the import's own, which some cases have; its values are set with `set`.
  std::string add_own(const std::string& wanted, FieldUse use);
  void set(std::size_t test, const std::string& field, Json value);

  // Names of variables and the fields that hold them.
  const std::map<std::string, std::string>& variables() const { return variables_; }
  // Fields that are not answer keys.
  std::vector<std::string> shown_to_variants() const;

  // The fields of one case, without its id.
  JsonObject values(std::size_t index, const Test& test) const;
  // `fields` of the config: the answer keys.
  JsonObject declaration() const;

 private:
  std::string placeholder(const std::string& expression, FieldUse use);
  std::string literal(std::string_view text, FieldUse use);
  std::string take_name(const std::string& wanted);
  void use_field(const std::string& field, FieldUse use);

  std::map<std::string, std::string> variables_;
  std::map<std::string, std::string> expressions_;  // that are more than a name: their fields
  std::map<std::string, std::string> constants_;    // texts with braces: their fields
  std::map<std::string, std::map<std::size_t, Json>> own_;
  std::map<std::string, FieldUse> uses_;
  std::vector<std::string> taken_;
};

}  // namespace assay::promptfoo
