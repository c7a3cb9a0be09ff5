#include "evaluations/experiment/design/blind_answers.h"

namespace assay::experiment {

BlindAnswers blinded(const std::vector<std::optional<std::string>>& responses) {
  BlindAnswers answers;
  answers.reserve(responses.size());
  for (const auto& response : responses)
    answers.push_back(response ? std::optional(take_out_roles(*response)) : std::nullopt);
  return answers;
}

std::string role_of(const Condition& condition, const Query& query, const Unmarked& answer) {
  if (!answer.roles.empty()) return answer.roles.front();
  return condition.role_per_query ? query.role : "";
}

}  // namespace assay::experiment
