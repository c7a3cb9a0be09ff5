// What people say of the cases of a sheet, all together, and the file of it that `human:` in a config reads.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runs/labels/given_answers.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

// What people say of one case, all together: the mean of ratings, else what most say, and a half where as
// many say the one as the other. On the figure's range where the sheet is about one.
struct CaseLabel {
  std::size_t task = 0;
  double value = 0;
};
// Of the cases that somebody has answered, in the order of the tasks. Classes without a figure have no
// number.
std::vector<CaseLabel> case_labels(const Sheet& sheet, const GivenAnswers& answers);

// The labels file that `human:` reads: id, probability, a column "by NAME" for each person, and what they say
// together as `label`; of classes without a figure the class that most chose.
std::string labels_csv(const Sheet& sheet, const GivenAnswers& answers);

}  // namespace assay::labels
