#include "evaluations/custom/figures/label_figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/custom/figures/measures.h"
#include "evaluations/figures.h"

namespace assay::custom {
namespace {

constexpr std::size_t kMostLabels = 100;         // with figures of their own: the most frequent
constexpr std::size_t kMostInMatrix = 60;        // a larger one is no table to read
constexpr std::uint32_t kMostClusters = 10'000;  // beyond, clusters are put together

}  // namespace

LabelFigures::LabelFigures(const Design& design) : design_(design) {
  for (std::size_t m = 0; m < design_.metrics.size(); ++m) {
    if (design_.metrics[m].value != MetricShape::Value::label) continue;
    OfMetric one{m, {}};
    one.variants.resize(design_.variants.size());
    metrics_.push_back(std::move(one));
  }
}

void LabelFigures::add(std::uint32_t cluster, bool clustered, const CaseMarks& marks, OutcomeKind otherwise) {
  const std::string group =
      clustered || design_.repeats > 1 ? fmt::format("{}", cluster % kMostClusters) : std::string();
  for (OfMetric& one : metrics_) {
    for (std::size_t v = 0; v < std::min(one.variants.size(), marks.answers.size()); ++v) {
      for (const AnswerMarks& answer : marks.answers[v]) {
        if (one.metric >= answer.marks.size()) continue;
        const Mark& mark = answer.marks[one.metric];
        if (mark.expected.empty() || mark.state == Mark::State::not_applicable) continue;
        if (mark.given()) {
          one.variants[v].matrix.add(mark.expected, mark.label, 1, group);
        } else {
          const OutcomeKind why = why_missing(&design_.metrics[one.metric], &mark, answer, otherwise);
          one.variants[v].missing.add(mark.expected, std::string(to_string(why)));
        }
      }
    }
  }
}

void LabelFigures::add_figures(const OfMetric& metric, std::size_t variant, Summary& summary) const {
  const std::string& name = design_.metrics[metric.metric].name;
  const OfVariant& found = metric.variants[variant];
  MatrixFigures all = matrix_figures(found.matrix, {}, design_.metrics[metric.metric].classes);
  found.missing.apply(found.matrix, all);
  const auto put = [&](const std::string& word, Estimate estimate, Metric::Form form) {
    summary.metrics.push_back({figure_name(design_, name, word, variant), std::move(estimate), form});
  };
  put("macro_f1", std::move(all.macro.f1), Metric::Form::number);
  put("cohen_kappa", std::move(all.cohen_kappa), Metric::Form::number);
  std::ranges::sort(all.labels, [](const assay::LabelFigures& a, const assay::LabelFigures& b) {
    return a.support != b.support ? a.support > b.support : a.label < b.label;
  });
  if (all.labels.size() > kMostLabels) all.labels.resize(kMostLabels);
  for (assay::LabelFigures& label : all.labels) {
    put("precision." + label.label, std::move(label.precision), Metric::Form::share);
    put("recall." + label.label, std::move(label.recall), Metric::Form::share);
    put("f1." + label.label, std::move(label.f1), Metric::Form::number);
  }
  if (found.matrix.total() == 0 || found.matrix.label_count() > kMostInMatrix) return;
  Table table{"confusion_matrix." + name,
              fmt::format("{}: expected against found", name),
              found.matrix.labels(),
              {},
              true,
              "expected",
              "found"};
  if (design_.has_variants()) {
    table.name += "." + design_.variants[variant];
    table.title += ", " + design_.variants[variant];
  }
  for (const std::vector<std::int64_t>& row : found.matrix.rows())
    table.rows.emplace_back(row.begin(), row.end());
  summary.tables.push_back(std::move(table));
}

void LabelFigures::apply(Summary& summary) const {
  for (const OfMetric& metric : metrics_) {
    for (std::size_t v = 0; v < metric.variants.size(); ++v) add_figures(metric, v, summary);
  }
}

}  // namespace assay::custom
