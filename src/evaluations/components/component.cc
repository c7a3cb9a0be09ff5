#include "evaluations/components/component.h"

#include <iterator>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/early_stop.h"

namespace assay::components {
namespace {

std::vector<DataField> joined(std::vector<DataField> first, const std::vector<DataField>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// What a target gave, as the journal keeps it: evaluate() writes it, line() reads it.
JsonObject generated_in(const JsonObject& result) {
  const Json* generated = result.if_contains("generated");
  return generated != nullptr && generated->is_object() ? generated->get_object() : JsonObject();
}

class ComponentEvaluation final : public Evaluation {
 public:
  ComponentEvaluation(DataFile data, const std::string& cluster, ComponentTask task,
                      std::unique_ptr<Target> target, std::vector<HumanCheck> human)
      : data_(std::move(data)),
        task_(std::move(task)),
        target_(std::move(target)),
        human_(std::move(human)),
        input_fields_(task_.input, task_.check, cluster),
        all_fields_(joined(task_.input, task_.actual), task_.check, cluster) {}

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_data(data_, given_fields()); }
  std::string data_path() const override { return data_.path; }
  bool asks_outside() const override { return target_ != nullptr; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return generate(given_line(input), context);
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    if (target_) target_->estimate(given_line(input), estimate);
  }
  std::vector<std::string> models() const override {
    return target_ ? target_->models() : std::vector<std::string>{};
  }
  std::vector<std::string> variables() const override {
    return target_ ? target_->variables() : std::vector<std::string>{};
  }
  std::vector<std::pair<std::string, std::string>> not_found() const override {
    return target_ ? target_->not_found() : std::vector<std::pair<std::string, std::string>>{};
  }

  void line(const Case& input, const FinishedCase* finished, ResultLine& result) const override {
    const CaseFields given(given_fields(), input);
    const CaseLine supplied{input, given_fields(), *given};
    if (finished == nullptr) {
      score(supplied, result);
    } else if (result.scored()) {
      score_generated(supplied, generated_in(finished->outcome.result), result);
    } else {
      write_failed(supplied, result);
    }
  }
  std::vector<std::string> columns() const override { return task_.columns; }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& /*run*/) const override {
    return task_.aggregate(files);
  }

  std::vector<MeanFigure> mean_figures() const override { return task_.means; }
  std::span<const HumanCheck> human() const override { return human_; }
  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names = task_.metrics;
    add_names(human_, names);
    return names;
  }

 private:
  // That cases are read with.
  const DataFields& given_fields() const { return target_ ? input_fields_ : all_fields_; }
  JsonObject given_line(const Case& input) const {
    return whole_line(given_fields(), *CaseFields(given_fields(), input), input.id);
  }

  Task<Outcome> generate(JsonObject line, CaseContext& context) const {
    auto generated = co_await target_->generate(std::move(line), context);
    if (!generated) co_return failed_outcome(generated.error());
    Outcome outcome;
    generated->warn(outcome.result);
    outcome.result.emplace("generated", std::move(generated->fields));
    co_return outcome;
  }

  void score(const CaseLine& line, ResultLine& result) const {
    task_.score(line, result);
    if (!result.scored()) return write_failed(line, result);
    result.extras(line.parser);
  }

  // The generated line is written as input for `generate: false`, and then read like one.
  void score_generated(const CaseLine& given, const JsonObject& generated, ResultLine& result) const {
    JsonObject line = whole_line(given.fields, given.parser, given.input.id);
    replace_actual(line, task_.actual, generated);
    const std::string text = to_text(line);
    LineParser parser(all_fields_.spellings());
    const Status parsed = parser.parse_copy(text);
    const std::vector<std::string> problems =
        parsed ? all_fields_.problems(parser) : std::vector{parsed.error().message};
    if (!problems.empty()) {
      result.failed(OutcomeKind::target_failed, "the reply does not fit the case: " + join(problems, "; "));
      return write_failed(given, result);
    }
    result.generated(text);
    score({given.input, all_fields_, parser}, result);
  }

  void write_failed(const CaseLine& line, ResultLine& result) const {
    if (task_.expect) task_.expect(line, result);
    for (std::size_t i = 0; i < line.fields.fields().size(); ++i) write_field(line, i, result);
    result.extras(line.parser);
    result.notable(-1, [&] {
      NotableCase shown{line.input.id, std::string(to_string(result.outcome())), {}};
      const std::string text = text_at(line.fields.present(line.parser), task_.text_field);
      if (!text.empty()) shown.fields.emplace_back("input", text);
      shown.fields.emplace_back("error", result.error());
      return shown;
    });
  }

  DataFile data_;
  ComponentTask task_;
  std::unique_ptr<Target> target_;
  std::vector<HumanCheck> human_;
  DataFields input_fields_;
  DataFields all_fields_;  // of a complete line
};

}  // namespace

Keys component_keys() {
  Keys keys = {
      {.name = "generate",
       .type = KeyType::boolean,
       .help = "Obtain the actual outputs from `target`; otherwise the data hold them.",
       .default_value = false},
      {.name = "input_path",
       .type = KeyType::path,
       .help = "The data, one case a record: .jsonl, .json (a list), .csv or .tsv, each also .gz; `-` for a "
               "pipe, which is copied into the run first.",
       .required = true,
       .pipe = Pipe::copied},
      {.name = "cluster",
       .help =
           "The field that says which cases belong together (query, conversation, document); intervals then "
           "honour it.",
       .example = "document"},
      human_key(),
      stop_when_key(),
      target_key()};
  Keys data = data_keys();
  keys.insert(keys.begin() + 2, std::make_move_iterator(data.begin()), std::make_move_iterator(data.end()));
  return keys;
}

std::unique_ptr<Evaluation> make_component(const Config& config, ComponentTask task,
                                           std::vector<ConfigProblem>& problems) {
  std::unique_ptr<Target> target;
  if (config.boolean("generate")) {
    target = make_target(config, {task.text_field, task.input, task.actual, task.actual_schema}, problems);
  }
  auto human = HumanCheck::from(config, task.means, problems);
  DataFile data = read_data_file(config, "input_path", problems);
  if (!problems.empty()) return nullptr;
  task.check = with_needed_fields(std::move(task.check), target.get());
  return std::make_unique<ComponentEvaluation>(std::move(data), config.text("cluster"), std::move(task),
                                               std::move(target), std::move(human));
}

void replace_actual(JsonObject& line, const std::vector<DataField>& actual, const JsonObject& generated) {
  for (const DataField& field : actual) erase_field(line, field);
  for (const auto& [name, value] : generated) line.insert_or_assign(name, value);
}

JsonObject whole_line(const DataFields& fields, const LineParser& line, std::string_view id) {
  JsonObject input;
  input.emplace("id", boost::json::string(id));
  for (auto& [name, value] : fields.present(line)) input.insert_or_assign(name, value);
  for (auto& [name, value] : line.extras()) input.insert_or_assign(name, value);
  return input;
}

void write_field(const CaseLine& line, std::size_t field, ResultLine& result) {
  const FieldValue& value = line[field];
  const std::string& name = line.fields.fields()[field].name;
  if (value.kind == FieldValue::Kind::text) {
    result.text(name, value.text);
  } else if (value.present()) {
    result.json(name, line.tree(field));
  }
}

}  // namespace assay::components
