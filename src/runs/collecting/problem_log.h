// Problems as lines, "SEVERITY: WHERE: TEXT": those of a finished run in problems.log, and in stopped.log why
// a sitting ended before its run did. That one is there from then on until somebody goes on with the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/runner.h"
#include "report/summary.h"

namespace assay {

inline constexpr const char* kProblemsFile = "problems.log";
inline constexpr const char* kStoppedFile = "stopped.log";

// With its end. One line, whatever stands in ids and replies.
std::string problem_line(const Problem& problem);
Problem read_problem(std::string_view line);

// As far as it can be written: what stopped the run may be the disk.
void keep_why_stopped(const std::string& directory, const RunResult& result);
void forget_why_stopped(const std::string& directory);
// Nothing if no sitting has said so: the run goes on, is finished, or was killed.
std::optional<Problem> why_stopped(const std::string& directory);

}  // namespace assay
