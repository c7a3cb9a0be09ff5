// question_router: is each question sent to the right place? Labels are whatever the data hold.

#include <algorithm>
#include <cmath>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/components/tasks.h"
#include "evaluations/figures.h"
#include "report/csv.h"
#include "report/plots/plot.h"
#include "stats/classification/calibration.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/intervals/missing.h"

namespace assay::components {
namespace {

using namespace figures;

enum Field : std::size_t { kQuestion, kExpected, kActual, kConfidence, kAnswer, kModel };

// Beyond this many labels the data hold free text rather than labels, and a square table helps nobody.
constexpr std::size_t kMostLabelsInTables = 200;
constexpr std::size_t kShownCases = 20;

Json value_or_null(const Estimate& estimate) {
  return estimate.value ? Json(*estimate.value) : Json(nullptr);
}

class RouterScorer final : public LineScorer {
 public:
  RouterScorer(const DataFields& fields, OutputFiles& files)
      : fields_(fields),
        files_(files),
        rows_(files.open("results.csv")),
        wrong_rows_(files.open("miscategorised_cases.csv")) {
    if (rows_ != nullptr) {
      rows_->write("id,question,expected_outcome,actual_outcome,confidence_score,answer,model\r\n");
    }
    if (wrong_rows_ != nullptr) {
      wrong_rows_->write(
          "question,expected_classification,actual_classification,confidence_score,answer\r\n");
    }
  }

  void score(const Case& input, const LineParser& line, LegacyLine& result) override {
    const std::string_view question = fields_.value(line, kQuestion).text;
    const std::string_view expected = fields_.value(line, kExpected).text;
    const std::string_view actual = fields_.value(line, kActual).text;
    const FieldValue& confidence = fields_.value(line, kConfidence);
    const std::string_view answer = fields_.value(line, kAnswer).text;
    const std::string_view model = fields_.value(line, kModel).text;
    const bool correct = expected == actual;
    matrix_.add(expected, actual, 1, input.cluster);
    result.text("question", question);
    result.text("expected_outcome", expected);
    result.text("actual_outcome", actual);
    confidence_.clear();
    if (confidence.kind == FieldValue::Kind::number) {
      calibration_.add(confidence.number, correct);
      confidence_ = number_text(confidence.number);
      result.written("confidence_score", confidence_);
    }
    if (!answer.empty()) result.text("answer", answer);
    if (!model.empty()) result.text("model", model);
    result.boolean("correct", correct);
    result.score("accuracy", correct);
    row_.clear();
    append_csv_row(row_, {input.id, question, expected, actual, confidence_, answer, model});
    if (rows_ != nullptr) rows_->write(row_);
    if (!correct) note_wrong(input, question, expected, actual, confidence, answer);
  }

  void finish(const std::map<std::string, std::int64_t>& missing, Summary& summary,
              std::vector<NotableCase>& notable) override {
    MatrixFigures figures = matrix_figures(matrix_);
    auto& metrics = summary.metrics;
    metrics.push_back(share("accuracy", with_missing(std::move(figures.accuracy), missing), true));
    add_average("", figures.weighted, metrics);
    for (std::size_t i = 1; i < metrics.size(); ++i) metrics[i].headline = metrics[i].name == "f1";
    add_average("macro.", figures.macro, metrics);
    metrics.push_back(number("cohen_kappa", std::move(figures.cohen_kappa)));
    metrics.push_back(
        count("miscategorised", matrix_.total() - matrix_.correct(), matrix_.total(), Metric::Better::lower));
    if (calibration_.n() > 0) add_calibration(summary);
    if (matrix_.label_count() <= kMostLabelsInTables) add_labels(figures, summary);
    notable.insert(notable.end(), std::make_move_iterator(wrong_.begin()),
                   std::make_move_iterator(wrong_.end()));
  }

 private:
  void note_wrong(const Case& input, std::string_view question, std::string_view expected,
                  std::string_view actual, const FieldValue& confidence, std::string_view answer) {
    row_.clear();
    append_csv_row(row_, {question, expected, actual, confidence_, answer});
    if (wrong_rows_ != nullptr) wrong_rows_->write(row_);
    // The surest mistakes are the ones worth reading; among equals the first.
    const double sureness = confidence.kind == FieldValue::Kind::number ? confidence.number : 0;
    if (wrong_.size() == kShownCases && sureness <= sureness_.back()) return;
    const auto at = std::upper_bound(sureness_.begin(), sureness_.end(), sureness, std::greater<>());
    const auto position = at - sureness_.begin();
    NotableCase notable{std::string(input.id),
                        fmt::format("{} instead of {}", actual, expected),
                        {{"question", std::string(question)},
                         {"expected", std::string(expected)},
                         {"actual", std::string(actual)}}};
    if (!confidence_.empty()) notable.fields.emplace_back("confidence", confidence_);
    if (!answer.empty()) notable.fields.emplace_back("answer", std::string(answer));
    sureness_.insert(at, sureness);
    wrong_.insert(wrong_.begin() + position, std::move(notable));
    if (wrong_.size() > kShownCases) {
      wrong_.pop_back();
      sureness_.pop_back();
    }
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

  const DataFields& fields_;
  OutputFiles& files_;
  AtomicFile* rows_;
  AtomicFile* wrong_rows_;
  std::string row_;
  std::string confidence_;
  ConfusionMatrix matrix_;
  Calibration calibration_;
  std::vector<NotableCase> wrong_;
  std::vector<double> sureness_;  // of wrong_, falling
};

ComponentTask task() {
  ComponentTask declared;
  declared.text_field = "question";
  declared.input = {{.name = "question"}, {.name = "expected_outcome", .answer_key = true}};
  declared.actual = {{.name = "actual_outcome", .answer_key = true},
                     {.name = "confidence_score",
                      .type = FieldType::number,
                      .presence = Presence::optional,
                      .answer_key = true},
                     {.name = "answer", .presence = Presence::optional, .answer_key = true},
                     {.name = "model", .presence = Presence::optional, .answer_key = true}};
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
  declared.scorer = [](const DataFields& fields, OutputFiles& files) {
    return std::make_unique<RouterScorer>(fields, files);
  };
  return declared;
}

}  // namespace

std::unique_ptr<Evaluation> make_question_router(const Config& config, std::vector<ConfigProblem>& problems) {
  return make_component(config, task(), problems);
}

}  // namespace assay::components
