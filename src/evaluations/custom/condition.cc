#include "evaluations/custom/condition.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/schema/numbers.h"
#include "core/text.h"
#include "core/unicode.h"
#include "evaluations/custom/condition_reader.h"

namespace assay::custom {
namespace {

using Kind = ConditionNode::Kind;

enum class Numbers { exact, nearly };  // whether the last bits count

constexpr double kNearly = 1e-9;

// A number, also one that is spelled: a column of a CSV file holds texts.
std::optional<Json> number_of(const Json& value) {
  if (value.is_number()) return value;
  const auto text = as_text(value);
  auto read = text ? parse_json(trim(*text)) : Result<Json>(nullptr);
  if (!read || !read->is_number()) return std::nullopt;
  return std::move(*read);
}

std::partial_ordering compared(const Json& a, const Json& b, Numbers numbers) {
  if (numbers == Numbers::nearly) {
    const double x = *as_number(a);
    const double y = *as_number(b);
    if (std::fabs(x - y) <= kNearly * std::max({1.0, std::fabs(x), std::fabs(y)}))
      return std::partial_ordering::equivalent;
  }
  return schema::compare_numbers(a, b);
}

// How a field stands to what it is compared with. Unordered: not equal, and neither is less.
std::partial_ordering order_of(const Json& found, const Json& wanted, Numbers numbers) {
  using order = std::partial_ordering;
  if (wanted.is_null() || found.is_null())
    return wanted.is_null() && found.is_null() ? order::equivalent : order::unordered;
  if (wanted.is_number()) {
    const auto number = number_of(found);
    return number ? compared(*number, wanted, numbers) : order::unordered;
  }
  const std::string wish = text_or_json(wanted);
  if (const auto truth = as_boolean(found)) {
    const bool same = wish == (*truth ? "true" : "false") || wish == (*truth ? "yes" : "no");
    return same ? order::equivalent : order::unordered;
  }
  return nfc(text_or_json(found)) <=> nfc(wish);
}

bool is_present(const Json& value) {
  if (const auto text = as_text(value)) return !split_white_space(*text).empty();
  if (const auto truth = as_boolean(value)) return *truth;
  if (const auto* list = value.if_array()) return !list->empty();
  if (const auto* object = value.if_object()) return !object->empty();
  return !value.is_null();
}

bool test_holds(const ConditionNode& test, const Json& found, Numbers numbers) {
  const auto equals = [&](const Json& value) { return std::is_eq(order_of(found, value, numbers)); };
  const auto order = [&] { return order_of(found, test.values.front(), numbers); };
  switch (test.kind) {
    case Kind::present:
      return is_present(found);
    case Kind::equal:
    case Kind::in:
      return std::ranges::any_of(test.values, equals);
    case Kind::unequal:
    case Kind::not_in:
      return std::ranges::none_of(test.values, equals);
    case Kind::at_least:
      return std::is_gteq(order());
    case Kind::above:
      return std::is_gt(order());
    case Kind::at_most:
      return std::is_lteq(order());
    case Kind::below:
      return std::is_lt(order());
    default:
      return false;
  }
}

// `value_of(field)` is what a test looks at.
template <class ValueOf>
bool node_holds(const std::vector<ConditionNode>& nodes, std::size_t place, Numbers numbers,
                const ValueOf& value_of) {
  const ConditionNode& node = nodes[place];
  const auto holds = [&](std::size_t part) { return node_holds(nodes, part, numbers, value_of); };
  switch (node.kind) {
    case Kind::all:
      return std::ranges::all_of(node.parts, holds);
    case Kind::any:
      return std::ranges::any_of(node.parts, holds);
    case Kind::none:
      return std::ranges::none_of(node.parts, holds);
    default:
      return test_holds(node, *value_of(node.field), numbers);
  }
}

}  // namespace

Result<Condition> Condition::parse(std::string_view text, std::span<const std::string> fields) {
  auto nodes = read_condition(text, TestsOf::fields, fields);
  if (!nodes) return fail(std::move(nodes.error()));
  return Condition(std::move(*nodes));
}

bool Condition::holds(const JsonObject& fields) const {
  static const Json kNull;
  return node_holds(nodes_, nodes_.size() - 1, Numbers::exact, [&](const std::string& field) {
    const Json* value = fields.if_contains(field);
    return value != nullptr ? value : &kNull;
  });
}

std::vector<std::string> Condition::fields() const {
  std::vector<std::string> names;
  for (const ConditionNode& node : nodes_) {
    if (!node.field.empty() && std::ranges::find(names, node.field) == names.end())
      names.push_back(node.field);
  }
  return names;
}

Result<PassRule> PassRule::parse(std::string_view text) {
  auto nodes = read_condition(text, TestsOf::one_value, {});
  if (!nodes) return fail(std::move(nodes.error()));
  return PassRule(std::move(*nodes));
}

bool PassRule::holds(const Json& value) const {
  return node_holds(nodes_, nodes_.size() - 1, Numbers::nearly, [&](const std::string&) { return &value; });
}

bool PassRule::wants_low() const {
  return nodes_.back().kind == Kind::at_most || nodes_.back().kind == Kind::below;
}

}  // namespace assay::custom
