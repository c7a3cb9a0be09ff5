// What judges are asked, and their answers. A request holds the question and blinded texts and nothing else
// of the experiment: this is the only place where requests to judges are made, and it is never given a
// condition, a file name or a run. Only the question about a role is given the role.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"
#include "engine/context.h"
#include "evaluations/experiment/judging/answers.h"
#include "evaluations/experiment/judging/judgements.h"
#include "evaluations/judge_step.h"
#include "evaluations/prompts.h"

namespace assay::experiment {

enum class Tone { not_asked, asked };

// The judge's answer in the shape of its schema, or why there is none.
struct Judged {
  Result<Json> answer;
  int format_failures = 0;  // answers that could not be read or were incomplete
};

class Judges {
 public:
  // A wrong prompt file of the user's becomes a problem.
  Judges(const JudgeSettings& pairwise, const JudgeSettings& absolute, const JudgeSettings& role, Tone tone,
         const PromptLibrary& prompts, std::vector<ConfigProblem>& problems);

  // An evaluator is the same judge with a seed of its own.
  ChatRequest compare(const std::string& question, const std::string& response_a,
                      const std::string& response_b, int evaluator, Tone tone) const;
  ChatRequest rate(const std::string& question, const std::string& response, int evaluator, Tone tone) const;
  ChatRequest role(const Query& query, const std::string& role, const std::string& response,
                   int evaluator) const;

  // The form is that of the request. The judges must outlive the task.
  Task<Judged> ask(CaseContext& context, std::string step, ChatRequest request, AnswerForm form) const;

  const JudgeSettings& pairwise() const { return step(AnswerForm::pairwise).judge(); }
  const JudgeSettings& absolute() const { return step(AnswerForm::absolute).judge(); }
  const JudgeSettings& role() const { return step(AnswerForm::role).judge(); }

 private:
  const JudgeStep& step(AnswerForm form) const { return steps_[static_cast<std::size_t>(form)]; }
  ChatRequest request(AnswerForm form, const Prompt::Values& values, int evaluator) const;

  std::vector<JudgeStep> steps_;  // by form
  std::string pairwise_additions_;
  std::string absolute_additions_;
  std::string role_additions_;
};

AnswerForm pairwise_form(Tone tone);
AnswerForm absolute_form(Tone tone);
AnswerForm role_form(const Query& query);

}  // namespace assay::experiment
