// What a stress test needs to know of the judge of rubrics. The longest text of an answer is changed; the
// rest of it stays.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "evaluations/benchmark/judged/judged_answers.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/stress/stressing.h"

namespace assay::benchmark {

// `read` gives the answer of a case, nothing if it has none or no judge rates it. `lacking`: why the answers
// are not there, "" if they are. `moved` is the part of the scale beyond which a score has moved. `plan` and
// what `read` needs outlive the result.
std::unique_ptr<stress::Stressing> judge_stressing(
    const BenchmarkPlan& plan, std::function<std::optional<JudgedAnswer>(const Case&)> read,
    std::string lacking, double moved);

}  // namespace assay::benchmark
