// Which assertions of which tests are one metric. Assertions of the same kind, options and name that differ
// in their value only are one: the value becomes a field of the cases that have it, and the metric is not
// applicable to the others. An assertion that a single test has is a check of that case alone, unless it
// needs a judge or a program.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "imports/promptfoo/assertions.h"
#include "imports/promptfoo/fields.h"

namespace assay::promptfoo {

struct MetricScorer {
  std::string metric;
  ScorerDraft draft;
  std::string expected_field;  // what the text is held against; "": the scorer knows
};

struct MetricPlan {
  JsonArray metrics;                  // as the config has them; of a scorer without `program`
  std::vector<MetricScorer> scorers;  // of metrics by their names
  std::vector<std::string> without_weight;
  std::vector<JsonArray> checks;  // by test
  std::size_t assertions = 0;     // taken, by case
  std::size_t case_checks = 0;
  bool judged = false;
};

MetricPlan plan_metrics(const std::vector<Test>& tests, Fields& fields, Reading& reading);

}  // namespace assay::promptfoo
