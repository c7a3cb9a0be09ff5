#include "evaluations/custom/figures/case_scores.h"

namespace assay::custom {
namespace {

using Value = MetricShape::Value;

// Figures that are no means over cases.
void add_other_names(const Design& design, std::vector<std::string>& names) {
  const auto each_variant = [&](std::string_view stem, std::string_view word) {
    for (std::size_t v = 0; v < design.variants.size(); ++v)
      names.push_back(figure_name(design, stem, word, v));
  };
  for (const MetricShape& shape : design.metrics) {
    if (shape.value == Value::label) {
      for (const char* word : {"precision", "recall", "f1"}) names.push_back(shape.name + "." + word + ".");
      each_variant(shape.name, "macro_f1");
      each_variant(shape.name, "cohen_kappa");
    }
    if (shape.value == Value::score && shape.judged) each_variant(shape.name, "median");
    if (shape.named_parts) names.push_back(shape.name + ".");
    if (has_spread(design, shape)) {
      names.push_back(shape.name + ".spread.case");
      names.push_back(shape.name + ".spread.answer");
      if (shape.votes > 1) names.push_back(shape.name + ".spread.judge");
    }
  }
  each_variant("latency", "p50");
  each_variant("latency", "p95");
  names.emplace_back("cost.total");
}

}  // namespace

std::vector<std::string> figure_names(const Design& design) {
  const Measures measures(design);
  std::vector<std::string> names;
  for (const Measure& measure : measures.list()) {
    names.push_back(measure.name);
    // "correct.rate.new.area=refund"
    if (measure.sliced && !design.slices.empty()) names.push_back(measure.name + ".");
  }
  for (const Difference& difference : measures.differences()) names.push_back(difference.name);
  add_other_names(measures.design(), names);
  return names;
}

std::vector<MeanFigure> mean_figures(const Design& design) {
  const Measures measures(design);
  std::vector<MeanFigure> figures;
  for (const Measure& measure : measures.list()) {
    if (!measure.scored) continue;
    MeanFigure& figure = figures.emplace_back(MeanFigure{measure.name, *measure.range});
    if (measure.metric && measure.reading == Reading::score)
      figure.passes = design.metrics[*measure.metric].passes;
  }
  for (const Difference& difference : measures.differences()) {
    if (difference.bounded) figures.push_back({difference.name, difference.range});
  }
  return figures;
}

Scores CaseScores::of(const CaseMarks& marks) {
  measures_.read(marks, OutcomeKind::infra_failed, cells_);
  scores_.clear();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Measure& measure = measures_.list()[i];
    if (measure.scored) scores_.push_back({measure.name, cells_[i].mean()});
  }
  for (const Difference& difference : measures_.differences()) {
    if (!difference.bounded) continue;
    const auto variant = cells_[difference.variant].mean();
    const auto baseline = cells_[difference.baseline].mean();
    scores_.push_back(
        {difference.name, variant && baseline ? std::optional(*variant - *baseline) : std::nullopt});
  }
  return scores_;
}

}  // namespace assay::custom
