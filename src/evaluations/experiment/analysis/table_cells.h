// Rows and cells of an experiment's tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"

namespace assay::experiment::cells {

using Row = std::vector<Json>;

inline Json text(std::string_view value) {
  return boost::json::string(value);
}

inline Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json low(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->low) : Json(nullptr);
}

inline Json high(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->high) : Json(nullptr);
}

inline void append(Row& row, const Estimate& estimate) {
  row.push_back(number(estimate.value));
  row.push_back(low(estimate));
  row.push_back(high(estimate));
}

inline void append_bounds(Row& row, const Estimate& estimate) {
  row.push_back(estimate.bounds ? Json(estimate.bounds->low) : Json(nullptr));
  row.push_back(estimate.bounds ? Json(estimate.bounds->high) : Json(nullptr));
}

inline Table table_of(std::string name, std::string title, std::vector<std::string> columns) {
  return {std::move(name), std::move(title), std::move(columns), {}, false, "", ""};
}

}  // namespace assay::experiment::cells
