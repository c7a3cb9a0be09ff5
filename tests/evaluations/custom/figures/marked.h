// Cases with marks, for tests: as short as the data are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluations/custom/figures/figures.h"
#include "evaluations/custom/marks.h"
#include "report/summary.h"

namespace assay::custom {

inline MetricShape yes_no(std::string name) {
  MetricShape shape;
  shape.name = std::move(name);
  return shape;
}

inline MetricShape rating(std::string name) {
  MetricShape shape;
  shape.name = std::move(name);
  shape.value = MetricShape::Value::score;
  shape.scale = {1, 5};
  shape.judged = true;
  return shape;
}

inline Design two_variants(std::vector<MetricShape> metrics) {
  Design design;
  design.variants = {"old", "new"};
  design.baseline = 0;
  design.metrics = std::move(metrics);
  return design;
}

inline Mark given(double score) {
  Mark mark;
  mark.state = Mark::State::given;
  mark.score = score;
  return mark;
}

inline Mark failed(OutcomeKind outcome, std::string error) {
  Mark mark;
  mark.state = Mark::State::failed;
  mark.outcome = outcome;
  mark.error = std::move(error);
  return mark;
}

inline AnswerMarks answered(std::vector<Mark> marks) {
  AnswerMarks answer;
  answer.answered = true;
  answer.marks = std::move(marks);
  return answer;
}

inline AnswerMarks unanswered(OutcomeKind outcome, std::string error, std::size_t metrics) {
  AnswerMarks answer;
  answer.outcome = outcome;
  answer.error = std::move(error);
  Mark mark;
  mark.state = Mark::State::no_answer;
  answer.marks.assign(metrics, mark);
  return answer;
}

struct Marked {
  std::vector<std::vector<AnswerMarks>> answers;  // by variant, then repeat
  std::string cluster = {};
  std::vector<std::string> slices = {};
};

// Through the aggregate, as a run would.
inline Summary summary_of(const Design& design, const std::vector<Marked>& cases) {
  OutputFiles files = OutputFiles::nowhere();
  const std::unique_ptr<Aggregate> figures = make_figures(design, files);
  ResultLine line;
  Case input;
  for (const Marked& one : cases) {
    input.id = std::to_string(++input.index);
    input.cluster = one.cluster;
    line.begin(nullptr);
    auto& marks = line.facts<CaseMarks>();
    marks.answers = one.answers;
    marks.slices = one.slices;
    figures->add(input, line);
  }
  Summary summary;
  figures->finish({}, summary);
  figures->conclude(summary);
  return summary;
}

inline const Estimate& figure(const Summary& summary, const std::string& name) {
  for (const Metric& metric : summary.metrics) {
    if (metric.name == name) return metric.estimate;
  }
  throw std::runtime_error("no figure " + name);
}

inline const Table& table(const Summary& summary, const std::string& name) {
  for (const Table& one : summary.tables) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no table " + name);
}

}  // namespace assay::custom
