#include "evaluations/components/rag_metrics.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "evaluations/components/rag_facts.h"
#include "evaluations/components/rag_verdicts.h"

namespace assay::components {
namespace {

// coherence: one call, a level from 1 to 5; the score is (level − 1) / 4.
class Coherence final : public RagMetric {
 public:
  explicit Coherence(const RagMetricParts& parts)
      : rubric_(parts.prompts, "rag/coherence", {"question", "answer"}, parts.judge, parts.problems) {}

  Task<MetricScore> judge(const RagCase& input, RagRun& run) const override {
    auto reply = co_await rubric_.ask(run.context, run.name + "/coherence/rubric", values(input));
    if (!reply) co_return without_score(std::move(reply.error()));
    // The schema has made sure of a whole number from 1 to 5.
    const auto level = static_cast<double>(as_integer(*find_member(*reply, "score")).value_or(1));
    co_return MetricScore{(level - 1) / 4, std::move(reply->get_object()), std::nullopt, ""};
  }

  std::vector<ChatRequest> expected_requests(const RagCase& input) const override {
    return {rubric_.request(values(input))};
  }

 private:
  static Prompt::Values values(const RagCase& input) {
    return {{"question", block("question", input.question)}, {"answer", block("answer", input.answer)}};
  }
  JudgeStep rubric_;
};

std::unique_ptr<RagMetric> make_coherence(const RagMetricParts& parts) {
  return std::make_unique<Coherence>(parts);
}

}  // namespace

std::vector<std::string> RagSight::fields() const {
  std::vector<std::string> names;
  if (question) names.emplace_back("question");
  if (answer) names.emplace_back("llm_answer");
  if (contexts) names.emplace_back("structured_contexts");
  if (ideal_answer) names.emplace_back("ideal_answer");
  return names;
}

const std::vector<RagMetricKind>& rag_metric_kinds() {
  constexpr RagSight kAsked{.question = true, .answer = true};
  constexpr RagSight kHeldAgainstIdeal{.answer = true, .ideal_answer = true};
  static const std::vector<RagMetricKind> kinds = {
      {"relevance", 0.8, false, kAsked, make_relevance},
      {"faithfulness", 1, false, {.answer = true, .contexts = true}, make_faithfulness},
      {"context_relevancy", 0.8, false, {.question = true, .contexts = true}, make_context_relevancy},
      {"coherence", 0.75, false, kAsked, make_coherence},
      {"factual_precision", 1, false, kHeldAgainstIdeal, make_factual_precision},
      {"factual_recall", 1, false, kHeldAgainstIdeal, make_factual_recall},
      {"absence_of_factual_contradictions", 1, false, kHeldAgainstIdeal,
       make_absence_of_factual_contradictions},
      {"bias", 0, true, {.answer = true}, make_bias},
  };
  return kinds;
}

const RagMetricKind* rag_metric_kind(std::string_view name) {
  const auto found = std::ranges::find(rag_metric_kinds(), name, &RagMetricKind::name);
  return found == rag_metric_kinds().end() ? nullptr : &*found;
}

MetricScore without_score(Error error, JsonObject detail) {
  return {std::nullopt, std::move(detail), std::move(error), ""};
}

std::vector<std::string> texts_of(const Json& reply, std::string_view list) {
  std::vector<std::string> texts;
  for (const Json& item : find_member(reply, list)->get_array()) {
    if (const auto text = as_text(item)) texts.emplace_back(*text);
  }
  return texts;
}

MetricScore not_applicable(std::string why, JsonObject detail) {
  return {std::nullopt, std::move(detail), std::nullopt, std::move(why)};
}

MetricScore nothing_to_judge(std::string message, JsonObject detail) {
  return without_score(Error{ErrorKind::judge, std::move(message), {}}, std::move(detail));
}

}  // namespace assay::components
