// What two runs differ in beside their scores, in words: config, prompts, program, and of that what decides
// how answers are judged.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace assay {

std::vector<std::string> differences_between(const RunScores& base, const RunScores& fresh);
// Judge, judge prompts, metrics. Empty: a difference in scores is one of what was judged.
std::vector<std::string> judging_differences(const RunScores& base, const RunScores& fresh);

}  // namespace assay
