// A judge with the user's own prompt and schema, whose answer holds a number, a yes or no, or a level by
// name; and one that says which class an answer belongs to.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/asked/judgement.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/custom/asked/score_levels.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

bool can_be_scored(const Json& schema) {
  if (!levels_of(schema).empty()) return true;
  const Json* type = find_member(schema, "type");
  const auto fits = [](const Json& name) {
    const std::string_view word = as_text(name).value_or("");
    return word == "number" || word == "integer" || word == "boolean";
  };
  if (type == nullptr)
    return find_member(schema, "enum") != nullptr || find_member(schema, "const") != nullptr;
  return type->is_array() ? std::ranges::any_of(type->get_array(), fits) : fits(*type);
}

Json default_schema(Interval scale) {
  return JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{
           {"reason", JsonObject{{"type", "string"}, {"description", "What decided the score."}}},
           {"score", JsonObject{{"type", "number"}, {"minimum", scale.low}, {"maximum", scale.high}}}}},
      {"required", JsonArray{"reason", "score"}},
      {"additionalProperties", false}};
}

Json label_schema(const std::vector<std::string>& labels) {
  JsonArray names;
  for (const std::string& label : labels) names.emplace_back(label);
  return JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{{"reason", JsonObject{{"type", "string"}, {"description", "What decided the class."}}},
                  {"label", JsonObject{{"type", "string"}, {"enum", std::move(names)}}}}},
      {"required", JsonArray{"reason", "label"}},
      {"additionalProperties", false}};
}

// A prompt of the user's, filled with fields and parts of the answer as they are.
class OwnQuestion {
 public:
  OwnQuestion(Prompt prompt, std::vector<std::string> names, JudgeStep step)
      : prompt_(std::move(prompt)), names_(std::move(names)), step_(std::move(step)) {}

  ChatRequest request(const CaseAnswer& answer) const {
    const JsonObject values = metric_values(answer);
    Prompt::Values filled;
    for (const std::string& name : names_) {
      const Json* value = values.if_contains(name);
      filled.emplace_back(name, value != nullptr && !value->is_null() ? text_or_json(*value) : std::string());
    }
    return step_.request_with(prompt_.render(filled));
  }
  Task<Result<Json>> ask(const CaseAnswer& answer, std::string step, CaseContext& context) const {
    ChatRequest chat = request(answer);
    chat.sampling.seed = static_cast<std::int64_t>(context.random(step).bits32() >> 1);
    auto said = co_await step_.ask(context, std::move(step), std::move(chat), StructuredPolicy());
    co_return std::move(said.value);
  }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& model() const { return step_.judge().model; }

 private:
  Prompt prompt_;
  std::vector<std::string> names_;  // `{name}` in it
  JudgeStep step_;
};

std::optional<OwnQuestion> read_question(const MetricParts& parts, const Json* prompt,
                                         const std::string& below, const JudgeSettings& judge, Json schema) {
  if (prompt == nullptr) {
    parts.wrong(below, "missing, expected a file or a text");
    return std::nullopt;
  }
  auto text = parts.config.given_text(*prompt);
  auto parsed = text ? Prompt::parse(*text, {}) : Result<Prompt>(fail(text.error()));
  if (!parsed) {
    parts.wrong(below, parsed.error().text());
    return std::nullopt;
  }
  std::vector<std::string> names = placeholders_in(*text);
  leave_out_prose(names, parts.shown);
  if (std::ranges::find(names, "output") == names.end()) {
    parts.wrong(below, "the placeholder {output} is missing: the judge would not see what it judges");
    return std::nullopt;
  }
  if (auto compiled = Schema::compile(SharedJson(schema)); !compiled) {
    parts.wrong("judge.schema", compiled.error().text());
    return std::nullopt;
  }
  JudgeStep step(judge, {"judgement", "The judgement that was asked for.", std::move(schema)},
                 parts.problems);
  return OwnQuestion(std::move(*parsed), std::move(names), std::move(step));
}

class OwnJudge final : public JudgedMetric {
 public:
  OwnJudge(MetricShape shape, OwnQuestion question, std::string score, std::vector<std::string> levels)
      : JudgedMetric(std::move(shape)),
        question_(std::move(question)),
        score_(std::move(score)),
        levels_(std::move(levels)) {}

  std::vector<std::string> models() const override { return {question_.model()}; }
  std::vector<std::string> placeholders() const override { return question_.names(); }

 private:
  ChatRequest request(const CaseAnswer& answer) const override { return question_.request(answer); }
  Task<Result<Judgement>> judge(const CaseAnswer& answer, std::string step,
                                CaseContext& context) const override {
    auto said = co_await question_.ask(answer, std::move(step), context);
    if (!said) co_return fail(std::move(said.error()));
    const Json* found = find_pointer(*said, score_);
    const auto score = found != nullptr ? read_score(*found) : std::nullopt;
    if (!score) {
      co_return fail(ErrorKind::judge,
                     fmt::format("found {} at {} of the judgement, expected a number from {} to {}",
                                 found != nullptr ? excerpt(*found) : "nothing", score_, shape().scale.low,
                                 shape().scale.high));
    }
    Judgement judgement{*score};
    // The schema is the user's: a reason is where they usually stand, or the judgement as a whole.
    for (const char* name : {"reason", "reasoning", "explanation", "rationale"}) {
      if (judgement.reason.empty()) judgement.reason = text_at(*said, name);
    }
    if (judgement.reason.empty()) judgement.reason = to_text(*said);
    co_return judgement;
  }

  std::optional<double> read_score(const Json& value) const {
    const Interval& scale = shape().scale;
    if (const auto yes = as_boolean(value)) return *yes ? scale.high : scale.low;
    if (const auto number = as_number(value)) {
      if (*number < scale.low || *number > scale.high) return std::nullopt;
      return number;
    }
    const auto text = as_text(value);
    const auto level = text ? std::ranges::find(levels_, *text) : levels_.end();
    if (level == levels_.end()) return std::nullopt;
    if (levels_.size() == 1) return scale.high;
    const auto place = static_cast<double>(level - levels_.begin());
    return scale.low + (scale.high - scale.low) * place / static_cast<double>(levels_.size() - 1);
  }

  OwnQuestion question_;
  std::string score_;
  std::vector<std::string> levels_;
};

class LabelJudge final : public JudgedMetric {
 public:
  LabelJudge(MetricShape shape, OwnQuestion question)
      : JudgedMetric(std::move(shape)), question_(std::move(question)) {}

  std::vector<std::string> models() const override { return {question_.model()}; }
  std::vector<std::string> placeholders() const override { return question_.names(); }

 private:
  ChatRequest request(const CaseAnswer& answer) const override { return question_.request(answer); }
  Task<Result<Judgement>> judge(const CaseAnswer& answer, std::string step,
                                CaseContext& context) const override {
    auto said = co_await question_.ask(answer, std::move(step), context);
    if (!said) co_return fail(std::move(said.error()));
    co_return Judgement{0, text_at(*said, "reason"), text_at(*said, "label")};
  }

  OwnQuestion question_;
};

}  // namespace

std::unique_ptr<AskedMetric> make_own_judge(MetricParts parts) {
  const JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::score;
  const Config own(parts.entry.find("judge")->get_object());
  Json schema = default_schema(parts.shape.scale);
  if (const Json* given = own.find("schema")) {
    auto tree = parts.config.given_tree(*given);
    if (!tree) {
      parts.wrong("judge.schema", tree.error().text());
      return nullptr;
    }
    schema = std::move(*tree);
  }
  const std::string score = own.has("score") ? own.text("score") : std::string(kUsualScore);
  if (!score.starts_with('/')) {
    parts.wrong("judge.score", fmt::format("found {}, expected a JSON pointer such as /score", score));
    return nullptr;
  }
  const Json* place = schema_at(schema, score);
  if (place == nullptr) {
    parts.wrong("judge.score", fmt::format("the schema declares nothing at {}", score));
    return nullptr;
  }
  if (!can_be_scored(*place)) {
    parts.wrong("judge.score",
                fmt::format("the schema says {} at {}, expected a number, true or false, or an enum",
                            excerpt(*place), score));
    return nullptr;
  }
  std::vector<std::string> levels = levels_of(*place);
  auto question = read_question(parts, own.find("prompt"), "judge.prompt", settings.judge, std::move(schema));
  if (!question) return nullptr;
  return std::make_unique<OwnJudge>(parts.shape, std::move(*question), score, std::move(levels));
}

std::unique_ptr<AskedMetric> make_label_judge(MetricParts parts) {
  const JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::label;
  const Config own(parts.entry.find("label")->get_object());
  const std::vector<std::string> labels = own.texts("of");
  if (labels.size() < 2) {
    parts.wrong("label.of", "expected at least two classes that the judge chooses from");
    return nullptr;
  }
  auto question =
      read_question(parts, own.find("judge"), "label.judge", settings.judge, label_schema(labels));
  if (!question) return nullptr;
  return std::make_unique<LabelJudge>(parts.shape, std::move(*question));
}

}  // namespace assay::custom
