// Asks the judge for one complete answer, as a call of the tool get_evaluations where the model takes tools
// and in another way where it does not. The answer counts only as a whole.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"
#include "engine/context.h"
#include "evaluations/judge_step.h"
#include "evaluations/persona/judgement.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::persona {

inline constexpr const char* kToolName = "get_evaluations";

class Judge {
 public:
  // `prompts` holds persona/*; a wrong file of the user's becomes a problem.
  Judge(Mode mode, std::string model, Sampling sampling, int attempts, bool send_request_schema,
        const PromptLibrary& prompts, std::vector<ConfigProblem>& problems);

  const std::string& model() const { return step_.judge().model; }
  // Everything that the judge sees for this request.
  ChatRequest chat(const Json& request) const;
  Task<Judgement> ask(CaseContext& context, std::string step, Json request) const;

 private:
  Mode mode_;
  JudgeStep step_;
  std::vector<Message> opening_;  // everything before the request
};

}  // namespace assay::persona
