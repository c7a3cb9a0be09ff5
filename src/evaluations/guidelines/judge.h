// Asks the judge about one chunk of guidelines: the prompt with its sections, the answer's schema, and repair
// of the checks that are bad, with every defect named. What stays bad costs its own guideline only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "engine/context.h"
#include "evaluations/guidelines/conversation.h"
#include "evaluations/guidelines/verdict.h"
#include "evaluations/judge_step.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::guidelines {

struct ChunkVotes {
  std::vector<Vote> votes;     // one for each guideline of the chunk
  std::optional<Error> error;  // if some have no check: the last failure
};

// What the judge sees of a conversation, by name, for a person who judges it too: the same in words, without
// the order in which its prompt has it, and without the guidelines.
JsonObject seen_by_judge(const Conversation& conversation);
// A guideline as the judge reads it, and several of them, numbered.
std::string words_for_judge(const Guideline& guideline);
std::string words_for_judge(std::span<const Guideline> guidelines);

class Judge {
 public:
  // A wrong prompt file of the user's becomes a problem. The temperatures are this judge's own.
  Judge(JudgeSettings judge, const PromptLibrary& prompts, std::vector<ConfigProblem>& problems);

  const std::string& model() const { return step_.judge().model; }
  // `vote` counts from 1; with several votes each has a seed of its own, for providers that take one.
  ChatRequest request(const Conversation& conversation, std::span<const Guideline> chunk, int vote,
                      int votes) const;
  // Conversation and chunk must outlive the task.
  Task<ChunkVotes> ask(CaseContext& context, std::string step, const Conversation& conversation,
                       std::span<const Guideline> chunk, int vote, int votes) const;

 private:
  JudgeStep step_;
};

}  // namespace assay::guidelines
