// The score of an answer, by whichever scorer the task has: those of scorers.h, a judge, or a program.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "engine/context.h"
#include "evaluations/benchmark/scoring/scorers.h"
#include "evaluations/benchmark/task_file.h"
#include "evaluations/judge_step.h"
#include "evaluations/prompts.h"
#include "models/model.h"

namespace assay::benchmark {

// What a judge said before.
struct Verdict {
  std::string of;  // the question, by its fingerprint
  double score = 0;
  JsonObject details;
};

// Asks a model whether an answer fulfils the criteria of a rubric.
class RubricJudge {
 public:
  // `spec` describes the judge's model.
  RubricJudge(JudgeSettings judge, ModelSpec spec, const PromptLibrary& prompts,
              std::vector<ConfigProblem>& problems);

  // The mean over the criteria of 1 (fulfilled), ½ (partly) or 0. What was said before of the same question
  // by the same model stands. Error: the judge gave no usable answer.
  Task<Result<AnswerScore>> score(CaseContext& context, std::span<const Verdict> before,
                                  const std::string& task, const Json* expected, const Json& answer,
                                  const std::vector<std::string>& criteria) const;
  // Whether it need not be asked: what was said before answers it.
  bool knows(std::span<const Verdict> before, const std::string& task, const Variation& variation,
             const Json& answer, const std::vector<std::string>& criteria) const;
  // Of the question, roughly.
  std::int64_t prompt_tokens(const std::string& task, const Variation& variation, const Json& answer,
                             const std::vector<std::string>& criteria) const;
  const std::string& model() const { return step_.judge().model; }

 private:
  struct Question {
    ChatRequest request;
    std::string step;
    std::string print;  // of the question and of whoever is asked: see Verdict::of
  };
  Question question(const std::string& task, const Json* expected, const Json& answer,
                    const std::vector<std::string>& criteria) const;

  JudgeStep step_;
  ModelSpec spec_;
};

struct ScoringRequest {
  const Scorer& scorer;
  std::string prompt;  // that the system was given, for judge and program
  const Variation& variation;
  const Json& answer;
  // What the step of a program begins with. It is run in every sitting, since it may have been mended; a
  // judge is not asked the same again.
  std::string program_steps;
  std::span<const Verdict> verdicts = {};
};

// Nothing if the scorer needs an expected output and there is none. An error is of kind judge, or means that
// the run is being wound down; never the system's fault.
Task<Result<std::optional<AnswerScore>>> score_answer(CaseContext& context, const RubricJudge* judge,
                                                      ScoringRequest request);

}  // namespace assay::benchmark
