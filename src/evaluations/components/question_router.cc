// Labels are whatever the data hold.

#include "evaluations/components/question_router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/components/guides.h"
#include "evaluations/components/sentences.h"
#include "evaluations/figures.h"
#include "report/csv.h"
#include "report/plots/plot.h"
#include "stats/classification/calibration.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/classification/missing_decisions.h"

namespace assay::components {
namespace {

using namespace figures;

enum Field : std::size_t { kQuestion, kExpected, kActual, kConfidence, kAnswer, kModel };

// Beyond this many labels the data hold free text rather than labels, and a square table helps nobody.
constexpr std::size_t kMostLabelsInTables = 200;

Json value_or_null(const Estimate& estimate) {
  return estimate.value ? Json(*estimate.value) : Json(nullptr);
}

// The label may stand inside an object, as the component itself gives it, with what else it says.
constexpr std::string_view kLabelKeys[] = {"question_routing_label", "label",   "classification",
                                           "actual_outcome",         "outcome", "name"};

// "" if the object has none.
std::string_view label_in(const Json& outcome) {
  if (const auto text = as_text(outcome)) return *text;
  for (const std::string_view key : kLabelKeys) {
    const Json* label = find_member(outcome, key);
    if (label != nullptr && !as_text(*label).value_or("").empty()) return *as_text(*label);
  }
  return {};
}

std::string check_outcome(const Json& value) {
  if (!label_in(value).empty()) return "";
  return fmt::format(
      "found {}, expected text, or an object with the label under question_routing_label, "
      "label or classification",
      excerpt(value));
}

// Beside the label in the object, where the line itself says none.
std::optional<double> confidence_in(const Json& outcome) {
  for (const std::string_view key : {"confidence_score", "confidence"}) {
    if (const Json* value = find_member(outcome, key); value != nullptr && value->is_number())
      return as_number(*value);
  }
  return std::nullopt;
}

struct Routing final : CaseFacts {
  std::string expected;
  std::string actual;
  std::optional<double> confidence;
  std::string wrong_row;  // of miscategorised_cases.csv
};

void score(const CaseLine& line, ResultLine& result) {
  const std::string_view question = line[kQuestion].text;
  const std::string_view answer = line[kAnswer].text;
  const std::string_view model = line[kModel].text;
  auto& routing = result.facts<Routing>();
  routing.expected.assign(line[kExpected].text);
  routing.confidence.reset();
  if (line[kActual].kind == FieldValue::Kind::text) {
    routing.actual.assign(line[kActual].text);
  } else {
    const Json outcome = line.tree(kActual);
    routing.actual.assign(label_in(outcome));
    routing.confidence = confidence_in(outcome);
  }
  routing.wrong_row.clear();
  const bool correct = routing.expected == routing.actual;
  result.text("question", question);
  result.text("expected_outcome", routing.expected);
  result.text("actual_outcome", routing.actual);
  std::string confidence;
  if (line[kConfidence].kind == FieldValue::Kind::number) routing.confidence = line[kConfidence].number;
  if (routing.confidence) {
    confidence = number_text(*routing.confidence);
    result.written("confidence_score", confidence);
  }
  if (!answer.empty()) result.text("answer", answer);
  if (!model.empty()) result.text("model", model);
  result.boolean("correct", correct);
  result.score("accuracy", correct);
  result.row({line.input.id, question, routing.expected, routing.actual, confidence, answer, model});
  if (correct) return;
  append_csv_row(routing.wrong_row, {question, routing.expected, routing.actual, confidence, answer});
  // The surest mistakes are the ones worth reading.
  result.notable(1 - std::clamp(routing.confidence.value_or(0), 0.0, 1.0), [&] {
    NotableCase shown{
        line.input.id,
        fmt::format("{} instead of {}", routing.actual, routing.expected),
        {{"question", std::string(question)}, {"expected", routing.expected}, {"actual", routing.actual}}};
    if (!confidence.empty()) shown.fields.emplace_back("confidence", confidence);
    if (!answer.empty()) shown.fields.emplace_back("answer", std::string(answer));
    return shown;
  });
}

void expect(const CaseLine& line, ResultLine& result) {
  result.facts<Routing>().expected.assign(line[kExpected].text);
}

class RouterFigures final : public FactsFold<Routing> {
 public:
  explicit RouterFigures(OutputFiles& files)
      : files_(files), wrong_rows_(files.open("miscategorised_cases.csv")) {
    if (wrong_rows_ != nullptr) {
      wrong_rows_->write(
          "question,expected_classification,actual_classification,confidence_score,answer\r\n");
    }
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    MatrixFigures figures = matrix_figures(matrix_);
    missing_.apply(matrix_, figures);
    auto& metrics = summary.metrics;
    metrics.push_back(share("accuracy", std::move(figures.accuracy), true));
    add_average("", figures.weighted, metrics);
    for (std::size_t i = 1; i < metrics.size(); ++i) metrics[i].headline = metrics[i].name == "f1";
    add_average("macro.", figures.macro, metrics);
    metrics.push_back(number("cohen_kappa", std::move(figures.cohen_kappa)));
    metrics.push_back(
        count("miscategorised", matrix_.total() - matrix_.correct(), matrix_.total(), Metric::Better::lower));
    if (calibration_.n() > 0) add_calibration(summary);
    if (matrix_.label_count() <= kMostLabelsInTables) add_labels(figures, summary);
  }

  void conclude(Summary& summary) const override { conclude_question_router(summary); }

 private:
  void fold(const Case& input, const Routing& routing) override {
    matrix_.add(routing.expected, routing.actual, 1, input.cluster);
    if (routing.confidence) calibration_.add(*routing.confidence, routing.expected == routing.actual);
    if (wrong_rows_ != nullptr && !routing.wrong_row.empty()) wrong_rows_->write(routing.wrong_row);
  }

  void miss(const Routing& routing, const std::string& outcome) override {
    missing_.add(routing.expected, outcome);
  }

  static void add_average(const std::string& prefix, AveragedFigures& average, std::vector<Metric>& metrics) {
    metrics.push_back(share(prefix + "precision", std::move(average.precision)));
    metrics.push_back(share(prefix + "recall", std::move(average.recall)));
    metrics.push_back(share(prefix + "f1", std::move(average.f1)));
    metrics.push_back(share(prefix + "f2", std::move(average.f2)));
  }

  void add_calibration(Summary& summary) const {
    summary.metrics.push_back(
        number("expected_calibration_error", calibration_.expected_error(), Metric::Better::lower));
    Table table{"calibration",
                "Stated confidence against share correct",
                {"from", "to", "n", "mean_confidence", "accuracy", "low", "high"},
                {},
                false,
                "",
                ""};
    for (const Calibration::Bin& bin : calibration_.reliability()) {
      const auto bound = [&](bool low) {
        return bin.accuracy.ci ? Json(low ? bin.accuracy.ci->low : bin.accuracy.ci->high) : Json(nullptr);
      };
      table.rows.push_back({bin.low, bin.high, bin.n,
                            bin.mean_confidence ? Json(*bin.mean_confidence) : Json(nullptr),
                            value_or_null(bin.accuracy), bound(true), bound(false)});
    }
    summary.tables.push_back(std::move(table));
    std::vector<CalibrationBin> bins;
    for (Calibration::Bin& bin : calibration_.reliability()) {
      if (bin.mean_confidence) bins.push_back({*bin.mean_confidence, std::move(bin.accuracy)});
    }
    summary.plots.push_back(
        calibration_plot({"calibration", "Stated confidence against share correct", ""}, bins));
  }

  void add_labels(MatrixFigures& figures, Summary& summary) {
    Table labels{"labels",
                 "Per label",
                 {"label", "support", "predicted", "correct", "precision", "recall", "f1", "f2"},
                 {},
                 false,
                 "",
                 ""};
    for (LabelFigures& label : figures.labels) {
      labels.rows.push_back({boost::json::string(label.label), label.support, label.predicted, label.correct,
                             value_or_null(label.precision), value_or_null(label.recall),
                             value_or_null(label.f1), value_or_null(label.f2)});
      summary.metrics.push_back(share("precision." + label.label, std::move(label.precision)));
      summary.metrics.push_back(share("recall." + label.label, std::move(label.recall)));
      summary.metrics.push_back(share("f1." + label.label, std::move(label.f1)));
      summary.metrics.push_back(share("f2." + label.label, std::move(label.f2)));
    }
    Table confusion{
        "confusion_matrix", "Expected against actual", matrix_.labels(), {}, true, "expected", "actual"};
    std::string csv;
    std::vector<std::string> cells{"expected"};
    cells.insert(cells.end(), confusion.columns.begin(), confusion.columns.end());
    append_csv_row(csv, cells);
    std::size_t index = 0;
    for (const auto& counts : matrix_.rows()) {
      cells = {confusion.columns[index++]};
      std::vector<Json> row;
      for (std::int64_t value : counts) {
        row.emplace_back(value);
        cells.push_back(std::to_string(value));
      }
      confusion.rows.push_back(std::move(row));
      append_csv_row(csv, cells);
    }
    files_.write("confusion_matrix.csv", csv);
    summary.tables.push_back(std::move(confusion));
    summary.tables.push_back(std::move(labels));
  }

  OutputFiles& files_;
  AtomicFile* wrong_rows_;
  ConfusionMatrix matrix_;
  MissingLabels missing_;
  Calibration calibration_;
};

}  // namespace

ComponentTask question_router_task() {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {{.name = "question", .meaning = "what the user asked"},
                    {.name = "expected_outcome", .meaning = "the right label", .answer_key = true}};
  declared.actual = {
      {.name = "actual_outcome",
       .type = FieldType::text_or_object,
       .meaning = "the label that was given",
       .check = check_outcome},
      {.name = "confidence_score",
       .type = FieldType::number,
       .presence = Presence::optional,
       .meaning = "0 to 1: gives calibration",
       .secondary = true},
      {.name = "answer",
       .presence = Presence::optional,
       .meaning = "what was said besides",
       .secondary = true},
      {.name = "model", .presence = Presence::optional, .meaning = "who answered", .secondary = true}};
  declared.actual_schema = JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{
           {"actual_outcome", JsonObject{{"type", "string"}, {"description", "The label for the question."}}},
           {"confidence_score", JsonObject{{"type", "number"},
                                           {"minimum", 0},
                                           {"maximum", 1},
                                           {"description", "How sure the label is, 0 to 1."}}}}},
      {"required", JsonArray{"actual_outcome", "confidence_score"}},
      {"additionalProperties", false}};
  declared.metrics = {"accuracy",
                      "precision",
                      "recall",
                      "f1",
                      "f2",
                      "macro.",
                      "cohen_kappa",
                      "miscategorised",
                      "expected_calibration_error",
                      "precision.",
                      "recall.",
                      "f1.",
                      "f2."};
  declared.means = {{"accuracy"}};
  declared.columns = {"id",     "question", "expected_outcome", "actual_outcome", "confidence_score",
                      "answer", "model"};
  declared.score = score;
  declared.expect = expect;
  declared.aggregate = [](OutputFiles& files) { return std::make_unique<RouterFigures>(files); };
  return declared;
}

std::unique_ptr<Evaluation> make_question_router(const Config& config, std::vector<ConfigProblem>& problems) {
  return make_component(config, question_router_task(), problems);
}

}  // namespace assay::components
