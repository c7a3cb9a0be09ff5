#include "evaluations/scoring/records.h"

#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <boost/json/object.hpp>

namespace assay::scoring {
namespace {

// Nothing of nothing is everything.
double share(double part, std::size_t whole) {
  return whole == 0 ? 1 : part / static_cast<double>(whole);
}

std::optional<double> share_if_any(std::int64_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

Json or_nothing(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// How far one row is right; counts its fields.
double row_accuracy(const Json& expected, const Json& answer, const std::string& id_field,
                    const Tolerances& tolerances, bool strict_types, Records& records) {
  const auto* fields = expected.if_object();
  if (fields == nullptr) return 1;
  std::size_t compared = 0;
  std::size_t right = 0;
  for (const auto& [key, value] : *fields) {
    const std::string name(key);
    if (name == id_field) continue;
    const auto tolerance = tolerances.find(name);
    const Json* actual = find_member(answer, name);
    const bool agrees =
        actual != nullptr &&
        values_agree(value, *actual, tolerance == tolerances.end() ? 0 : tolerance->second, strict_types);
    Records::Field& field = records.fields[name];
    ++field.compared;
    field.right += agrees ? 1 : 0;
    ++compared;
    right += agrees ? 1 : 0;
  }
  return share(static_cast<double>(right), compared);
}

}  // namespace

Records compare_records(const Rows& expected, const Rows& answer, const Tolerances& tolerances,
                        bool strict_types) {
  Records records;
  std::unordered_map<std::string_view, std::deque<const Json*>> by_id;
  for (const Row& row : answer.rows) {
    if (row.id) by_id[*row.id].push_back(row.value);
  }
  double right = 0;
  for (const Row& row : expected.rows) {
    const auto found = row.id ? by_id.find(*row.id) : by_id.end();
    if (found == by_id.end() || found->second.empty()) continue;
    right +=
        row_accuracy(*row.value, *found->second.front(), expected.field, tolerances, strict_types, records);
    found->second.pop_front();
    ++records.matched;
  }
  const std::size_t wanted = expected.rows.size();
  const std::size_t got = answer.rows.size();
  const auto matched = static_cast<double>(records.matched);
  records.missing = static_cast<std::int64_t>(wanted) - records.matched;
  records.extra = static_cast<std::int64_t>(got) - records.matched;
  records.precision = share_if_any(records.matched, got);
  records.recall = share_if_any(records.matched, wanted);
  records.f1 = share(2 * matched, wanted + got);
  records.score = share(2 * right, wanted + got);
  Records::Field all;
  for (const auto& [name, field] : records.fields) {
    all.right += field.right;
    all.compared += field.compared;
  }
  records.field_accuracy = share_if_any(all.right, static_cast<std::size_t>(all.compared));
  return records;
}

JsonObject to_json(const Records& records) {
  JsonObject fields;
  for (const auto& [name, field] : records.fields) {
    fields[name] = static_cast<double>(field.right) / static_cast<double>(field.compared);
  }
  return {{"precision", or_nothing(records.precision)},
          {"recall", or_nothing(records.recall)},
          {"f1", records.f1},
          {"field_accuracy", or_nothing(records.field_accuracy)},
          {"fields", std::move(fields)},
          {"matched", records.matched},
          {"missing", records.missing},
          {"extra", records.extra}};
}

}  // namespace assay::scoring
