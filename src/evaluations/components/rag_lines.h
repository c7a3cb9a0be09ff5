// The line of a judged answer: per metric the mean over runs and how much they differ, and what the figures
// over cases are made of. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/cascade/cascade_figures.h"
#include "evaluations/components/rag_record.h"
#include "evaluations/result_line.h"
#include "stats/intervals/mean.h"

namespace assay::components {

struct RagMetricSettings {
  std::string name;
  double threshold = 0;
  bool lower_is_better = false;
  bool passes(double score) const { return lower_is_better ? score <= threshold : score >= threshold; }
};

struct RagFacts final : CaseFacts {
  struct OfMetric {
    Moments runs;         // scores of the case
    std::string missing;  // the outcome that cost them all; "" if the metric does not apply to the case
  };
  std::vector<OfMetric> metrics;  // in the order of the settings
  CascadeFacts cascade;
  std::string tidy_rows;      // of tidy_results.csv, one per run
  std::string per_input_row;  // of results_per_input.csv
};

class RagLines {
 public:
  // The contexts of a case as the judge reads them.
  using ContextTexts = std::vector<std::string> (*)(const Json& fields);
  RagLines(std::vector<RagMetricSettings> metrics, ContextTexts contexts,
           std::shared_ptr<const Cascade> cascade = nullptr);

  const std::vector<RagMetricSettings>& metrics() const { return metrics_; }
  std::vector<std::string> columns() const;  // of results.csv
  // `fields` are those of the case, with what a target gave in place. `result` has names of this object.
  void write(const Case& input, const Json& fields, const RagRecord& record, ResultLine& result) const;

 private:
  struct Means {
    std::vector<Score> scores;
    JsonObject shown;             // by metric, with its runs
    std::optional<double> worst;  // goodness of the worst metric
    std::string worst_name;
    Moments goodness;  // of all metrics
  };
  Means means_of(const RagRecord& record, const RagFacts& facts) const;
  // Of a case that went up a cascade: the score that decides, and none if it is left to people.
  RagFacts::OfMetric decided(std::size_t metric, const Case& input, const RagRecord& record,
                             std::string_view outcome, std::string& tidy_rows) const;
  RagFacts::OfMetric add_runs(std::size_t metric, const Case& input, const std::vector<JudgedRun>& runs,
                              std::string& tidy_rows) const;

  std::vector<RagMetricSettings> metrics_;
  ContextTexts contexts_;
  std::shared_ptr<const Cascade> cascade_;  // null: every case is judged by one judge
  std::vector<std::string> mean_names_;
  std::vector<std::string> pass_names_;
};

// A score as a cell of CSV; empty if there is none.
std::string score_cell(std::optional<double> value);

}  // namespace assay::components
