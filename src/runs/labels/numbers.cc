#include "runs/labels/numbers.h"

#include <algorithm>
#include <charconv>

namespace assay::labels {
namespace {

double place_of(const Sheet& sheet, const std::string& label) {
  return static_cast<double>(std::ranges::find(sheet.labels, label) - sheet.labels.begin());
}

double rating_of(const std::string& value) {
  double rating = 0;
  std::from_chars(value.data(), value.data() + value.size(), rating);
  return rating;
}

}  // namespace

double number_of(const Sheet& sheet, const GivenAnswer& answer) {
  switch (sheet.kind) {
    case SheetKind::pair:
      if (answer.value == "tie") return 0.5;
      return (answer.value == "A") == answer.first_is_a ? 1 : 0;
    case SheetKind::rating:
      return rating_of(answer.value);
    case SheetKind::label:
      return place_of(sheet, answer.value);
    case SheetKind::rubric:
      return answer.value == "yes" ? 1 : 0;
  }
  return 0;
}

std::optional<double> judge_number(const Sheet& sheet, const SheetTask& task) {
  if (sheet.kind == SheetKind::label) {
    if (std::ranges::find(sheet.labels, task.judge_label) == sheet.labels.end()) return std::nullopt;
    return place_of(sheet, task.judge_label);
  }
  if (!task.judge) return std::nullopt;
  if (sheet.kind == SheetKind::rating) return on_scale(sheet, *task.judge);
  if (*task.judge == 0.5) return sheet.kind == SheetKind::pair ? std::optional(0.5) : std::nullopt;
  return *task.judge > 0.5 ? 1 : 0;
}

std::optional<double> figure_value(const Sheet& sheet, const GivenAnswer& answer) {
  switch (sheet.kind) {
    case SheetKind::rating:
      return on_range(sheet, number_of(sheet, answer));
    case SheetKind::label:
      if (sheet.figure.empty()) return std::nullopt;
      return answer.value == sheet.tasks[answer.task].right_label ? 1 : 0;
    case SheetKind::pair:
    case SheetKind::rubric:
      return number_of(sheet, answer);
  }
  return std::nullopt;
}

}  // namespace assay::labels
