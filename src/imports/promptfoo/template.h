// The part of promptfoo's templates (Nunjucks) that has a meaning here: `{{ name }}`, members and entries of
// a variable, texts, a few filters, comments and raw blocks. The variables of a suite are known when it is
// imported, so an expression is a value, not a program. Control flow and other filters are refused by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::promptfoo {

struct TemplatePart {
  enum class Kind { literal, expression } kind = Kind::literal;
  std::string text;  // of an expression: what stands between the braces, trimmed
};

struct Template {
  std::vector<TemplatePart> parts;

  bool is_literal() const;
  // The one expression that it consists of, or "".
  std::string only_expression() const;
};

// The error says what is not understood: "{% if … %}".
Result<Template> parse_template(std::string_view text);

// Null for a variable that is not there. The error names the filter, call or operator that has no
// counterpart.
Result<Json> evaluate(std::string_view expression, const JsonObject& variables);
// Whether the expression is nothing but a variable's name.
bool is_name(std::string_view expression);

// A missing variable gives nothing, other values than texts their JSON.
Result<std::string> render(const Template& pattern, const JsonObject& variables);
Result<std::string> render_text(std::string_view text, const JsonObject& variables);
// In every text of a tree.
Result<Json> render_tree(const Json& tree, const JsonObject& variables);

// `{{env.NAME}}` as this program writes it: `${NAME}`. Everything else stays.
std::string with_environment(std::string_view text);

}  // namespace assay::promptfoo
