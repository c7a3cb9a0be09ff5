#include "runs/passed.h"

#include <boost/json/object.hpp>

namespace assay {

std::optional<bool> passed_of(const FieldValue& said, const Json& metrics) {
  std::optional<bool> passed;
  if (said.kind == FieldValue::Kind::boolean) passed = said.boolean;
  const JsonObject* by_name = metrics.if_object();
  if (by_name == nullptr) return passed;
  for (const auto& metric : *by_name) {
    const Json* one = find_member(metric.value(), "passed");
    if (one != nullptr && one->is_bool()) passed = passed.value_or(true) && one->get_bool();
  }
  return passed;
}

}  // namespace assay
