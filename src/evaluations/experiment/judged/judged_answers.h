// Answers that stand in a file, rated and compared by the judges of an experiment: no condition is asked, and
// there is no design. This is how anchors of an experiment are judged, and the cases of its stress test.
//
//   {"query": "…", "answer": "…", "against": "…"}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/evaluation.h"
#include "evaluations/experiment/experiment.h"

namespace assay::experiment {

struct JudgedAnswer {
  std::string query;
  std::string answer;
  std::string against;  // what it is compared with; "": it is only rated
};

// Everything wrong with the line is told by its field.
JudgedAnswer read_judged_answer(const Json& line, const Design& design, std::vector<std::string>& problems);
JsonObject to_line(const JudgedAnswer& answer, const std::string& id);

// `config` names the file under `answers`.
std::unique_ptr<Evaluation> make_judged_answers(const Config& config, const PromptLibrary& prompts,
                                                std::vector<ConfigProblem>& problems);

}  // namespace assay::experiment
