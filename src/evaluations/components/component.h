// The shape that the arithmetic component evaluations share: lines with expected and actual fields, where the
// actual ones stand in the data or come from a target. Generated and supplied lines take the same path to the
// figures: a task declares its fields, scores one complete line, and folds the facts of all lines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/components/data.h"
#include "evaluations/components/target.h"
#include "evaluations/evaluation.h"

namespace assay::components {

// A case and the fields of its line by their positions.
struct CaseLine {
  const Case& input;
  const DataFields& fields;
  const LineParser& parser;
  const FieldValue& operator[](std::size_t field) const { return fields.value(parser, field); }
  Json tree(std::size_t field) const { return fields.tree(parser, field); }
};

// A task, declared.
struct ComponentTask {
  std::string text_field;            // the case's text, e.g. "question"
  std::vector<DataField> input;      // what every line has
  std::vector<DataField> actual;     // what the target gives, and never sees; positions follow `input`
  LineCheck check = {};              // between the fields; `actual` may not be there yet
  Json actual_schema;                // of the actual fields, for a prompted model
  std::vector<std::string> metrics;  // names; a trailing dot is a family
  std::vector<MeanFigure> means;     // of them, those that are means over the cases' scores
  std::vector<std::string> columns;  // of results.csv
  // Pure, of a line with all its fields: the case's own fields, scores, row of results.csv, facts, and
  // whether it is worth a look. A line that says of itself that the system failed on it calls result.failed()
  // and adds nothing but its row.
  std::function<void(const CaseLine& line, ResultLine& result)> score;
  // Of a case that failed: sets those of its facts that are known without its actual fields, what is expected
  // of it. Figures then say what it could have done to them. May be empty.
  std::function<void(const CaseLine& line, ResultLine& result)> expect = {};
  // Folds the facts; `files` takes the task's own files.
  std::function<std::unique_ptr<Aggregate>(OutputFiles& files)> aggregate;
};

// Folds the facts of the cases that were scored; the run itself counts the others. Of a task that declares
// `expect` the others are given to miss().
template <class Facts>
class FactsFold : public Aggregate {
 public:
  void add(const Case& input, const ResultLine& line) final {
    if (line.scored()) {
      fold(input, line.facts<Facts>());
    } else if (line.has_facts()) {
      miss(line.facts<Facts>(), std::string(to_string(line.outcome())));
    }
  }

 private:
  virtual void fold(const Case& input, const Facts& facts) = 0;
  virtual void miss(const Facts& /*facts*/, const std::string& /*outcome*/) {}
};

// `generate`, `input_path` with how it is read, and `target`.
Keys component_keys();
std::unique_ptr<Evaluation> make_component(const Config& config, ComponentTask task,
                                           std::vector<ConfigProblem>& problems);

// The case as one object: its id, its declared and its extra fields.
JsonObject whole_line(const DataFields& fields, const LineParser& line, std::string_view id);
// Puts what a target gave in the place of whatever actual fields the line came with: those are of another
// run.
void replace_actual(JsonObject& line, const std::vector<DataField>& actual, const JsonObject& generated);
// A field as it stands in the data, under its own name; nothing if it is not there.
void write_field(const CaseLine& line, std::size_t field, ResultLine& result);

}  // namespace assay::components
