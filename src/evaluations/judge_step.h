// One structured question to a judge: a prompt, the form and schema of its answer, and the model that
// answers. The judge is asked again, with the defects named, until schema and check are content, or until its
// attempts are over. Every judge of every evaluation is made of this; what an evaluation does otherwise
// (messages of its own, another temperature at every attempt, a way that it asks in first, an older spelling)
// is a parameter.
//
//   Task<Result<Json>> verdict = rubric.ask(context, "run1/coherence", {{"answer", block("answer", text)}});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "core/schema/schema.h"
#include "engine/context.h"
#include "evaluations/judge_config.h"
#include "evaluations/prompts.h"
#include "models/chat.h"
#include "models/structured/structured.h"

namespace assay {

// What the provider is told of the answer, and what it must fit.
struct JudgeAnswer {
  std::string name;
  std::string description;
  Json schema;
  std::optional<StructuredWay> preferred = {};  // the way that it is asked for in first
};

class JudgeStep {
 public:
  // For a caller that brings its messages, or fills a prompt of its own.
  JudgeStep(JudgeSettings judge, JudgeAnswer answer, std::vector<ConfigProblem>& problems,
            Prompt prompt = {});
  // With a prompt of the library, by its name ("rag/coherence"), and the schema that belongs to it. A wrong
  // file of the user's becomes a problem.
  JudgeStep(const PromptLibrary& prompts, const std::string& name,
            const std::vector<std::string>& placeholders, JudgeSettings judge,
            std::vector<ConfigProblem>& problems);

  const JudgeSettings& judge() const { return judge_; }

  ChatRequest request(const Prompt::Values& values) const { return request_with(prompt_.render(values)); }
  ChatRequest request_with(std::vector<Message> messages) const;

  // Everything that came, whatever the outcome. The attempts and their temperatures are this step's; `policy`
  // has the rest. The step must outlive the task.
  Task<StructuredAnswer> ask(CaseContext& context, std::string step, ChatRequest request,
                             StructuredPolicy policy) const;

  // Gives the defects of an answer that fits the schema, in words for the judge.
  using Check = std::function<std::vector<std::string>(const Json&)>;
  // The judge's JSON, or why there is none; with a seed that follows from the step.
  Task<Result<Json>> ask(CaseContext& context, std::string step, Prompt::Values values,
                         Check check = {}) const;

 private:
  JudgeSettings judge_;
  Prompt prompt_;
  OutputSchema output_;
  std::optional<Schema> schema_;
};

}  // namespace assay
