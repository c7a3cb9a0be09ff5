#include "evaluations/scoring/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::scoring {
namespace {

struct List {
  std::vector<const Json*> items;
  std::string note;
};

std::optional<List> list_in(const Json& value) {
  List list;
  if (const auto* object = value.if_object()) {
    const Json* inner = object->size() == 1 ? &object->begin()->value() : nullptr;
    if (inner == nullptr || !inner->is_array()) {
      list.items = {&value};
      list.note = "an object was read as a list of one";
      return list;
    }
    list.note =
        fmt::format("the list was taken from the field `{}`", std::string_view(object->begin()->key()));
    for (const Json& item : inner->get_array()) list.items.push_back(&item);
    return list;
  }
  if (!value.is_array()) return std::nullopt;
  for (const Json& item : value.get_array()) list.items.push_back(&item);
  return list;
}

const Json* id_of(const Json& row, const std::string& field, bool field_is_given) {
  const auto* object = row.if_object();
  if (object == nullptr) return &row;
  if (const Json* named = field.empty() ? nullptr : object->if_contains(field)) return named;
  return field_is_given || object->empty() ? nullptr : &object->begin()->value();
}

Rows with_ids(List list, std::string field, const RowRule& rule) {
  Rows rows;
  rows.note = std::move(list.note);
  for (const Json* item : list.items) {
    const Json* id = id_of(*item, field, !rule.key.empty());
    rows.rows.push_back({id != nullptr ? id_text(*id, rule.strict_types) : std::nullopt, item});
  }
  rows.field = std::move(field);
  return rows;
}

std::string first_field(const List& list) {
  for (const Json* item : list.items) {
    const auto* object = item->if_object();
    if (object != nullptr && !object->empty()) return object->begin()->key();
  }
  return "";
}

}  // namespace

std::optional<Rows> read_rows(const Json& value, const RowRule& rule) {
  auto list = list_in(value);
  if (!list) return std::nullopt;
  std::string field = rule.key.empty() ? first_field(*list) : rule.key;
  return with_ids(std::move(*list), std::move(field), rule);
}

std::optional<Rows> read_rows(const Json& answer, const RowRule& rule, const Rows& expected) {
  auto list = list_in(answer);
  if (!list) return std::nullopt;
  return with_ids(std::move(*list), rule.key.empty() ? expected.field : rule.key, rule);
}

std::optional<std::string> id_text(const Json& value, bool strict_types) {
  if (value.is_null() || value.is_structured()) return std::nullopt;
  if (const auto text = as_text(value); text && !strict_types) return std::string(*text);
  return canonical_text(value);
}

bool values_agree(const Json& expected, const Json& actual, double tolerance, bool strict_types) {
  if (canonical_text(expected) == canonical_text(actual)) return true;
  // Two texts are compared as texts ("007" is not "7"), unless a tolerance says that numbers are meant.
  const bool texts = expected.is_string() && actual.is_string();
  if (!texts || tolerance > 0) {
    const auto wanted = number_of(expected, strict_types);
    const auto got = number_of(actual, strict_types);
    if (wanted && got) return within(*wanted, *got, tolerance);
  }
  const auto wanted = id_text(expected, strict_types);
  return wanted && wanted == id_text(actual, strict_types);
}

bool within(double a, double b, double tolerance) {
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * std::max({std::fabs(a), std::fabs(b), tolerance});
  return std::fabs(a - b) <= tolerance + rounding;
}

std::optional<double> number_of(const Json& value, bool strict_types) {
  if (auto number = as_number(value)) return number;
  const auto text = strict_types ? std::nullopt : as_text(value);
  if (!text) return std::nullopt;
  const auto read = parse_json(trim(*text));
  return read ? as_number(*read) : std::nullopt;
}

}  // namespace assay::scoring
