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

#include "core/config/config.h"
#include "core/json/json.h"
#include "core/once.h"
#include "engine/work.h"
#include "evaluations/judge_step.h"
#include "evaluations/prompts.h"
#include "models/chat.h"

namespace assay::components {

struct RagCase {
  std::string question;
  std::string answer;
  std::optional<std::string> ideal_answer;
  std::optional<std::vector<std::string>> contexts;  // each as the judge reads it: title, headings, content
  std::string unusable_contexts =
      {};  // what is wrong with those that a target gave; then `contexts` has none
};

// The score of one metric on one case in one run, with everything that it was made from. Without a score it
// says why: something failed, or there is nothing to be scored.
struct MetricScore {
  std::optional<double> score;
  JsonObject detail;           // the judge's lists and reasons
  std::optional<Error> error;  // a failure, which costs this score
  std::string not_applicable;  // no failure: the case lacks what the metric is about, or its denominator is 0
};

// One of several judgements of the same case, by all its metrics side by side.
struct RagRun {
  RagRun(CaseContext& of, std::string named) : context(of), name(std::move(named)) {}
  CaseContext& context;
  std::string name;  // "run1", which begins the names of its effects
  // What several metrics use, made by whichever comes first; by who makes it.
  std::map<const void*, Once<Result<Json>>> shared;
};

class RagMetric {
 public:
  virtual ~RagMetric() = default;
  virtual Task<MetricScore> judge(const RagCase& input, RagRun& run) const = 0;
  // Requests of one judgement, as far as they can be told beforehand.
  virtual std::vector<ChatRequest> expected_requests(const RagCase& input) const = 0;
};

class FactClassifier;  // rag_facts.h

// What a metric is made from.
struct RagMetricParts {
  const PromptLibrary& prompts;
  JudgeSettings judge;
  bool penalize_ambiguous = true;  // faithfulness
  // Those of the metrics made so far: metrics with the same judge share one.
  std::vector<std::shared_ptr<const FactClassifier>>& classifiers;
  std::vector<ConfigProblem>& problems;
};

// What of a case the prompts of a metric hold, and so what a person sees who judges in its place.
struct RagSight {
  bool question = false;
  bool answer = false;
  bool contexts = false;
  bool ideal_answer = false;

  // As rag_answers names them.
  std::vector<std::string> fields() const;
};

struct RagMetricKind {
  std::string_view name;
  double default_threshold;
  bool lower_is_better;
  RagSight sees;
  std::unique_ptr<RagMetric> (*make)(const RagMetricParts& parts);
};

// Every metric there is.
const std::vector<RagMetricKind>& rag_metric_kinds();
// Null: there is none of the name.
const RagMetricKind* rag_metric_kind(std::string_view name);

// The texts of one of the judge's lists.
std::vector<std::string> texts_of(const Json& reply, std::string_view list);

MetricScore without_score(Error error, JsonObject detail = {});
MetricScore not_applicable(std::string why, JsonObject detail = {});
// The judge found nothing to judge where something must be.
MetricScore nothing_to_judge(std::string message, JsonObject detail = {});

}  // namespace assay::components
