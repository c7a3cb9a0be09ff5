#include "evaluations/components/rag_answers.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/cascade/cascade.h"
#include "evaluations/cascade/cascade_figures.h"
#include "evaluations/components/cascade/rag_cascade.h"
#include "evaluations/components/component.h"
#include "evaluations/components/guides.h"
#include "evaluations/components/rag_contexts.h"
#include "evaluations/components/rag_figures.h"
#include "evaluations/components/rag_lines.h"
#include "evaluations/components/rag_metrics.h"
#include "evaluations/components/rag_record.h"
#include "evaluations/judge_config.h"
#include "evaluations/judges/judge_spread.h"
#include "evaluations/stress/rag.h"
#include "models/tokens.h"

namespace assay::components {

std::vector<DataField> rag_input_fields() {
  return {{.name = "question", .meaning = "what the user asked"},
          {.name = "ideal_answer",
           .presence = Presence::optional,
           .nullable = true,
           .meaning = "a good answer, for the metrics that compare with one",
           .answer_key = true}};
}

std::vector<DataField> rag_actual_fields() {
  return {{.name = "llm_answer", .meaning = "what was answered"},
          {.name = "structured_contexts",
           .type = FieldType::any,
           .presence = Presence::optional,
           .nullable = true,
           .meaning = "the texts that the answer rests on",
           .secondary = true,
           .check = check_contexts,
           .unread = count_unread_keys},
          {.name = "model", .presence = Presence::optional, .meaning = "who answered", .secondary = true}};
}

namespace {

std::vector<DataField> all_fields() {
  std::vector<DataField> fields = rag_input_fields();
  for (DataField& field : rag_actual_fields()) fields.push_back(std::move(field));
  return fields;
}

// What an earlier run has left on a line that is to be answered again is known, and no more than that.
std::vector<DataField> generating_fields() {
  std::vector<DataField> fields = rag_input_fields();
  for (const DataField& field : rag_actual_fields()) {
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
  warnings.get_array().emplace_back(unread_words("structured_contexts", unread));
}

std::vector<std::string> contexts_of(const Json& fields) {
  return case_of(fields.get_object()).contexts.value_or(std::vector<std::string>());
}

struct ConfiguredMetric {
  RagMetricSettings settings;
  // One, or one for each judge of a cascade.
  std::vector<std::unique_ptr<RagMetric>> judges;
};

const CascadeFacts& cascade_facts(const ResultLine& line) {
  return line.facts<RagFacts>().cascade;
}

std::vector<MeanFigure> means_of(const std::vector<ConfiguredMetric>& metrics) {
  std::vector<MeanFigure> means;
  for (const ConfiguredMetric& configured : metrics) {
    const RagMetricSettings& settings = configured.settings;
    means.push_back({settings.name + ".mean", {0, 1}, [settings](double s) { return settings.passes(s); }});
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
             std::unique_ptr<Target> target, std::vector<std::string> models, std::vector<HumanCheck> human,
             std::map<std::string, std::string> prompts, std::shared_ptr<Cascade> cascade)
      : data_(std::move(data)),
        runs_(runs),
        metrics_(std::move(metrics)),
        cascade_(std::move(cascade)),
        lines_(settings_of(metrics_), contexts_of, cascade_),
        target_(std::move(target)),
        models_(std::move(models)),
        human_(std::move(human)),
        prompts_(std::move(prompts)),
        actual_(rag_actual_fields()),
        fields_(target_ ? generating_fields() : all_fields(), with_needed_fields({}, target_.get()),
                cluster) {}

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_data(data_, fields_); }
  std::string data_path() const override { return data_.path; }
  bool asks_outside() const override { return true; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return evaluate(whole_line(fields_, *CaseFields(fields_, input), input.id), input.id, context);
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
      for (std::size_t judge = 0; judge < configured.judges.size(); ++judge) {
        const RagMetric& metric = *configured.judges[judge];
        const auto requests = metric.expected_requests(rag_case);
        // Who stands behind another one is asked about what that leaves.
        const bool may_be_less = judge > 0 || metric.expected_requests(certain).size() < requests.size();
        const int times = cascade_ ? cascade_->judges()[judge].votes : runs_;
        for (const ChatRequest& request : requests) {
          auto& model = estimate.models[request.model];
          model.at_most = model.at_most || may_be_less;
          model.calls += times;
          model.prompt_tokens += times * estimate_prompt_tokens(request);
          model.completion_tokens += times * (estimate_tokens(rag_case.answer) + 60);
        }
      }
    }
  }

  std::vector<std::string> models() const override { return models_; }
  std::vector<std::string> variables() const override {
    return target_ ? target_->variables() : std::vector<std::string>{};
  }
  std::vector<std::pair<std::string, std::string>> not_found() const override {
    return target_ ? target_->not_found() : std::vector<std::pair<std::string, std::string>>{};
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
    return with_cascade(make_rag_figures(lines_.metrics(), runs_, files), cascade_, files, cascade_facts,
                        cascade_ ? rag_metric_kind(metrics_.front().settings.name)->sees.fields()
                                 : std::vector<std::string>{});
  }
  RunCalibration* calibration() const override { return cascade_.get(); }
  std::vector<std::string> remarks() const override {
    return cascade_ ? std::vector<std::string>{cascade_remark(*cascade_)} : std::vector<std::string>{};
  }

  std::vector<MeanFigure> mean_figures() const override { return means_of(metrics_); }
  std::map<std::string, std::string> prompts() const override {
    std::map<std::string, std::string> prints = prompts_;
    if (cascade_) prints.merge(cascade_->fingerprints());
    return prints;
  }
  std::span<const HumanCheck> human() const override { return human_; }
  std::unique_ptr<stress::Stressing> stressing() const override {
    std::vector<std::string> names;
    names.reserve(metrics_.size());
    for (const ConfiguredMetric& configured : metrics_) names.push_back(configured.settings.name);
    return stress::rag_stressing(std::move(names),
                                 target_ ? "the target would be asked for its answers" : "");
  }
  std::string unchecked() const override {
    // The judges of a cascade are held against people before they decide anything.
    return !human_.empty() || cascade_ ? "" : not_checked(metrics_.front().settings.name + ".mean");
  }

  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names;
    for (const ConfiguredMetric& configured : metrics_) {
      for (const char* part : kRagFigures) names.push_back(configured.settings.name + "." + part);
      for (std::string& name : JudgeSpread::metric_names(configured.settings.name + ".mean"))
        names.push_back(std::move(name));
    }
    add_names(human_, names);
    if (cascade_) {
      for (std::string& name : cascade_metric_names(*cascade_)) names.push_back(std::move(name));
    }
    return names;
  }

 private:
  Task<Outcome> evaluate(JsonObject line, std::string id, CaseContext& context) const {
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
    } else if (cascade_) {
      co_await judge_by_cascade(rag_case, std::move(id), context, record, outcome);
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
        judgements.push_back(configured.judges.front()->judge(rag_case, rag_run));
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

  Task<void> judge_by_cascade(const RagCase& rag_case, std::string id, CaseContext& context,
                              RagRecord& record, Outcome& outcome) const {
    const ConfiguredMetric& metric = metrics_.front();
    auto judged =
        co_await go_up(*cascade_, {metric.judges, metric.settings, rag_case}, std::move(id), context);
    for (const auto& [vote, error] : judged.failures)
      note_failure(outcome, metric.settings.name, vote, error);
    int vote = 0;
    for (MetricScore& score : judged.scores)
      record.add(metric.settings.name, JudgedRun(++vote, std::move(score)));
    record.cascade = std::move(judged.way);
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
  std::shared_ptr<Cascade> cascade_;  // null: one judge decides every case
  RagLines lines_;
  std::unique_ptr<Target> target_;
  std::vector<std::string> models_;
  std::vector<HumanCheck> human_;
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
  keys.push_back(cascading_judge_key("The model that rates, or a cascade of several."));
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
                  .help = "How often every case is judged; a cascade has `votes` of its own.",
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
    target =
        make_target(config, {"question", rag_input_fields(), rag_actual_fields(), answer_schema()}, problems);

  std::shared_ptr<Cascade> cascade = read_rag_cascade(config, problems);
  if (has_cascade(config) && !cascade) return nullptr;
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
    std::vector<JudgeSettings> judges{judge};
    if (entry.has("model")) judges.front().model = entry.text("model");
    if (entry.has("temperature")) judges.front().sampling.temperature = entry.number("temperature");
    if (cascade) {
      judges.clear();
      for (const CascadeJudge& one : cascade->judges()) judges.push_back(one.settings);
    }
    if (judges.front().model.empty())
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
      ConfiguredMetric configured{std::move(settings), {}};
      for (const JudgeSettings& own : judges) {
        if (std::find(models.begin(), models.end(), own.model) == models.end()) models.push_back(own.model);
        configured.judges.push_back(
            kind.make({prompts, own, !entry.has("penalize_ambiguous") || entry.boolean("penalize_ambiguous"),
                       classifiers, problems}));
      }
      metrics.push_back(std::move(configured));
    }
  }

  auto human = HumanCheck::from(config, means_of(metrics), problems);
  DataFile data = read_data_file(config, "input_path", problems);
  if (!problems.empty()) return nullptr;
  auto made = std::make_unique<RagAnswers>(std::move(data), config.text("cluster"),
                                           static_cast<int>(config.integer("n_runs").value_or(2)),
                                           std::move(metrics), std::move(target), std::move(models),
                                           std::move(human), prompts.fingerprints("rag/"), cascade);
  if (cascade) check_labelled_cases(*cascade, *made, made->data_path(), problems);
  return problems.empty() ? std::move(made) : nullptr;
}

}  // namespace assay::components
