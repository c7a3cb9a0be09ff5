#include "imports/promptfoo/fields.h"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::promptfoo {
namespace {

// What a case or an answer has under these names is not a variable of the suite.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"id", "output", "checks", "contexts", "trace", "meta", "variant", "repeat", "error", "description"});

bool placeholder_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

bool good_field(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, placeholder_character) && !among(name, kReserved);
}

}  // namespace

Fields::Fields(const std::vector<Test>& tests) {
  for (const std::string_view name : kReserved) taken_.emplace_back(name);
  for (const Test& test : tests) {
    for (const auto& member : test.variables) {
      const std::string name(member.key());
      if (variables_.contains(name)) continue;
      variables_[name] = good_field(name) ? take_name(name) : take_name(plain_name("var_" + name, "var"));
    }
  }
}

std::string Fields::take_name(const std::string& wanted) {
  return unique_name(wanted, taken_);
}

void Fields::use_field(const std::string& field, FieldUse use) {
  const auto [entry, fresh] = uses_.emplace(field, use);
  if (!fresh && use == FieldUse::variant) entry->second = use;
}

std::string Fields::placeholder(const std::string& expression, FieldUse use) {
  std::string field;
  if (const auto variable = variables_.find(expression); variable != variables_.end()) {
    field = variable->second;
  } else if (const auto known = expressions_.find(expression); known != expressions_.end()) {
    field = known->second;
  } else {
    field = take_name(plain_name(expression, "made"));
    expressions_[expression] = field;
  }
  use_field(field, use);
  return fmt::format("{{{}}}", field);
}

// Literal text as it is, but for what would be taken for a placeholder.
std::string Fields::literal(std::string_view text, FieldUse use) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const std::string_view name = close == std::string_view::npos ? "" : text.substr(1, close - 1);
    if (name.empty() || !std::ranges::all_of(name, placeholder_character)) {
      out += '{';
      text.remove_prefix(1);
      continue;
    }
    const std::string whole(text.substr(0, close + 1));
    auto known = constants_.find(whole);
    if (known == constants_.end())
      known =
          constants_.emplace(whole, take_name(plain_name(fmt::format("braces_{}", name), "braces"))).first;
    use_field(known->second, use);
    out += fmt::format("{{{}}}", known->second);
    text.remove_prefix(close + 1);
  }
  return out;
}

Result<std::string> Fields::pattern(const Template& text, FieldUse use) {
  std::string out;
  for (const TemplatePart& part : text.parts) {
    if (part.kind == TemplatePart::Kind::literal) {
      out += literal(part.text, use);
      continue;
    }
    // Whether an expression has a meaning does not hang on the variables.
    if (const auto possible = evaluate(part.text, {}); !possible) return fail(possible.error());
    out += placeholder(part.text, use);
  }
  return out;
}

Result<Json> Fields::pattern_tree(const Json& tree, FieldUse use) {
  if (const auto text = as_text(tree)) {
    const auto parsed = parse_template(*text);
    if (!parsed) return fail(parsed.error());
    auto made = pattern(*parsed, use);
    if (!made) return fail(std::move(made.error()));
    return boost::json::string(*made);
  }
  if (const JsonArray* list = tree.if_array()) {
    JsonArray out;
    for (const Json& item : *list) {
      auto made = pattern_tree(item, use);
      if (!made) return made;
      out.push_back(std::move(*made));
    }
    return out;
  }
  if (const JsonObject* object = tree.if_object()) {
    JsonObject out;
    for (const auto& [key, value] : *object) {
      auto made = pattern_tree(value, use);
      if (!made) return made;
      out.emplace(key, std::move(*made));
    }
    return out;
  }
  return tree;
}

std::string Fields::add_own(const std::string& wanted, FieldUse use) {
  const std::string field = take_name(wanted);
  own_[field];
  use_field(field, use);
  return field;
}

void Fields::set(std::size_t test, const std::string& field, Json value) {
  own_[field][test] = std::move(value);
}

std::vector<std::string> Fields::shown_to_variants() const {
  std::vector<std::string> out;
  for (const auto& [field, use] : uses_) {
    if (use == FieldUse::variant) out.push_back(field);
  }
  return out;
}

JsonObject Fields::values(std::size_t index, const Test& test) const {
  JsonObject out;
  for (const auto& member : test.variables) {
    const Json& value = member.value();
    // As a template shows it: nothing.
    out[variables_.at(std::string(member.key()))] = value.is_null() ? Json("") : value;
  }
  // A field that is named somewhere is there in every case, or its braces would stay.
  for (const auto& [name, field] : variables_) {
    if (uses_.contains(field) && !out.contains(field)) out[field] = "";
  }
  for (const auto& [expression, field] : expressions_) {
    const auto value = evaluate(expression, test.variables);
    out[field] = !value || value->is_null() ? Json("") : *value;
  }
  for (const auto& [text, field] : constants_) out[field] = text;
  for (const auto& [field, by_test] : own_) {
    if (const auto value = by_test.find(index); value != by_test.end()) out[field] = value->second;
  }
  return out;
}

JsonObject Fields::declaration() const {
  JsonObject out;
  for (const auto& [field, use] : uses_) {
    if (use == FieldUse::variant) continue;
    JsonObject rule = {{"answer_key", true}};
    if (own_.contains(field)) rule["optional"] = true;
    out[field] = std::move(rule);
  }
  return out;
}

}  // namespace assay::promptfoo
