// One structured question to a judge: a prompt, its schema and the model that answers. The judge is asked
// again, with the defects named, until schema and check are content.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/json/json.h"
#include "core/json/shared_json.h"
#include "core/schema/schema.h"
#include "engine/work.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::components {

// Who judges, and how.
struct JudgeSettings {
  std::string model;
  Sampling sampling;
  int attempts = 3;
  bool operator==(const JudgeSettings&) const = default;
};

class JudgeStep {
 public:
  // `name` is that of the prompt: "rag/coherence".
  JudgeStep(const PromptLibrary& prompts, const std::string& name,
            const std::vector<std::string>& placeholders, JudgeSettings judge,
            std::vector<ConfigProblem>& problems);

  // Gives the defects of an answer that fits the schema, in words for the judge.
  using Check = std::function<std::vector<std::string>(const Json&)>;
  // The judge's JSON, or why there is none.
  Task<Result<Json>> ask(CaseContext& context, std::string step, Prompt::Values values,
                         Check check = {}) const;
  ChatRequest request(const Prompt::Values& values) const;

 private:
  std::string name_;
  Prompt prompt_;
  JudgeSettings judge_;
  SharedJson schema_json_;
  std::optional<Schema> schema_;
};

// For a list `verdicts` of objects with an `id`: the ids must be 1…count, each exactly once.
std::vector<std::string> verdict_defects(const Json& reply, std::size_t count);
std::vector<std::string> texts_of(const Json& reply, std::string_view list);

}  // namespace assay::components
