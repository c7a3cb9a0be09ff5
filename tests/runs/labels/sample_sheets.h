// Sheets for the tests of labels.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "runs/labels/given_answers.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

inline Sheet sheet_of(SheetKind kind, std::size_t tasks) {
  Sheet sheet;
  sheet.id = "20261118T100000Z-00000001";
  sheet.kind = kind;
  sheet.question = "Is it right?";
  if (kind == SheetKind::rating) sheet.scale = Interval{1, 5};
  if (kind == SheetKind::pair) sheet.variants = {"fresh-prompt", "old-prompt"};
  if (kind == SheetKind::label) sheet.labels = {"billing", "other", "refund"};
  for (std::size_t i = 0; i < tasks; ++i) {
    SheetTask task;
    task.case_id = "case-" + std::to_string(i);
    task.material = {{"question", "question " + std::to_string(i)}};
    if (kind == SheetKind::pair) task.answers = {"first " + std::to_string(i), "second " + std::to_string(i)};
    sheet.tasks.push_back(std::move(task));
  }
  return sheet;
}

// One value for each task, in their order; "" for none.
inline void answer_all(const Sheet& sheet, const std::string& person, const std::vector<std::string>& values,
                       GivenAnswers& answers) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    const auto added = answers.add(
        sheet, answer_line(sheet, person, {.task = i, .value = values[i]}, "2026-11-18T10:00:00.000Z"));
    if (!added) throw std::runtime_error(added.error().text());
  }
}

}  // namespace assay::labels
