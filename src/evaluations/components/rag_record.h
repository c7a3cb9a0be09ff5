// What a case of rag_answers came to, as the journal keeps it: evaluate() writes it, line() reads it. What a
// target gave, and of every metric each run's score with everything that it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "evaluations/cascade/cascade_record.h"
#include "evaluations/components/rag_metrics.h"

namespace assay::components {

// One judgement by one metric.
struct JudgedRun {
  JudgedRun() = default;
  JudgedRun(std::int64_t number, MetricScore score);

  std::int64_t run = 0;
  std::optional<double> score;
  std::string not_applicable;  // why there is nothing to be scored
  std::string error;           // what failed
  std::string outcome;         // and whom it is charged to
  JsonObject detail;           // the judge's lists and reasons
};

struct RagRecord {
  std::optional<JsonObject> generated;                               // actual fields, if a target was asked
  std::vector<std::pair<std::string, std::vector<JudgedRun>>> runs;  // by metric; none if nothing was judged
  // Of a cascade: who was asked, and decided. `runs` are then the votes of the judge that did.
  std::optional<CascadeRecord> cascade = {};

  void add(std::string_view metric, JudgedRun run);
  // Null if the metric has judged nothing.
  const std::vector<JudgedRun>* find(std::string_view metric) const;
};

JsonObject to_json(const JudgedRun& run);
JsonObject to_json(const RagRecord& record);
// What is not as to_json() writes it is left out.
RagRecord rag_record(const JsonObject& result);

}  // namespace assay::components
