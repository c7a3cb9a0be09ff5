#include "evaluations/components/rag_facts.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::components {
namespace {

struct Classification {
  std::shared_ptr<const FactClassifier> classifier;
  bool fresh = false;  // no metric before this one uses it
};

// A metric whose judge is the same as that of an earlier one shares its classification.
Classification classifier_for(const RagMetricParts& parts) {
  for (const auto& existing : parts.classifiers) {
    if (existing->judge() == parts.judge) return {existing, false};
  }
  const std::size_t number = parts.classifiers.size() + 1;
  std::string name = number == 1 ? "factual_classification" : fmt::format("factual_classification{}", number);
  parts.classifiers.push_back(std::make_shared<FactClassifier>(parts, std::move(name)));
  return {parts.classifiers.back(), true};
}

class FactShare final : public RagMetric {
 public:
  // `others` is the list beside TP in the denominator.
  FactShare(const RagMetricParts& parts, const char* others, const char* undefined)
      : classification_(classifier_for(parts)), others_(others), undefined_(undefined) {}

  Task<MetricScore> judge(const RagCase& input, RagRun& run) const override {
    if (!input.ideal_answer) co_return not_applicable("there is no ideal_answer");
    auto facts = co_await classification_.classifier->classify(input, run);
    if (!facts) co_return without_score(std::move(facts.error()));
    const auto count = [&facts](const char* list) { return find_member(*facts, list)->get_array().size(); };
    JsonObject detail = facts->get_object();
    if (count("TP") + count("FP") + count("FN") == 0)
      co_return nothing_to_judge("the judge found no fact in either answer", std::move(detail));
    const std::size_t all = count("TP") + count(others_);
    if (all == 0) co_return not_applicable(undefined_, std::move(detail));
    co_return MetricScore{static_cast<double>(count("TP")) / static_cast<double>(all), std::move(detail),
                          std::nullopt, ""};
  }

  std::vector<ChatRequest> expected_requests(const RagCase& input) const override {
    if (!input.ideal_answer || !classification_.fresh) return {};
    return {classification_.classifier->request(input)};
  }

 private:
  Classification classification_;
  const char* others_;
  const char* undefined_;
};

// A fact stands in one list only, or the two figures would count it twice.
std::vector<std::string> repeated_facts(const Json& reply) {
  std::map<std::string, std::string> seen;
  std::vector<std::string> defects;
  for (const char* list : {"TP", "FP", "FN"}) {
    for (const std::string& fact : texts_of(reply, list)) {
      const auto [at, fresh] = seen.emplace(fact, list);
      if (!fresh) {
        defects.push_back(
            fmt::format("\"{}\" stands in {} and again in {}; each fact belongs in exactly one place", fact,
                        at->second, list));
      }
    }
  }
  return defects;
}

}  // namespace

FactClassifier::FactClassifier(const RagMetricParts& parts, std::string step)
    : judge_(parts.judge),
      name_(std::move(step)),
      step_(parts.prompts, "rag/factual_classification", {"answer", "ideal_answer"}, parts.judge,
            parts.problems) {}

Prompt::Values FactClassifier::values(const RagCase& input) {
  return {{"answer", block("answer", input.answer)},
          {"ideal_answer", block("ideal_answer", input.ideal_answer.value_or(""))}};
}

Task<Result<Json>> FactClassifier::classify(const RagCase& input, RagRun& run) const {
  return run.shared[this].get([this, &input, &run] {
    return step_.ask(run.context, fmt::format("{}/{}", run.name, name_), values(input), repeated_facts);
  });
}

ChatRequest FactClassifier::request(const RagCase& input) const {
  return step_.request(values(input));
}

std::unique_ptr<RagMetric> make_factual_precision(const RagMetricParts& parts) {
  return std::make_unique<FactShare>(parts, "FP", "the answer states no fact: precision has no denominator");
}

std::unique_ptr<RagMetric> make_factual_recall(const RagMetricParts& parts) {
  return std::make_unique<FactShare>(parts, "FN",
                                     "the ideal answer states no fact: recall has no denominator");
}

}  // namespace assay::components
