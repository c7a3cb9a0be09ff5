// Cases of a finished run, or parts of cases that are judged for themselves, for people to label on paper or
// in a browser: a CSV file and a page that works from a file, both with what was judged in each and nothing
// of what the judge said. `assay label-sample`.
#pragma once

#include <cstddef>
#include <string>

#include "core/error.h"
#include "stats/agreement/human_labels.h"

namespace assay::labels {

struct SampleRequest {
  std::string directory;  // of the run
  std::string figure;
  std::size_t count = 100;
  LabelPlan plan = {};
  std::string file = "labels.csv";  // what the page calls the labels that it saves
};

struct LabelSample {
  std::string csv;   // ready for a person to fill in the last column
  std::string page;  // HTML
  std::size_t cases = 0;
};

// The same request of the same run gives the same sample. An error if the run has no such figure.
Result<LabelSample> draw_label_sample(const SampleRequest& request);

}  // namespace assay::labels
