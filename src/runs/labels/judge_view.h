// What the judge of a figure saw of a case. It is said here once for each evaluation and metric, and a person
// who judges the case too is shown that and nothing else: no answer key that the judge did not have, no name
// of the system, no other column of the data. An experiment's and a benchmark's are written by hand
// (judged_run.cc). Pure, but for prompts that the config names as files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "runs/labels/judged_run.h"

namespace assay::labels {

struct JudgeView {
  // By name, beside the answer; nothing: every field that the evaluation knows.
  std::optional<std::vector<std::string>> fields = {};
  // Of the custom evaluation: whether the judge saw the answer at all, and what of it stood in the output's
  // place (a metric's `of`); "": the output.
  bool answer = true;
  std::string of = {};

  bool shows(std::string_view field) const;
  std::string answer_name() const { return of.empty() ? "answer" : of; }
};

// Of a figure of the run; "": of a question of the person's own, which may need all that any judge saw. With
// classes hidden a person sees nothing that tells the class. An error if a prompt cannot be read any more.
Result<JudgeView> judge_view(const JudgedRun& run, std::string_view figure, Classes classes);

}  // namespace assay::labels
