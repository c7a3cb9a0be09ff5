// What a stress test needs to know of the judges of an experiment: one answer is changed, and rated, and
// compared with an answer of control that stays as it was.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "evaluations/experiment/judged/judged_answers.h"
#include "evaluations/stress/stressing.h"

namespace assay::experiment {

inline constexpr const char* kRatingFigure = "overall.mean";
inline constexpr const char* kWinFigure = "win_rate.mean";

// Where the answer that is judged sits beside the other one.
enum class Seat { first, last };

// Of the line of a judged answer.
struct AnswerFacts final : CaseFacts {
  std::optional<double> seat;  // half of what sitting first was worth; nothing if it was not seen both ways
};

// `read` gives the answer of a case, nothing if there is none. `lacking`: why the answers are not there, ""
// if they are. `design` and what `read` needs outlive the result.
std::unique_ptr<stress::Stressing> judge_stressing(
    const Design& design, std::function<std::optional<JudgedAnswer>(const Case&)> read, std::string lacking);

}  // namespace assay::experiment
