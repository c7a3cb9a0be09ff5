#include "report/figure_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay {

Json number_json(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json(JsonArray{interval->low, interval->high}) : Json(nullptr);
}

JsonObject figure_json(const Estimate& estimate) {
  JsonObject json{
      {"value", number_json(estimate.value)}, {"ci", interval_json(estimate.ci)}, {"n", estimate.n}};
  if (!estimate.method.empty()) json["method"] = estimate.method;
  if (!estimate.undefined.empty()) json["undefined"] = estimate.undefined;
  if (!estimate.missing.empty()) {
    JsonObject missing;
    for (const auto& [reason, count] : estimate.missing) missing.emplace(reason, count);
    json["missing"] = std::move(missing);
  }
  if (estimate.bounds) json["bounds"] = interval_json(estimate.bounds);
  return json;
}

}  // namespace assay
