// What judges are asked, and their answers. A request holds the question and blinded texts and nothing else
// of the experiment: this is the only place where requests to judges are made, and it is never given a
// condition, a file name or a run. Only the question about a role is given the role.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/json/shared_json.h"
#include "core/schema/schema.h"
#include "engine/context.h"
#include "evaluations/experiment/judging/answers.h"
#include "evaluations/experiment/judging/judgements.h"
#include "evaluations/prompts.h"

namespace assay::experiment {

struct JudgeModel {
  std::string model;
  std::optional<double> temperature;
  std::optional<int> max_tokens;
};

enum class Tone { not_asked, asked };

// The judge's answer in the shape of its schema, or why there is none.
struct Judged {
  Result<Json> answer;
  int format_failures = 0;  // answers that could not be read or were incomplete
};

class Judges {
 public:
  // A wrong prompt file of the user's becomes a problem.
  Judges(JudgeModel pairwise, JudgeModel absolute, JudgeModel role, int attempts, Tone tone,
         const PromptLibrary& prompts, std::vector<ConfigProblem>& problems);

  // An evaluator is the same judge with a seed of its own.
  ChatRequest compare(const std::string& question, const std::string& response_a,
                      const std::string& response_b, int evaluator, Tone tone) const;
  ChatRequest rate(const std::string& question, const std::string& response, int evaluator, Tone tone) const;
  ChatRequest role(const Query& query, const std::string& role, const std::string& response,
                   int evaluator) const;

  // The form is that of the request. The judges must outlive the task.
  Task<Judged> ask(CaseContext& context, std::string step, ChatRequest request, AnswerForm form) const;

  const JudgeModel& pairwise() const { return pairwise_; }
  const JudgeModel& absolute() const { return absolute_; }
  const JudgeModel& role() const { return role_; }

 private:
  struct Form {
    SharedJson json;
    std::optional<Schema> schema;
  };
  void compile(AnswerForm form, Json schema, std::vector<ConfigProblem>& problems);
  const Form& form(AnswerForm form) const { return forms_[static_cast<std::size_t>(form)]; }
  ChatRequest request(const JudgeModel& judge, const Prompt& prompt, const Prompt::Values& values,
                      AnswerForm form, int evaluator) const;

  JudgeModel pairwise_;
  JudgeModel absolute_;
  JudgeModel role_;
  int attempts_;
  Prompt pairwise_prompt_;
  Prompt absolute_prompt_;
  Prompt role_prompt_;
  std::string pairwise_additions_;
  std::string absolute_additions_;
  std::string role_additions_;
  std::array<Form, 6> forms_;
};

AnswerForm pairwise_form(Tone tone);
AnswerForm absolute_form(Tone tone);
AnswerForm role_form(const Query& query);

}  // namespace assay::experiment
