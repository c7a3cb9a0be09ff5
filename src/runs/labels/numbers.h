// Answers as numbers: for agreement (see agreement.h), and on the figure's range for the labels file. Pure.
#pragma once

#include <optional>

#include "runs/labels/given_answers.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

double number_of(const Sheet& sheet, const GivenAnswer& answer);
// The judge's word on the same scale; nothing where there is none, or where it says neither.
std::optional<double> judge_number(const Sheet& sheet, const SheetTask& task);
// What the answer makes of the figure; nothing for a class without one.
std::optional<double> figure_value(const Sheet& sheet, const GivenAnswer& answer);

}  // namespace assay::labels
