#include "evaluations/components/rag_metrics.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::components {
namespace {

MetricScore without_score(Error error, JsonObject detail = {}) {
  return {std::nullopt, std::move(detail), std::move(error)};
}

MetricScore nothing_to_judge(std::string message, JsonObject detail = {}) {
  return without_score(Error{ErrorKind::judge, std::move(message), {}}, std::move(detail));
}

// coherence: one call, a level from 1 to 5; the score is (level − 1) / 4.
class Coherence final : public RagMetric {
 public:
  Coherence(const PromptLibrary& prompts, JudgeSettings judge, std::vector<ConfigProblem>& problems)
      : rubric_(prompts, "rag/coherence", {"question", "answer"}, std::move(judge), problems) {}

  Task<MetricScore> judge(const RagCase& input, CaseContext& context, std::string step) const override {
    auto reply = co_await rubric_.ask(context, step + "/rubric", values(input));
    if (!reply) co_return without_score(std::move(reply.error()));
    // The schema has made sure of a whole number from 1 to 5.
    const auto level = static_cast<double>(as_integer(*find_member(*reply, "score")).value_or(1));
    co_return MetricScore{(level - 1) / 4, std::move(reply->get_object()), std::nullopt};
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

// relevance: statements of the answer, a verdict on each against the question; the score is the share not
// "no".
class Relevance final : public RagMetric {
 public:
  Relevance(const PromptLibrary& prompts, JudgeSettings judge, std::vector<ConfigProblem>& problems)
      : statements_(prompts, "rag/relevance_statements", {"answer"}, judge, problems),
        verdicts_(prompts, "rag/relevance_verdicts", {"question", "statements"}, std::move(judge), problems) {
  }

  Task<MetricScore> judge(const RagCase& input, CaseContext& context, std::string step) const override {
    JsonObject detail;
    auto found =
        co_await statements_.ask(context, step + "/statements", {{"answer", block("answer", input.answer)}});
    if (!found) co_return without_score(std::move(found.error()));
    const std::vector<std::string> statements = texts_of(*found, "statements");
    detail["statements"] = *find_member(*found, "statements");
    if (statements.empty())
      co_return nothing_to_judge("the judge found no statement in the answer", std::move(detail));
    auto judged = co_await verdicts_.ask(
        context, step + "/verdicts", verdict_values(input, statements),
        [count = statements.size()](const Json& reply) { return verdict_defects(reply, count); });
    if (!judged) co_return without_score(std::move(judged.error()), std::move(detail));
    const JsonArray& verdicts = find_member(*judged, "verdicts")->get_array();
    std::size_t relevant = 0;
    for (const Json& verdict : verdicts) {
      if (as_text(*find_member(verdict, "verdict")) != "no") ++relevant;
    }
    const double score = static_cast<double>(relevant) / static_cast<double>(verdicts.size());
    detail["verdicts"] = verdicts;
    co_return MetricScore{score, std::move(detail), std::nullopt};
  }

  std::vector<ChatRequest> expected_requests(const RagCase& input) const override {
    // The answer stands for its statements, which are about as long.
    return {statements_.request({{"answer", block("answer", input.answer)}}),
            verdicts_.request(verdict_values(input, {input.answer}))};
  }

 private:
  static Prompt::Values verdict_values(const RagCase& input, const std::vector<std::string>& statements) {
    return {{"question", block("question", input.question)},
            {"statements", block("statements", numbered(statements))},
            {"count", std::to_string(statements.size())}};
  }
  JudgeStep statements_;
  JudgeStep verdicts_;
};

template <class Metric>
std::unique_ptr<RagMetric> make(const PromptLibrary& prompts, JudgeSettings judge,
                                std::vector<ConfigProblem>& problems) {
  return std::make_unique<Metric>(prompts, std::move(judge), problems);
}

}  // namespace

std::vector<RagMetricKind> rag_metric_kinds() {
  return {
      {"coherence", 0.75, false, make<Coherence>},
      {"relevance", 0.8, false, make<Relevance>},
  };
}

JudgeStep::JudgeStep(const PromptLibrary& prompts, const std::string& name,
                     const std::vector<std::string>& placeholders, JudgeSettings judge,
                     std::vector<ConfigProblem>& problems)
    : name_(name),
      prompt_(prompts.prompt(name, placeholders, problems)),
      judge_(std::move(judge)),
      schema_json_(prompts.schema(name)) {
  std::replace(name_.begin(), name_.end(), '/', '_');
  auto schema = Schema::compile(schema_json_);
  if (schema) {
    schema_.emplace(std::move(*schema));
  } else {
    problems.push_back({"built-in schema", "prompts." + name, schema.error().text()});
  }
}

ChatRequest JudgeStep::request(const Prompt::Values& values) const {
  ChatRequest chat;
  chat.model = judge_.model;
  chat.messages = prompt_.render(values);
  chat.output = OutputSchema{name_, "The judgement that was asked for.", schema_json_};
  chat.sampling = judge_.sampling;
  return chat;
}

Task<Result<Json>> JudgeStep::ask(CaseContext& context, std::string step, Prompt::Values values,
                                  Check check) const {
  ChatRequest chat = request(values);
  // Repeated runs of one judgement are to be independent draws where the model samples at all.
  chat.sampling.seed = static_cast<std::int64_t>(context.random(step).bits32() >> 1);
  StructuredPolicy policy;
  policy.attempts = judge_.attempts;
  policy.check = std::move(check);
  auto answer = co_await assay::ask(context, std::move(step), std::move(chat), *schema_, std::move(policy));
  co_return std::move(answer.value);
}

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

std::vector<std::string> texts_of(const Json& reply, std::string_view list) {
  std::vector<std::string> texts;
  for (const Json& item : find_member(reply, list)->get_array()) {
    if (const auto text = as_text(item)) texts.emplace_back(*text);
  }
  return texts;
}

}  // namespace assay::components
