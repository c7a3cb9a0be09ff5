#include "evaluations/components/rag_verdicts.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::components {
namespace {

// The ids of `verdicts` must be 1…count, each exactly once.
std::vector<std::string> verdict_defects(const Json& reply, std::size_t count) {
  std::vector<std::string> defects;
  const JsonArray& verdicts = find_member(reply, "verdicts")->get_array();
  std::vector<int> seen(count + 1, 0);
  for (const Json& verdict : verdicts) {
    const auto id = as_integer(*find_member(verdict, "id"));
    if (!id || *id < 1 || *id > static_cast<std::int64_t>(count)) {
      defects.push_back(fmt::format("verdict with id {}: there are only items 1 to {}",
                                    excerpt(*find_member(verdict, "id")), count));
    } else {
      ++seen[static_cast<std::size_t>(*id)];
    }
  }
  for (std::size_t id = 1; id <= count; ++id) {
    if (seen[id] == 0) defects.push_back(fmt::format("item {} has no verdict", id));
    if (seen[id] > 1) defects.push_back(fmt::format("item {} has {} verdicts, expected one", id, seen[id]));
  }
  return defects;
}

std::string question_block(const RagCase& input) {
  return block("question", input.question);
}

std::string answer_block(const RagCase& input) {
  return block("answer", input.answer);
}

std::string ideal_block(const RagCase& input) {
  return block("ideal_answer", input.ideal_answer.value_or(""));
}

std::string contexts_block(const RagCase& input) {
  std::string text;
  if (input.contexts) {
    for (std::size_t i = 0; i < input.contexts->size(); ++i)
      text += block(fmt::format("context_{}", i + 1), (*input.contexts)[i]) + "\n";
  }
  return block("contexts", text);
}

// A list that the judge takes out of one piece of the material.
struct Extraction {
  const char* prompt;       // "faithfulness_truths"
  const char* list;         // its name in the reply
  const char* placeholder;  // of the prompt
  std::string (*material)(const RagCase&);
  const char* shown_as;  // placeholder of the verdict prompt, and its block
  const char* missing;   // what is said if the list is empty
};

using Fits = bool (*)(const RagCase&);

struct Plan {
  const char* name;
  std::vector<Extraction> extractions;  // the last one's entries are judged
  const char* verdicts;                 // prompt
  bool shows_question = false;          // to the verdict prompt
  const char* needs = "";               // "ideal_answer", "structured_contexts"
  std::vector<std::string> counted;     // verdicts that count towards the score
  std::optional<double> when_empty = {};
};

// Why the case lacks what the metric is about; "" if it does not.
std::string lacking(std::string_view needs, const RagCase& input) {
  if (needs == "ideal_answer" && !input.ideal_answer) return "there is no ideal_answer";
  if (needs == "structured_contexts" && !input.contexts) return "there are no structured_contexts";
  if (needs == "structured_contexts" && input.contexts->empty())
    return "structured_contexts is empty: nothing was retrieved";
  return "";
}

// Facts grouped by context keep the scope of their context when they are shown.
std::string grouped_facts(const JsonArray& contexts) {
  std::string text;
  for (const Json& context : contexts) {
    const JsonArray& facts = find_member(context, "facts")->get_array();
    if (facts.empty()) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("Context {} ({}):", to_text(*find_member(context, "id")),
                        as_text(*find_member(context, "scope")).value_or(""));
    for (const Json& fact : facts) text += fmt::format("\n- {}", as_text(fact).value_or(""));
  }
  return text;
}

std::string shown(const Json& reply, const Extraction& extraction) {
  const JsonArray& list = find_member(reply, extraction.list)->get_array();
  const bool grouped = !list.empty() && list.front().is_object();
  return grouped ? grouped_facts(list) : numbered(texts_of(reply, extraction.list));
}

// Grouped facts must speak of every context that was shown, and of no other: a context that is left out would
// lower the score as if the search had not found it.
std::vector<std::string> context_defects(const Json& reply, const Extraction& extraction,
                                         const RagCase& input) {
  std::vector<std::string> defects;
  const JsonArray& entries = find_member(reply, extraction.list)->get_array();
  const bool grouped = std::string_view(extraction.list) == "contexts";
  if (!grouped) return defects;
  const std::size_t count = input.contexts ? input.contexts->size() : 0;
  std::vector<bool> seen(count + 1, false);
  for (const Json& entry : entries) {
    const Json* id = find_member(entry, "id");
    const auto number = id != nullptr ? as_integer(*id) : std::nullopt;
    if (!number || *number < 1 || static_cast<std::size_t>(*number) > count) {
      defects.push_back(fmt::format("context with id {}: there are only contexts 1 to {}",
                                    id != nullptr ? excerpt(*id) : "null", count));
    } else {
      seen[static_cast<std::size_t>(*number)] = true;
    }
  }
  for (std::size_t number = 1; number <= count; ++number) {
    if (!seen[number])
      defects.push_back(fmt::format("context {} is not there; one without facts has an empty list", number));
  }
  return defects;
}

class VerdictMetric final : public RagMetric {
 public:
  VerdictMetric(Plan plan, const RagMetricParts& parts)
      : plan_(std::move(plan)),
        verdicts_(parts.prompts, std::string("rag/") + plan_.verdicts, verdict_placeholders(plan_),
                  parts.judge, parts.problems) {
    for (const Extraction& extraction : plan_.extractions) {
      steps_.emplace_back(parts.prompts, std::string("rag/") + extraction.prompt,
                          std::vector<std::string>{extraction.placeholder}, parts.judge, parts.problems);
    }
  }

  Task<MetricScore> judge(const RagCase& input, RagRun& run) const override {
    if (plan_.needs == std::string_view("structured_contexts") && !input.unusable_contexts.empty()) {
      co_return without_score(
          Error{ErrorKind::target, "the target's structured_contexts: " + input.unusable_contexts, {}});
    }
    if (std::string why = lacking(plan_.needs, input); !why.empty()) co_return not_applicable(std::move(why));
    const std::string step = fmt::format("{}/{}/", run.name, plan_.name);
    std::vector<Task<Result<Json>>> questions;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Extraction& extraction = plan_.extractions[i];
      questions.push_back(steps_[i].ask(
          run.context, step + extraction.list, {{extraction.placeholder, extraction.material(input)}},
          [&extraction, &input](const Json& reply) { return context_defects(reply, extraction, input); }));
    }
    const std::vector<Result<Json>> lists = co_await all(std::move(questions));

    JsonObject detail;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i]) detail[plan_.extractions[i].list] = *find_member(*lists[i], plan_.extractions[i].list);
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (!lists[i]) co_return without_score(lists[i].error(), std::move(detail));
      texts.push_back(shown(*lists[i], plan_.extractions[i]));
      if (!texts.back().empty()) continue;
      if (plan_.when_empty) co_return MetricScore{plan_.when_empty, std::move(detail), std::nullopt, ""};
      co_return nothing_to_judge(plan_.extractions[i].missing, std::move(detail));
    }
    const std::size_t count = texts_of(*lists.back(), plan_.extractions.back().list).size();
    auto judged =
        co_await verdicts_.ask(run.context, step + "verdicts", verdict_values(input, texts, count),
                               [count](const Json& reply) { return verdict_defects(reply, count); });
    if (!judged) co_return without_score(std::move(judged.error()), std::move(detail));
    const JsonArray& verdicts = find_member(*judged, "verdicts")->get_array();
    const auto counted = std::count_if(verdicts.begin(), verdicts.end(), [this](const Json& verdict) {
      const auto word = as_text(*find_member(verdict, "verdict"));
      return std::find(plan_.counted.begin(), plan_.counted.end(), word) != plan_.counted.end();
    });
    detail["verdicts"] = verdicts;
    co_return MetricScore{static_cast<double>(counted) / static_cast<double>(verdicts.size()),
                          std::move(detail), std::nullopt, ""};
  }

  std::vector<ChatRequest> expected_requests(const RagCase& input) const override {
    if (!lacking(plan_.needs, input).empty()) return {};
    std::vector<ChatRequest> requests;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Extraction& extraction = plan_.extractions[i];
      // The material stands for the list that is taken out of it, which is about as long.
      texts.push_back(extraction.material(input));
      requests.push_back(steps_[i].request({{extraction.placeholder, texts.back()}}));
    }
    requests.push_back(verdicts_.request(verdict_values(input, texts, 5)));
    return requests;
  }

 private:
  static std::vector<std::string> verdict_placeholders(const Plan& plan) {
    std::vector<std::string> names;
    if (plan.shows_question) names.emplace_back("question");
    for (const Extraction& extraction : plan.extractions) names.emplace_back(extraction.shown_as);
    return names;
  }

  Prompt::Values verdict_values(const RagCase& input, const std::vector<std::string>& texts,
                                std::size_t count) const {
    Prompt::Values values{{"count", std::to_string(count)}};
    if (plan_.shows_question) values.emplace_back("question", question_block(input));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const char* name = plan_.extractions[i].shown_as;
      values.emplace_back(name, block(name, texts[i]));
    }
    return values;
  }

  Plan plan_;
  std::vector<JudgeStep> steps_;  // of the extractions
  JudgeStep verdicts_;
};

}  // namespace

std::unique_ptr<RagMetric> make_relevance(const RagMetricParts& parts) {
  return std::make_unique<VerdictMetric>(
      Plan{.name = "relevance",
           .extractions = {{"relevance_statements", "statements", "answer", answer_block, "statements",
                            "the judge found no statement in the answer"}},
           .verdicts = "relevance_verdicts",
           .shows_question = true,
           .counted = {"yes", "idk"}},
      parts);
}

std::unique_ptr<RagMetric> make_faithfulness(const RagMetricParts& parts) {
  Plan plan{.name = "faithfulness",
            .extractions = {{"faithfulness_truths", "truths", "contexts", contexts_block, "truths",
                             "the judge found no fact in the contexts"},
                            {"faithfulness_claims", "claims", "answer", answer_block, "claims",
                             "the judge found no claim in the answer"}},
            .verdicts = "faithfulness_verdicts",
            .needs = "structured_contexts",
            .counted = {"yes"}};
  if (!parts.penalize_ambiguous) plan.counted.emplace_back("idk");
  return std::make_unique<VerdictMetric>(std::move(plan), parts);
}

std::unique_ptr<RagMetric> make_context_relevancy(const RagMetricParts& parts) {
  return std::make_unique<VerdictMetric>(
      Plan{.name = "context_relevancy",
           .extractions = {{"context_relevancy_truths", "contexts", "contexts", contexts_block, "facts",
                            "the judge found no fact in the contexts"},
                           {"context_relevancy_needs", "needs", "question", question_block, "needs",
                            "the judge found no need for information in the question"}},
           .verdicts = "context_relevancy_verdicts",
           .shows_question = true,
           .needs = "structured_contexts",
           .counted = {"yes", "idk"}},
      parts);
}

std::unique_ptr<RagMetric> make_absence_of_factual_contradictions(const RagMetricParts& parts) {
  return std::make_unique<VerdictMetric>(
      Plan{.name = "absence_of_factual_contradictions",
           .extractions = {{"contradictions_truths", "truths", "ideal_answer", ideal_block, "truths",
                            "the judge found no fact in the ideal answer"},
                           {"contradictions_claims", "claims", "answer", answer_block, "claims",
                            "the judge found no claim in the answer"}},
           .verdicts = "contradictions_verdicts",
           .needs = "ideal_answer",
           .counted = {"yes", "idk"}},
      parts);
}

std::unique_ptr<RagMetric> make_bias(const RagMetricParts& parts) {
  return std::make_unique<VerdictMetric>(
      Plan{.name = "bias",
           .extractions = {{"bias_opinions", "opinions", "answer", answer_block, "opinions", ""}},
           .verdicts = "bias_verdicts",
           .counted = {"yes"},
           .when_empty = 0.0},
      parts);
}

}  // namespace assay::components
