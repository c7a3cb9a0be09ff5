#include "runs/labels/labels_file.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/json/json.h"
#include "report/csv.h"
#include "runs/labels/numbers.h"

namespace assay::labels {
namespace {

double together(SheetKind kind, const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (kind == SheetKind::rating) return mean;
  const auto count = [&](double value) { return std::ranges::count(values, value); };
  const auto yes = count(1);
  const auto no = count(0);
  return yes > no ? 1 : yes < no ? 0 : 0.5;
}

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
  std::vector<CaseLabel> labels;
  for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
    std::vector<double> values;
    for (const Person& person : answers.people()) {
      const GivenAnswer* answer = person.answer_to(task);
      if (const auto value = answer == nullptr ? std::nullopt : figure_value(sheet, *answer))
        values.push_back(*value);
    }
    if (!values.empty()) labels.push_back({task, together(sheet.kind, values)});
  }
  return labels;
}

std::string labels_csv(const Sheet& sheet, const GivenAnswers& answers) {
  std::vector<std::string> cells = {"id", "probability"};
  for (const Person& person : answers.people()) cells.push_back("by " + person.name);
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
      } else {
        cells.push_back(sheet.kind == SheetKind::label ? answer->value
                                                       : number_text(number_of(sheet, *answer)));
      }
    }
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
