// Asks the judge about one chunk of guidelines: the prompt with its sections, the answer's schema, and repair
// with every defect named. What stays bad costs its own guidelines only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/json/shared_json.h"
#include "core/schema/schema.h"
#include "engine/context.h"
#include "evaluations/guidelines/conversation.h"
#include "evaluations/guidelines/verdict.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::guidelines {

// Temperatures of the attempts, in turn.
inline constexpr double kTemperatures[] = {0.15, 0.3, 0.1};

struct ChunkVotes {
  std::vector<Vote> votes;     // one for each guideline of the chunk
  std::optional<Error> error;  // if some have no check: the last failure
};

class Judge {
 public:
  // A wrong prompt file of the user's becomes a problem.
  Judge(std::string model, std::optional<int> max_tokens, int attempts, const PromptLibrary& prompts,
        std::vector<ConfigProblem>& problems);

  const std::string& model() const { return model_; }
  // `vote` counts from 1; with several votes each has a seed of its own, for providers that take one.
  ChatRequest request(const Conversation& conversation, std::span<const Guideline> chunk, int vote,
                      int votes) const;
  Task<ChunkVotes> ask(CaseContext& context, std::string step, ChatRequest request, std::size_t asked,
                       std::size_t events) const;

 private:
  std::string model_;
  std::optional<int> max_tokens_;
  int attempts_;
  Prompt prompt_;
  SharedJson schema_json_;
  std::optional<Schema> schema_;
};

}  // namespace assay::guidelines
