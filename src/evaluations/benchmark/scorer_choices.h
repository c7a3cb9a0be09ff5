// Which scorer each variation of a task has, and whether somebody declared it: a score means nothing to a
// reader who does not know what was compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/scoring/scorers.h"
#include "evaluations/benchmark/task_file.h"
#include "report/summary.h"

namespace assay::benchmark {

// How it scores, in words: "records by `ticket_id`, every expected field, order not looked at". `expected`
// may be null.
std::string words_of(const Scorer& scorer, const Json* expected);

// Variations of one task that are scored alike, in their order.
struct ScorerChoice {
  std::vector<std::size_t> variations;
  std::string scorer;  // "" if nothing is expected there: no score
  bool declared = false;
};
std::vector<ScorerChoice> scorer_choices(const TaskFile& task);

// "rank, variations 0, 2: records by `id`, … (by the form of expected_output)"
std::string sentence_of(const ScorerChoice& choice, const std::string& task, std::size_t variations);

// One row for each choice.
Table scorer_table();
void add_scorers(Table& table, const std::string& task, const TaskFile& file);

// Fingerprints of the programs that score a task, by task: what they print is a judgement like that of a
// judge, so that a run with another program is judged differently. A file that cannot be read is a problem.
void add_scorer_prints(const BenchmarkPlan& plan, std::map<std::string, std::string>& prints,
                       std::vector<ConfigProblem>& problems);

}  // namespace assay::benchmark
