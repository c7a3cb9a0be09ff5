#include "evaluations/components/rag_answers.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/components/component.h"
#include "evaluations/components/rag_contexts.h"
#include "evaluations/components/rag_figures.h"
#include "evaluations/components/rag_lines.h"
#include "evaluations/components/rag_metrics.h"
#include "evaluations/components/rag_record.h"
#include "evaluations/judge_config.h"
#include "models/tokens.h"

namespace assay::components {
namespace {

std::vector<DataField> input_fields() {
  return {{.name = "question"},
          {.name = "ideal_answer", .presence = Presence::optional, .nullable = true, .answer_key = true}};
}

std::vector<DataField> actual_fields() {
  return {{.name = "llm_answer"},
          {.name = "structured_contexts",
           .type = FieldType::any,
           .presence = Presence::optional,
           .nullable = true,
           .secondary = true,
           .check = check_contexts,
           .unread = count_unread_keys},
          {.name = "model", .presence = Presence::optional, .secondary = true}};
}

std::vector<DataField> all_fields() {
  std::vector<DataField> fields = input_fields();
  for (DataField& field : actual_fields()) fields.push_back(std::move(field));
  return fields;
}

// What an earlier run has left on a line that is to be answered again is known, and no more than that.
std::vector<DataField> generating_fields() {
  std::vector<DataField> fields = input_fields();
  for (const DataField& field : actual_fields()) {
    fields.push_back(
        {.name = field.name, .type = FieldType::any, .presence = Presence::optional, .nullable = true});
  }
  return fields;
}

Json answer_schema() {
  return JsonObject{
      {"type", "object"},
      {"properties", JsonObject{{"llm_answer", JsonObject{{"type", "string"},
                                                          {"description", "The answer to the question."}}}}},
      {"required", JsonArray{"llm_answer"}},
      {"additionalProperties", false}};
}

// As the judge reads a line that has its answer.
RagCase case_of(const JsonObject& line) {
  RagCase rag_case;
  const auto text = [&line](std::string_view name) -> std::optional<std::string> {
    const Json* value = line.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(value->get_string());
  };
  rag_case.question = text("question").value_or("");
  rag_case.answer = text("llm_answer").value_or("");
  rag_case.ideal_answer = text("ideal_answer");
  if (const Json* contexts = line.if_contains("structured_contexts");
      contexts != nullptr && !contexts->is_null()) {
    rag_case.contexts = context_texts(*contexts);
  }
  return rag_case;
}

// Contexts that a target gave: what is wrong with them, and what nothing reads.
void look_at_contexts(const Generated& generated, RagCase& rag_case, JsonObject& result) {
  for (const auto& [field, problem] : generated.unusable) {
    if (field == "structured_contexts") rag_case.unusable_contexts = problem;
  }
  generated.warn(result);
  const Json* contexts = generated.fields.if_contains("structured_contexts");
  if (contexts == nullptr) return;
  KeyCounts unread;
  count_unread_keys(*contexts, unread);
  if (unread.empty()) return;
  Json& warnings = result.emplace("warnings", JsonArray()).first->value();
  warnings.get_array().emplace_back(unread_words({.name = "structured_contexts"}, unread));
}

std::vector<std::string> contexts_of(const Json& fields) {
  return case_of(fields.get_object()).contexts.value_or(std::vector<std::string>());
}

struct ConfiguredMetric {
  RagMetricSettings settings;
  std::unique_ptr<RagMetric> metric;
};

std::vector<MeanFigure> means_of(const std::vector<ConfiguredMetric>& metrics) {
  std::vector<MeanFigure> means;
  for (const ConfiguredMetric& configured : metrics) {
    means.push_back({configured.settings.name + ".mean"});
    means.push_back({configured.settings.name + ".pass_rate"});
  }
  return means;
}

std::vector<RagMetricSettings> settings_of(const std::vector<ConfiguredMetric>& metrics) {
  std::vector<RagMetricSettings> settings;
  settings.reserve(metrics.size());
  for (const ConfiguredMetric& configured : metrics) settings.push_back(configured.settings);
  return settings;
}

class RagAnswers final : public Evaluation {
 public:
  RagAnswers(DataFile data, const std::string& cluster, int runs, std::vector<ConfiguredMetric> metrics,
             std::unique_ptr<Target> target, std::vector<std::string> models, std::optional<HumanCheck> human,
             std::map<std::string, std::string> prompts)
      : data_(std::move(data)),
        runs_(runs),
        metrics_(std::move(metrics)),
        lines_(settings_of(metrics_), contexts_of),
        target_(std::move(target)),
        models_(std::move(models)),
        human_(std::move(human)),
        prompts_(std::move(prompts)),
        actual_(actual_fields()),
        fields_(target_ ? generating_fields() : all_fields(), {}, cluster) {}

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_data(data_, fields_); }
  std::string data_path() const override { return data_.path; }
  bool asks_outside() const override { return true; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return evaluate(whole_line(fields_, *CaseFields(fields_, input), input.id), context);
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    JsonObject line = whole_line(fields_, *CaseFields(fields_, input), input.id);
    if (target_) {
      target_->estimate(line, estimate);
      // An answer and contexts of ordinary length: what a metric asks if the target gives its fields.
      line["llm_answer"] = std::string(800, 'x');
      line.erase("structured_contexts");
    }
    const RagCase certain = case_of(line);
    if (target_ && target_->may_give("structured_contexts"))
      line["structured_contexts"] = JsonArray(3, Json(std::string(1500, 'x')));
    const RagCase rag_case = case_of(line);
    for (const ConfiguredMetric& configured : metrics_) {
      const auto requests = configured.metric->expected_requests(rag_case);
      const bool may_be_less = configured.metric->expected_requests(certain).size() < requests.size();
      for (const ChatRequest& request : requests) {
        auto& model = estimate.models[request.model];
        model.at_most = model.at_most || may_be_less;
        model.calls += runs_;
        model.prompt_tokens += runs_ * estimate_prompt_tokens(request);
        model.completion_tokens += runs_ * (estimate_tokens(rag_case.answer) + 60);
      }
    }
  }

  std::vector<std::string> models() const override { return models_; }
  std::vector<std::string> variables() const override {
    return target_ ? target_->variables() : std::vector<std::string>{};
  }

  void line(const Case& input, const FinishedCase* finished, ResultLine& result) const override {
    assert(finished != nullptr);
    const CaseFields given(fields_, input);
    const RagRecord record = rag_record(finished->outcome.result);
    JsonObject fields = whole_line(fields_, *given, input.id);
    if (target_) replace_actual(fields, actual_, record.generated.value_or(JsonObject()));
    const Json shown = std::move(fields);
    if (record.generated) result.generated(to_text(shown));
    lines_.write(input, shown, record, result);
    result.extras(*given);
  }
  std::vector<std::string> columns() const override { return lines_.columns(); }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& /*run*/) const override {
    return make_rag_figures(lines_.metrics(), runs_, files);
  }

  std::vector<MeanFigure> mean_figures() const override { return means_of(metrics_); }
  std::map<std::string, std::string> prompts() const override { return prompts_; }
  const HumanCheck* human() const override { return human_ ? &*human_ : nullptr; }

  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names;
    for (const ConfiguredMetric& configured : metrics_) {
      for (const char* part : kRagFigures) names.push_back(configured.settings.name + "." + part);
    }
    if (human_) {
      for (std::string& name : human_->metric_names()) names.push_back(std::move(name));
    }
    return names;
  }

 private:
  Task<Outcome> evaluate(JsonObject line, CaseContext& context) const {
    Outcome outcome;
    RagRecord record;
    std::optional<Generated> given;
    if (target_) {
      auto generated = co_await target_->generate(line, context);
      if (!generated) co_return failed_outcome(generated.error());
      given = std::move(*generated);
      replace_actual(line, actual_, given->fields);
      record.generated = given->fields;
    }
    RagCase rag_case = case_of(line);
    JsonObject warnings;
    if (given) look_at_contexts(*given, rag_case, warnings);
    if (trim(rag_case.answer).empty()) {
      outcome.kind = OutcomeKind::target_failed;
      outcome.error = "the answer is empty: there is nothing to judge";
    } else {
      co_await judge(rag_case, context, record, outcome);
    }
    outcome.result = to_json(record);
    for (auto& [name, list] : warnings) outcome.result.emplace(name, std::move(list));
    co_return outcome;
  }

  // All runs of all metrics side by side.
  Task<void> judge(const RagCase& rag_case, CaseContext& context, RagRecord& record, Outcome& outcome) const {
    std::deque<RagRun> rag_runs;
    std::vector<Task<MetricScore>> judgements;
    for (int run = 1; run <= runs_; ++run) {
      RagRun& rag_run = rag_runs.emplace_back(context, fmt::format("run{}", run));
      for (const ConfiguredMetric& configured : metrics_)
        judgements.push_back(configured.metric->judge(rag_case, rag_run));
    }
    std::vector<MetricScore> scores = co_await all(std::move(judgements));
    std::size_t next = 0;
    for (int run = 1; run <= runs_; ++run) {
      for (const ConfiguredMetric& configured : metrics_) {
        MetricScore& score = scores[next++];
        if (score.error) note_failure(outcome, configured.settings.name, run, *score.error);
        record.add(configured.settings.name, JudgedRun(run, std::move(score)));
      }
    }
  }

  // The case is errored as soon as one judgement is missing; infrastructure failures come first, since a
  // resume tries them again.
  static void note_failure(Outcome& outcome, const std::string& metric, int run, const Error& error) {
    const OutcomeKind kind = outcome_of(error.kind);
    if (outcome.kind == OutcomeKind::scored || kind == OutcomeKind::infra_failed) outcome.kind = kind;
    if (!outcome.error.empty()) outcome.error += "; ";
    outcome.error += fmt::format("{}, run {}: {}", metric, run, error.text());
  }

  DataFile data_;
  int runs_;
  std::vector<ConfiguredMetric> metrics_;
  RagLines lines_;
  std::unique_ptr<Target> target_;
  std::vector<std::string> models_;
  std::optional<HumanCheck> human_;
  std::map<std::string, std::string> prompts_;
  std::vector<DataField> actual_;
  DataFields fields_;  // that cases are read with
};

std::vector<std::string> metric_kind_names() {
  std::vector<std::string> names;
  for (const RagMetricKind& kind : rag_metric_kinds()) names.emplace_back(kind.name);
  return names;
}

}  // namespace

Keys rag_answers_keys() {
  Keys keys = component_keys();
  keys.push_back(judge_key("The model that rates."));
  keys.push_back(
      {.name = "metrics",
       .type = KeyType::object_list,
       .help = "What is judged: names, or objects with settings of their own.",
       .required = true,
       .keys =
           {{.name = "name", .help = "Which metric.", .required = true, .choices = metric_kind_names()},
            {.name = "threshold",
             .type = KeyType::number,
             .help = "A case passes when its mean score reaches this.",
             .minimum = 0,
             .maximum = 1},
            {.name = "penalize_ambiguous",
             .type = KeyType::boolean,
             .help =
                 "faithfulness only: whether a claim that the contexts neither back nor contradict counts "
                 "against the answer (default true)."},
            {.name = "model", .help = "A judge of its own."},
            {.name = "temperature",
             .type = KeyType::number,
             .help = "Its sampling temperature.",
             .minimum = 0,
             .maximum = 2}},
       .shorthand = "name",
       .example = "[coherence, {name: faithfulness, threshold: 0.9}]"});
  keys.push_back({.name = "n_runs",
                  .type = KeyType::integer,
                  .help = "How often every case is judged.",
                  .default_value = 2,
                  .minimum = 1,
                  .maximum = 100});
  return keys;
}

std::unique_ptr<Evaluation> make_rag_answers(const Config& config, std::vector<ConfigProblem>& problems) {
  PromptLibrary prompts;
  prompts.replace(config, problems);
  std::unique_ptr<Target> target;
  if (config.boolean("generate"))
    target = make_target(config, {"question", input_fields(), actual_fields(), answer_schema()}, problems);

  const JudgeSettings judge = read_judge(config, "judge");
  std::vector<ConfiguredMetric> metrics;
  std::vector<std::string> models = target ? target->models() : std::vector<std::string>{};
  const Json* list = config.find("metrics");
  const JsonArray entries = list != nullptr && list->is_array() ? list->get_array() : JsonArray{};
  if (entries.empty())
    problems.push_back({"config", "metrics", "found an empty list, expected at least one metric"});
  std::vector<std::shared_ptr<const FactClassifier>> classifiers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Config entry(entries[i].get_object());
    const std::string key = fmt::format("metrics[{}]", i);
    JudgeSettings own = judge;
    if (entry.has("model")) own.model = entry.text("model");
    if (entry.has("temperature")) own.sampling.temperature = entry.number("temperature");
    if (own.model.empty())
      problems.push_back({"config", key, "has no judge; set `judge` or give the metric a `model`"});
    if (entry.has("penalize_ambiguous") && entry.text("name") != "faithfulness")
      problems.push_back({"config", key + ".penalize_ambiguous", "is a setting of faithfulness only"});
    for (const ConfiguredMetric& other : metrics) {
      if (other.settings.name == entry.text("name"))
        problems.push_back({"config", key, fmt::format("{} is there twice", entry.text("name"))});
    }
    for (const RagMetricKind& kind : rag_metric_kinds()) {
      if (kind.name != entry.text("name")) continue;
      RagMetricSettings settings{std::string(kind.name),
                                 entry.number("threshold").value_or(kind.default_threshold),
                                 kind.lower_is_better};
      if (std::find(models.begin(), models.end(), own.model) == models.end()) models.push_back(own.model);
      metrics.push_back(
          {std::move(settings),
           kind.make({prompts, own, !entry.has("penalize_ambiguous") || entry.boolean("penalize_ambiguous"),
                      classifiers, problems})});
    }
  }

  auto human = HumanCheck::from(config, means_of(metrics), problems);
  DataFile data = read_data_file(config, "input_path", problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<RagAnswers>(std::move(data), config.text("cluster"),
                                      static_cast<int>(config.integer("n_runs").value_or(2)),
                                      std::move(metrics), std::move(target), std::move(models),
                                      std::move(human), prompts.fingerprints("rag/"));
}

}  // namespace assay::components
