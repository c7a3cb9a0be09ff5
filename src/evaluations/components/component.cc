#include "evaluations/components/component.h"

#include <map>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/early_stop.h"
#include "report/csv.h"

namespace assay::components {
namespace {

std::vector<DataField> joined(std::vector<DataField> first, const std::vector<DataField>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void erase_field(JsonObject& line, const DataField& field) {
  line.erase(field.name);
  for (const std::string& other : field.other_names) line.erase(other);
}

class ComponentCollector final : public Collector {
 public:
  // `input` are the fields that cases are read with, `all` those of a complete line.
  ComponentCollector(const DataFields& input, const DataFields& all, const std::vector<DataField>& actual,
                     OutputFiles& files, std::unique_ptr<LineScorer> scorer, std::string text_field)
      : input_(input),
        all_(all),
        actual_(actual),
        files_(files),
        results_(files.open("results.jsonl")),
        scorer_(std::move(scorer)),
        text_field_(std::move(text_field)),
        complete_line_(all.spellings()) {}

  Scores add(const Case& input, const FinishedCase* finished) override {
    const CaseFields given(input_, input);
    if (finished == nullptr) {
      score(input, *given, nullptr);
    } else if (finished->outcome.kind == OutcomeKind::scored) {
      add_generated(input, *given, *finished);
    } else {
      add_failed(input, input_, *given, finished, finished->outcome);
    }
    return result_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    summary.cases.evaluated = evaluated_;
    for (const auto& [kind, count] : missing_) summary.cases.errored += count;
    notable = std::move(failed_);
    scorer_->finish(missing_, summary, notable);
  }

  void write_figures(const Summary& summary) override { write_aggregate(summary, files_); }

 private:
  static constexpr std::size_t kShownFailures = 20;

  void score(const Case& input, const LineParser& line, const FinishedCase* finished) {
    if (auto why = scorer_->failure(input, line)) {
      return add_failed(input, all_, line, finished, {OutcomeKind::target_failed, {}, std::move(*why)});
    }
    ++evaluated_;
    result_.begin(input, OutcomeKind::scored);
    scorer_->score(input, line, result_);
    finish_line(result_, line, finished, "");
    if (results_ != nullptr) results_->write(result_.end());
  }

  // The generated line is written as input for `generate: false`, and then read like one.
  void add_generated(const Case& input, const LineParser& given, const FinishedCase& finished) {
    JsonObject line = whole_line(input_, given, input.id);
    put_generated(line, actual_, finished.outcome.result);
    std::string text = to_text(line);
    const std::size_t size = text.size();
    text.append(64, '\0');  // the parser may look behind the end
    const auto parsed = complete_line_.parse({std::string_view(text).substr(0, size), input.line});
    const std::vector<std::string> problems =
        parsed ? all_.problems(complete_line_) : std::vector{parsed.error().message};
    if (!problems.empty()) {
      return add_failed(
          input, input_, given, &finished,
          {OutcomeKind::target_failed, {}, "the reply does not fit the case: " + join(problems, "; ")});
    }
    text[size] = '\n';
    files_.write("generated.jsonl", std::string_view(text).substr(0, size + 1));
    score(input, complete_line_, &finished);
  }

  void add_failed(const Case& input, const DataFields& fields, const LineParser& line,
                  const FinishedCase* finished, const Outcome& outcome) {
    ++missing_[std::string(to_string(outcome.kind))];
    result_.begin(input, outcome.kind);
    for (std::size_t i = 0; i < fields.fields().size(); ++i) {
      if (fields.value(line, i).present()) result_.json(fields.fields()[i].name, fields.tree(line, i));
    }
    finish_line(result_, line, finished, outcome.error);
    if (results_ != nullptr) results_->write(result_.end());
    if (failed_.size() < kShownFailures) {
      const JsonObject values = fields.present(line);
      const Json* text = values.if_contains(text_field_);
      failed_.push_back(failed_case(
          input, outcome, text != nullptr && text->is_string() ? std::string(text->get_string()) : ""));
    }
  }

  const DataFields& input_;
  const DataFields& all_;
  const std::vector<DataField>& actual_;
  OutputFiles& files_;
  AtomicFile* results_;
  std::unique_ptr<LineScorer> scorer_;
  std::string text_field_;
  LineParser complete_line_;
  LegacyLine result_;
  std::int64_t evaluated_ = 0;
  std::map<std::string, std::int64_t> missing_;
  std::vector<NotableCase> failed_;
};

class ComponentEvaluation final : public Evaluation {
 public:
  ComponentEvaluation(std::string input_path, const std::string& cluster, ComponentTask task,
                      std::unique_ptr<Target> target, std::optional<HumanCheck> human)
      : input_path_(std::move(input_path)),
        task_(std::move(task)),
        target_(std::move(target)),
        human_(std::move(human)),
        input_fields_(task_.input, task_.check, cluster),
        all_fields_(joined(task_.input, task_.actual), task_.check, cluster) {}

  Result<std::unique_ptr<CaseSource>> cases() const override {
    return open_data(input_path_, target_ ? input_fields_ : all_fields_);
  }
  std::string data_path() const override { return input_path_; }
  bool asks_outside() const override { return target_ != nullptr; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return generate(target_input(input), context);
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    if (target_) target_->estimate(target_input(input), estimate);
  }
  std::vector<std::string> models() const override {
    return target_ ? target_->models() : std::vector<std::string>{};
  }

  std::unique_ptr<Collector> collector(OutputFiles& files, const RunFacts& /*run*/) const override {
    return std::make_unique<ComponentCollector>(target_ ? input_fields_ : all_fields_, all_fields_,
                                                task_.actual, files, task_.scorer(all_fields_, files),
                                                task_.text_field);
  }
  std::vector<MeanFigure> mean_figures() const override { return task_.means; }
  const HumanCheck* human() const override { return human_ ? &*human_ : nullptr; }
  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names = task_.metrics;
    if (human_) {
      for (std::string& name : human_->metric_names()) names.push_back(std::move(name));
    }
    return names;
  }

 private:
  JsonObject target_input(const Case& input) const {
    return without_answer_key(all_fields_,
                              whole_line(input_fields_, *CaseFields(input_fields_, input), input.id));
  }

  Task<Outcome> generate(JsonObject input, CaseContext& context) const {
    auto actual = co_await target_->generate(std::move(input), context);
    if (!actual) co_return failed_outcome(actual.error());
    Outcome outcome;
    outcome.result.emplace("generated", std::move(*actual));
    co_return outcome;
  }

  std::string input_path_;
  ComponentTask task_;
  std::unique_ptr<Target> target_;
  std::optional<HumanCheck> human_;
  DataFields input_fields_;
  DataFields all_fields_;
};

}  // namespace

Keys component_keys() {
  return {
      {.name = "generate",
       .type = KeyType::boolean,
       .help = "Obtain the actual outputs from `target`; otherwise the data hold them.",
       .default_value = false},
      {.name = "input_path",
       .type = KeyType::path,
       .help = "The data: JSONL, one case a line.",
       .required = true},
      {.name = "cluster",
       .help =
           "The field that says which cases belong together (query, conversation, document); intervals then "
           "honour it.",
       .example = "document"},
      human_key(),
      stop_when_key(),
      target_key()};
}

std::unique_ptr<Evaluation> make_component(const Config& config, ComponentTask task,
                                           std::vector<ConfigProblem>& problems) {
  std::unique_ptr<Target> target;
  if (config.boolean("generate")) {
    target = make_target(config, {task.text_field, task.actual, task.actual_schema}, problems);
  }
  auto human = HumanCheck::from(config, task.means, problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<ComponentEvaluation>(config.text("input_path"), config.text("cluster"),
                                               std::move(task), std::move(target), std::move(human));
}

JsonObject without_answer_key(const DataFields& fields, JsonObject line) {
  for (const DataField& field : fields.fields()) {
    if (field.answer_key) erase_field(line, field);
  }
  return line;
}

void put_generated(JsonObject& line, const std::vector<DataField>& actual, const JsonObject& result) {
  for (const DataField& field : actual) erase_field(line, field);
  const Json* generated = result.if_contains("generated");
  if (generated == nullptr || !generated->is_object()) return;
  for (const auto& [name, value] : generated->get_object()) line.insert_or_assign(name, value);
}

JsonObject whole_line(const DataFields& fields, const LineParser& line, std::string_view id) {
  JsonObject input;
  input.emplace("id", boost::json::string(id));
  for (auto& [name, value] : fields.present(line)) input.insert_or_assign(name, value);
  for (auto& [name, value] : line.extras()) input.insert_or_assign(name, value);
  return input;
}

NotableCase failed_case(const Case& input, const Outcome& outcome, std::string text) {
  NotableCase notable;
  notable.id = input.id;
  notable.why = std::string(to_string(outcome.kind));
  if (!text.empty()) notable.fields.emplace_back("input", std::move(text));
  notable.fields.emplace_back("error", outcome.error);
  return notable;
}

void finish_line(LegacyLine& result, const LineParser& line, const FinishedCase* finished,
                 std::string_view error) {
  result.extras(line);
  if (!error.empty()) result.text("error", error);
  if (finished == nullptr) return;
  result.json("usage", finished->usage);
  result.number("latency_ms", finished->latency_ms);
}

void write_aggregate(const Summary& summary, OutputFiles& files) {
  files.write("aggregate.csv", summary_csv(summary));
}

}  // namespace assay::components
