// Answers that stand in a file, rated by the judge of their task's rubric: no system is asked, and there is
// no run. This is how anchors of a benchmark are judged, and the cases of its stress test.
//
//   {"task": "tone", "variation": 0, "system": "tool_calling", "answer": …}
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "engine/case.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/scoring/scoring.h"
#include "evaluations/evaluation.h"

namespace assay::benchmark {

struct JudgedAnswer {
  std::size_t task = 0;
  std::size_t variation = 0;
  System system = System::tool_calling;  // whose prompt the judge sees
  Json answer;

  // As if the system had given it.
  PlannedRun run() const { return {task, variation, 1, system, 0, ""}; }
};

// A line of the file. `variation` is a number from 0 or a name, and may be left out if there is but one;
// `system` is by default the first of the config. Everything wrong is told by its field.
JudgedAnswer read_judged_answer(const Json& line, const BenchmarkPlan& plan,
                                std::vector<std::string>& problems);
// The line of an answer.
JsonObject to_line(const JudgedAnswer& answer, const BenchmarkPlan& plan, const std::string& id);

// `config` names the file under `answers`.
std::unique_ptr<Evaluation> make_judged_answers(BenchmarkPlan plan, RubricJudge judge,
                                                std::map<std::string, std::string> prompts,
                                                const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::benchmark
