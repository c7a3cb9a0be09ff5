// The judged metrics of rag_answers. Each is "lists in, score out": the judge fills lists through a JSON
// schema, and arithmetic makes the score, so that a score can be derived again from what is kept without
// asking a model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/json.h"
#include "core/schema.h"
#include "engine/work.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::components {

struct RagCase {
  std::string question;
  std::string answer;
  std::optional<std::string> ideal_answer;
};

// The score of one metric on one case in one run, with everything that it was made from.
struct MetricScore {
  std::optional<double> score;
  JsonObject detail;           // the judge's lists and reasons
  std::optional<Error> error;  // why there is no score
};

// Who judges, and how.
struct JudgeSettings {
  std::string model;
  Sampling sampling;
  int attempts = 3;
};

class RagMetric {
 public:
  virtual ~RagMetric() = default;
  // `step` begins the names of its effects: "run1/coherence".
  virtual Task<MetricScore> judge(const RagCase& input, CaseContext& context, std::string step) const = 0;
  // Requests of one judgement, as far as they can be told beforehand.
  virtual std::vector<ChatRequest> expected_requests(const RagCase& input) const = 0;
};

struct RagMetricKind {
  std::string_view name;
  double default_threshold;
  bool lower_is_better;
  std::unique_ptr<RagMetric> (*make)(const PromptLibrary& prompts, JudgeSettings judge,
                                     std::vector<ConfigProblem>& problems);
};

// Every metric there is, by name.
std::vector<RagMetricKind> rag_metric_kinds();

// One structured question to the judge: a prompt, its schema and the model that answers.
class JudgeStep {
 public:
  JudgeStep(const PromptLibrary& prompts, const std::string& name,
            const std::vector<std::string>& placeholders, JudgeSettings judge,
            std::vector<ConfigProblem>& problems);

  using Check = std::function<std::vector<std::string>(const Json&)>;
  // The judge's JSON, or why there is none. Asked again with the defects named until schema and check are
  // content.
  Task<Result<Json>> ask(CaseContext& context, std::string step, Prompt::Values values,
                         Check check = {}) const;
  ChatRequest request(const Prompt::Values& values) const;

 private:
  std::string name_;
  Prompt prompt_;
  JudgeSettings judge_;
  Json schema_json_;
  std::optional<Schema> schema_;
};

// Verdicts with ids 1…count, each exactly once; the defects in words otherwise.
std::vector<std::string> verdict_defects(const Json& reply, std::size_t count);
std::vector<std::string> texts_of(const Json& reply, std::string_view list);

}  // namespace assay::components
