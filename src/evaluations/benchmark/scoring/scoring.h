// The score of an answer, by whichever scorer the task has: those of scorers.h, a judge, or a program.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/schema/schema.h"
#include "core/task.h"
#include "engine/context.h"
#include "evaluations/benchmark/scoring/scorers.h"
#include "evaluations/benchmark/task_file.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::benchmark {

// Asks a model whether an answer fulfils the criteria of a rubric.
class RubricJudge {
 public:
  RubricJudge(std::string model, Sampling sampling, int attempts, const PromptLibrary& prompts,
              std::vector<ConfigProblem>& problems);

  // The mean over the criteria of 1 (fulfilled), ½ (partly) or 0. Error: the judge gave no usable answer.
  Task<Result<AnswerScore>> score(CaseContext& context, const std::string& steps, const std::string& task,
                                  const Json* expected, const Json& answer,
                                  const std::vector<std::string>& criteria) const;
  const std::string& model() const { return model_; }

 private:
  std::string model_;
  Sampling sampling_;
  int attempts_;
  Prompt prompt_;
  SharedJson schema_json_;
  std::shared_ptr<const Schema> schema_;
};

struct ScoringRequest {
  const Scorer& scorer;
  std::string prompt;  // that the system was given, for judge and program
  const Variation& variation;
  const Json& answer;
  // What the steps begin with. A program is run in every sitting, since it may have been mended; a judge is
  // asked again only if it failed.
  std::string program_steps;
  std::string judge_steps;
};

// Nothing if the scorer needs an expected output and there is none. An error is of kind judge, or means that
// the run is being wound down; never the system's fault.
Task<Result<std::optional<AnswerScore>>> score_answer(CaseContext& context, const RubricJudge* judge,
                                                      ScoringRequest request);

}  // namespace assay::benchmark
