// A sheet that people label cases on, as one page that works from a file: no network, by keys or buttons,
// kept in the browser's own storage and saved as the labels file that `human` reads. Whatever comes from the
// data is text, and the page's policy allows nothing but its own script. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stats/estimate.h"

namespace assay {

struct LabelSheet {
  std::string title;     // "Faithfulness · mean"
  std::string question;  // what people are to say, as far as the run says it; "" if it does not
  std::string rules;     // by which the judge answered it; "" if they are not known
  std::string file;      // what the saved labels are called: "labels.csv"
  std::string mark;      // tells this sheet from all others in the browser's storage
  std::string drawn;     // of which run and judge (evaluations/judges/label_origin.h)
  bool yes_no = false;   // else a place on the range
  Interval range{0, 1};
  std::vector<std::string> levels = {};  // what the steps of the range mean, from low to high; none: not said
  struct Task {
    std::string id;
    double probability = 1;
    std::vector<std::pair<std::string, std::string>> material;  // what to read, in order
    std::string asked = {};  // of a case with a question of its own, in the place of the sheet's
  };
  std::vector<Task> tasks;
};

std::string label_sheet_page(const LabelSheet& sheet);
// What people are asked of a task, with what the numbers mean where they have names: for a cell of the CSV
// file beside the page.
std::string asked_in_words(const LabelSheet& sheet, const LabelSheet::Task& task);

}  // namespace assay
