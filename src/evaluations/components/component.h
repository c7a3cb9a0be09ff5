// The shape that the arithmetic component evaluations share: lines with expected and actual fields, where the
// actual ones stand in the data or come from a target. Generated and supplied lines take the same path to the
// figures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/components/data.h"
#include "evaluations/components/target.h"
#include "evaluations/evaluation.h"
#include "evaluations/legacy_line.h"

namespace assay::components {

// Scores complete lines, one after the other, in input order.
class LineScorer {
 public:
  virtual ~LineScorer() = default;
  // Whether the line says of itself that the system failed on it, and why: it is then counted as failed and
  // not scored. Comes before score(); may write the line's rows.
  virtual std::optional<std::string> failure(const Case& /*input*/, const LineParser& /*line*/) {
    return std::nullopt;
  }
  // Adds the case's own fields to `result` and its rows to the task's files.
  virtual void score(const Case& input, const LineParser& line, LegacyLine& result) = 0;
  // `missing` counts the cases that have no actual fields, by outcome.
  virtual void finish(const std::map<std::string, std::int64_t>& missing, Summary& summary,
                      std::vector<NotableCase>& notable) = 0;
};

// A task, declared.
struct ComponentTask {
  std::string text_field;            // the case's text, e.g. "question"
  std::vector<DataField> input;      // what every line has
  std::vector<DataField> actual;     // what the target gives; positions follow those of `input`
  LineCheck check = {};              // between the fields; `actual` may not be there yet
  Json actual_schema;                // of the actual fields, for a prompted model
  std::vector<std::string> metrics;  // names; a trailing dot is a family
  std::vector<MeanFigure> means;     // of them, those that are means over the cases' scores
  std::function<std::unique_ptr<LineScorer>(const DataFields& fields, OutputFiles& files)> scorer;
};

// `generate`, `input_path` and `target`.
Keys component_keys();
std::unique_ptr<Evaluation> make_component(const Config& config, ComponentTask task,
                                           std::vector<ConfigProblem>& problems);

// The case as one object: its id, its declared and its extra fields.
JsonObject whole_line(const DataFields& fields, const LineParser& line, std::string_view id);
// The same for a target, without what it is measured against and what it is to give.
JsonObject without_answer_key(const DataFields& fields, JsonObject line);
// Puts a case's `generated` fields in the place of whatever actual fields the line came with: those are of
// another run.
void put_generated(JsonObject& line, const std::vector<DataField>& actual, const JsonObject& result);

// A case without usable output, for the report.
NotableCase failed_case(const Case& input, const Outcome& outcome, std::string text);

// Adds the common end of a results.jsonl line: extra, error (if any), usage, latency.
void finish_line(LegacyLine& result, const LineParser& line, const FinishedCase* finished,
                 std::string_view error);

// aggregate.csv: `property,value` of every metric.
void write_aggregate(const Summary& summary, OutputFiles& files);

}  // namespace assay::components
