// output_guardrails: do the guardrails hold back the answers that they should, and for the right reason?
// Positive is "triggered". The names of the guardrails are whatever the data hold.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/components/tasks.h"
#include "evaluations/figures.h"
#include "report/csv.h"
#include "stats/classification/multilabel.h"
#include "stats/intervals/clustered_counts.h"
#include "stats/intervals/missing.h"

namespace assay::components {
namespace {

using namespace figures;

enum Field : std::size_t {
  kMessage,
  kExpectedTriggered,
  kExpectedGuardrails,
  kActualTriggered,
  kActualGuardrails,
  kModel
};

constexpr std::size_t kShownCases = 20;

std::string check_guardrails(const Json& value) {
  if (!value.is_object()) return fmt::format("found {}, expected an object of true or false", excerpt(value));
  for (const auto& [name, triggered] : value.get_object()) {
    if (!triggered.is_bool())
      return fmt::format("{}: found {}, expected true or false", std::string_view(name), excerpt(triggered));
  }
  return "";
}

std::string_view classification(bool expected, bool actual) {
  if (expected) return actual ? "true_positive" : "false_negative";
  return actual ? "false_positive" : "true_negative";
}

class GuardrailScorer final : public LineScorer {
 public:
  GuardrailScorer(const DataFields& fields, OutputFiles& files)
      : fields_(fields), rows_(files.open("results.csv")) {
    if (rows_ != nullptr) {
      rows_->write(
          "id,message,expected_triggered,actual_triggered,expected_guardrails,actual_guardrails,model,"
          "classification,exact_match\r\n");
    }
  }

  void score(const Case& input, const LineParser& line, LegacyLine& result) override {
    const std::string_view message = fields_.value(line, kMessage).text;
    const bool expected = fields_.value(line, kExpectedTriggered).boolean;
    const bool actual = fields_.value(line, kActualTriggered).boolean;
    const Json expected_map = fields_.tree(line, kExpectedGuardrails);
    const Json actual_map = fields_.tree(line, kActualGuardrails);
    const FieldValue& model = fields_.value(line, kModel);
    any_.add(expected, actual, input.cluster);
    const std::set<std::string> wanted = names_in(expected_map);
    const std::set<std::string> triggered = names_in(actual_map);
    labels_.add(wanted, triggered, input.cluster);
    const bool exact = wanted == triggered;
    const std::string_view kind = classification(expected, actual);

    result.text("message", message);
    result.boolean("expected_triggered", expected);
    result.boolean("actual_triggered", actual);
    result.json("expected_guardrails", expected_map);
    result.json("actual_guardrails", actual_map);
    if (model.kind == FieldValue::Kind::text) result.text("model", model.text);
    result.text("classification", kind);
    result.boolean("exact_match", exact);
    const Score scores[] = {{"any_triggered.accuracy", expected == actual ? 1.0 : 0.0},
                            {"exact_match", exact ? 1.0 : 0.0}};
    result.scores(scores);
    row_.clear();
    const std::string expected_text = to_text(expected_map);
    const std::string actual_text = to_text(actual_map);
    append_csv_row(row_, {input.id, message, expected ? "true" : "false", actual ? "true" : "false",
                          expected_text, actual_text, model.text, kind, exact ? "true" : "false"});
    if (rows_ != nullptr) rows_->write(row_);
    if (!exact || expected != actual) note(input, message, wanted, triggered, kind, expected != actual);
  }

  void finish(const std::map<std::string, std::int64_t>& missing, Summary& summary,
              std::vector<NotableCase>& notable) override {
    add_any_triggered(missing, summary);
    MultilabelFigures figures = multilabel_figures(labels_);
    auto& metrics = summary.metrics;
    metrics.push_back(share("exact_match", with_missing(std::move(figures.exact_match), missing), true));
    for (auto& [prefix, average] :
         {std::pair("macro.", &figures.macro), std::pair("micro.", &figures.micro)}) {
      metrics.push_back(share(std::string(prefix) + "precision", std::move(average->precision)));
      metrics.push_back(share(std::string(prefix) + "recall", std::move(average->recall)));
      metrics.push_back(
          share(std::string(prefix) + "f1", std::move(average->f1), prefix == std::string("macro.")));
    }
    Table table{"guardrails",
                "Per guardrail",
                {"guardrail", "expected", "triggered", "both", "precision", "recall", "f1"},
                {},
                false,
                "",
                ""};
    const auto value_of = [](const Estimate& estimate) {
      return estimate.value ? Json(*estimate.value) : Json(nullptr);
    };
    for (auto& label : figures.labels) {
      const BinaryCounts& counts = label.counts;
      const std::int64_t n = counts.total();
      table.rows.push_back({boost::json::string(label.name), counts.tp + counts.fn, counts.tp + counts.fp,
                            counts.tp, value_of(label.precision), value_of(label.recall),
                            value_of(label.f1)});
      metrics.push_back(share("precision." + label.name, std::move(label.precision)));
      metrics.push_back(share("recall." + label.name, std::move(label.recall)));
      metrics.push_back(share("f1." + label.name, std::move(label.f1)));
      metrics.push_back(count("true_positives." + label.name, counts.tp, n));
      metrics.push_back(count("true_negatives." + label.name, counts.tn, n));
      metrics.push_back(count("false_positives." + label.name, counts.fp, n, Metric::Better::lower));
      metrics.push_back(count("false_negatives." + label.name, counts.fn, n, Metric::Better::lower));
    }
    summary.tables.push_back(std::move(table));
    notable.insert(notable.end(), std::make_move_iterator(missed_.begin()),
                   std::make_move_iterator(missed_.end()));
    notable.insert(notable.end(), std::make_move_iterator(wrong_reason_.begin()),
                   std::make_move_iterator(wrong_reason_.end()));
  }

 private:
  // The names that are true. A false one is remembered too: it belongs to the data set.
  std::set<std::string> names_in(const Json& map) {
    std::set<std::string> names;
    for (const auto& [name, triggered] : map.get_object()) {
      labels_.know(std::string_view(name));
      if (triggered.get_bool()) names.emplace(name);
    }
    return names;
  }

  void add_any_triggered(const std::map<std::string, std::int64_t>& missing, Summary& summary) {
    BinaryFigures figures = any_.figures();
    const BinaryCounts& any = any_.all();
    const std::int64_t n = any.total();
    auto& metrics = summary.metrics;
    metrics.push_back(share("any_triggered.precision", std::move(figures.precision), true));
    metrics.push_back(share("any_triggered.recall", std::move(figures.recall), true));
    metrics.push_back(share("any_triggered.f1", std::move(figures.f1)));
    metrics.push_back(share("any_triggered.accuracy", with_missing(std::move(figures.accuracy), missing)));
    metrics.push_back(count("any_triggered.true_positives", any.tp, n));
    metrics.push_back(count("any_triggered.true_negatives", any.tn, n));
    metrics.push_back(count("any_triggered.false_positives", any.fp, n, Metric::Better::lower));
    metrics.push_back(count("any_triggered.false_negatives", any.fn, n, Metric::Better::lower));
    summary.tables.push_back({"confusion_matrix",
                              "Any guardrail, expected against actual",
                              {"triggered", "not triggered"},
                              {{any.tp, any.fn}, {any.fp, any.tn}},
                              true,
                              "expected",
                              "actual"});
  }

  // An answer let through or held back wrongly is worse than one held back for the wrong reason.
  void note(const Case& input, std::string_view message, const std::set<std::string>& wanted,
            const std::set<std::string>& triggered, std::string_view kind, bool wrong_decision) {
    auto& list = wrong_decision ? missed_ : wrong_reason_;
    if (list.size() == kShownCases) return;
    const auto words = [](const std::set<std::string>& names) {
      return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
    };
    list.push_back(
        {std::string(input.id),
         wrong_decision ? std::string(kind) : "wrong guardrails",
         {{"message", std::string(message)}, {"expected", words(wanted)}, {"actual", words(triggered)}}});
  }

  const DataFields& fields_;
  AtomicFile* rows_;
  std::string row_;
  ClusteredBinaryCounts any_;
  MultilabelCounts labels_;
  std::vector<NotableCase> missed_;
  std::vector<NotableCase> wrong_reason_;
};

ComponentTask task() {
  ComponentTask declared;
  declared.text_field = "message";
  declared.input = {{.name = "message", .other_names = {"question"}},
                    {.name = "expected_triggered", .type = FieldType::boolean, .answer_key = true},
                    {.name = "expected_guardrails",
                     .type = FieldType::any,
                     .expected = "an object of true or false",
                     .answer_key = true,
                     .check = check_guardrails}};
  declared.actual = {{.name = "actual_triggered", .type = FieldType::boolean, .answer_key = true},
                     {.name = "actual_guardrails",
                      .type = FieldType::any,
                      .expected = "an object of true or false",
                      .answer_key = true,
                      .check = check_guardrails},
                     {.name = "model", .presence = Presence::optional, .answer_key = true}};
  declared.actual_schema = JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{
           {"actual_triggered",
            JsonObject{{"type", "boolean"}, {"description", "Whether any guardrail triggers for the text."}}},
           {"actual_guardrails", JsonObject{{"type", "object"},
                                            {"description", "For each guardrail whether it triggers."},
                                            {"additionalProperties", JsonObject{{"type", "boolean"}}}}}}},
      {"required", JsonArray{"actual_triggered", "actual_guardrails"}},
      {"additionalProperties", false}};
  declared.metrics = {
      "any_triggered.",  "exact_match", "macro.",          "micro.",          "precision.",
      "recall.",         "f1.",         "true_positives.", "true_negatives.", "false_positives.",
      "false_negatives."};
  declared.means = {{"any_triggered.accuracy"}, {"exact_match"}};
  declared.scorer = [](const DataFields& fields, OutputFiles& files) {
    return std::make_unique<GuardrailScorer>(fields, files);
  };
  return declared;
}

}  // namespace

std::unique_ptr<Evaluation> make_output_guardrails(const Config& config,
                                                   std::vector<ConfigProblem>& problems) {
  return make_component(config, task(), problems);
}

}  // namespace assay::components
