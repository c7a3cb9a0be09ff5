// How good is an answer? A scorer is declared for a task, by name or as an object with options, or follows
// from the form of the expected output; its score lies in 0…1. Everything here is pure; `rubric` (a judge)
// and `command` (a program) are declared here and carried out by whoever can ask a model or run a program.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "core/schema/schema.h"
#include "evaluations/scoring/records.h"
#include "evaluations/scoring/rows.h"

namespace assay::benchmark {

using scoring::RowRule;
using scoring::Tolerances;

enum class ScorerName { exact, number, records, ranking, schema, rubric, command };
std::string_view to_string(ScorerName name);
std::optional<ScorerName> scorer_named(std::string_view name);

struct Scorer {
  ScorerName name = ScorerName::exact;
  RowRule rule;                          // number, records, ranking
  double tolerance = 0;                  // number
  std::optional<double> cutoff;          // number; never below the tolerance
  Tolerances fields;                     // records
  std::shared_ptr<const Schema> schema;  // schema; nothing: expected_output is the schema
  std::vector<std::string> criteria;     // rubric
  std::vector<std::string> command;      // command
  std::chrono::nanoseconds timeout{0};   // command
  bool by_form = false;                  // nobody declared it: chosen by the form of the expected output
};

// The scorer at `pointer` of a task file or config: a name, or an object with `name` and the options of that
// scorer. Every problem is named with its place; nothing if there is one.
std::optional<Scorer> read_scorer(const YamlDocument& document, const std::string& pointer,
                                  const std::string& file, std::vector<ConfigProblem>& problems);
// The options of one scorer, for reading and for the reference page.
Keys scorer_keys(ScorerName name);

// A number: number. A list that is not empty: of objects, one of which has several fields: records, so that
// every value counts; of ids (texts, numbers, objects with one field): ranking. Anything else: exact.
Scorer default_scorer(const Json& expected);

// Whether it compares with an expected output; the others judge an answer by itself.
bool needs_expected(const Scorer& scorer);

// Why this scorer cannot be right for this expected output (null: there is none), in words for `check`: a
// ranking of something that is no list, an expected row without the key, the same id twice, a field with a
// tolerance that no row has. Empty if all is well.
std::vector<std::string> misfits(const Scorer& scorer, const Json* expected);

struct AnswerScore {
  double value = 0;
  JsonObject details;              // what stands beside it; {} for exact
  std::vector<std::string> notes;  // why it is 0, or what was forgiven
  std::string judged = {};         // which question to a judge it answers; "" if none was asked
};

// exact    1 if equal as JSON (order of keys free, 1 = 1.0), else 0.
// number   see scoring/number.h.
// records  see scoring/records.h.   ranking   see scoring/ranking.h.
// schema   1 if valid, else 0; the notes name every defect.
// Nothing: for rubric and command, and if there is no expected output for a scorer that needs one.
std::optional<AnswerScore> score(const Scorer& scorer, const Json* expected, const Json& answer);

}  // namespace assay::benchmark
