// What two runs that are judged differently judged, and what their judges said: whether the answers are the
// same, and the reasons for the scores of some cases.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/compare/compare.h"

namespace assay {

// Reads the lines of both runs, and of an experiment the answers beside them. Where neither holds what was
// judged, it is the same if both runs read the same data, and unknown otherwise.
Result<JudgedAnswers> judged_answers(const RunScores& base, const RunScores& fresh);

// What the judge said of a case, for a figure ("correct.rate.new"): up to three different reasons.
std::string reason_of(std::string_view evaluation, const Json& line, std::string_view figure);

// Fills the reasons of the flips from the lines of both runs.
Status add_reasons(const RunScores& base, const RunScores& fresh, JudgeChange& change);

}  // namespace assay
