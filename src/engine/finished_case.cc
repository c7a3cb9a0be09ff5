#include "engine/finished_case.h"

#include <utility>

#include <boost/json/object.hpp>

namespace assay {

FinishedCase read_finished(const OutcomeRow& row) {
  FinishedCase finished;
  finished.outcome.kind = outcome_kind(row.outcome);
  auto tree = parse_json(row.result);
  if (!tree || !tree->is_object()) {
    finished.outcome.kind = OutcomeKind::infra_failed;
    finished.outcome.error = "the journaled outcome cannot be read";
    return finished;
  }
  JsonObject& object = tree->get_object();
  if (Json* result = object.if_contains("result"); result != nullptr && result->is_object()) {
    finished.outcome.result = std::move(result->get_object());
  }
  if (const Json* error = object.if_contains("error"); error != nullptr && error->is_string()) {
    finished.outcome.error = std::string(error->get_string());
  }
  if (Json* usage = object.if_contains("usage")) finished.usage = std::move(*usage);
  if (const Json* latency = object.if_contains("latency_ms"))
    finished.latency_ms = as_number(*latency).value_or(0);
  return finished;
}

}  // namespace assay
