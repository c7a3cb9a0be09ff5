#include "runs/labels/labels_file.h"

#include <map>

#include "core/json/json.h"
#include "evaluations/data/human_labels.h"
#include "report/csv.h"
#include "runs/labels/numbers.h"

namespace assay::labels {
namespace {

// The answer that most gave; of equals the one that comes first in the list of labels.
std::string most_chosen(const Sheet& sheet, const GivenAnswers& answers, std::size_t task) {
  std::map<std::string, int> counts;
  for (const Person& person : answers.people()) {
    if (const GivenAnswer* answer = person.answer_to(task)) ++counts[answer->value];
  }
  std::string best;
  for (const std::string& label : sheet.labels) {
    if (counts[label] > counts[best]) best = label;
  }
  return best;
}

}  // namespace

std::vector<CaseLabel> case_labels(const Sheet& sheet, const GivenAnswers& answers) {
  std::vector<std::vector<double>> said(sheet.tasks.size());
  bool yes_or_no = sheet.kind != SheetKind::rating;
  for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
    for (const Person& person : answers.people()) {
      const GivenAnswer* answer = person.answer_to(task);
      const auto value = answer == nullptr ? std::nullopt : figure_value(sheet, *answer);
      if (!value) continue;
      said[task].push_back(*value);
      // A tie between two answers counts as half, as the judge's does.
      yes_or_no = yes_or_no && (*value == 0 || *value == 1);
    }
  }
  std::vector<CaseLabel> labels;
  for (std::size_t task = 0; task < said.size(); ++task) {
    if (!said[task].empty())
      labels.push_back({task, said_together(said[task], yes_or_no ? Together::most : Together::mean)});
  }
  return labels;
}

std::string labels_csv(const Sheet& sheet, const GivenAnswers& answers) {
  std::vector<std::string> cells = {"id", "probability"};
  for (const Person& person : answers.people()) cells.push_back("by " + person.name);
  if (!sheet.drawn.empty()) cells.emplace_back("drawn");
  cells.emplace_back("label");
  std::string csv;
  append_csv_row(csv, cells);
  std::map<std::size_t, double> labels;
  for (const CaseLabel& label : case_labels(sheet, answers)) labels[label.task] = label.value;
  for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
    cells = {sheet.tasks[task].case_id, number_text(sheet.probability)};
    for (const Person& person : answers.people()) {
      const GivenAnswer* answer = person.answer_to(task);
      if (answer == nullptr) {
        cells.emplace_back();
      } else if (const auto value = figure_value(sheet, *answer)) {
        // On the figure's scale, as the label is: each is held against the judge.
        cells.push_back(number_text(*value));
      } else {
        cells.push_back(answer->value);
      }
    }
    if (!sheet.drawn.empty()) cells.push_back(sheet.drawn);
    const auto label = labels.find(task);
    if (label != labels.end()) {
      cells.push_back(number_text(label->second));
    } else {
      cells.push_back(sheet.kind == SheetKind::label ? most_chosen(sheet, answers, task) : std::string());
    }
    append_csv_row(csv, cells);
  }
  return csv;
}

}  // namespace assay::labels
