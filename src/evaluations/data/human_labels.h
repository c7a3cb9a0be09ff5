// What people say of cases, as the labels files of a figure have it (label_file.h): one file, or one for each
// of several people who labelled the same cases, each on a copy of the sheet. Of several files a case's label
// is what people say together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "stats/estimate.h"

namespace assay {

// How what several people say of one case becomes one label: the mean of ratings; of yes and no what most
// say, and a half where they are even.
enum class Together { mean, most };
double said_together(std::span<const double> values, Together how);

// What people say of one case.
struct HumanLabel {
  std::string id;
  double value = 0;
  double probability = 1;                     // that the case was to be labelled
  std::map<std::string, double> people = {};  // what each of several people said, by name
};

// Of which run and judge the cases of a file were drawn, as it says it (label_origin.h); "" if it does not.
struct LabelsDrawn {
  std::string file;
  std::string drawn;
};

struct HumanLabels {
  std::vector<HumanLabel> labels;    // one a case
  std::set<std::string> unlabelled;  // ids of cases that were drawn and that nobody has labelled
  std::vector<LabelsDrawn> files;
};

// The files of one figure, and the key of the config that names them.
struct LabelFiles {
  std::vector<std::string> paths;
  std::string key;
  std::string figure;
  std::optional<Interval> range;  // of the figure; a label off it is a problem
};

// All that is wrong in any of the files becomes problems. Nothing where there are none to read a label from.
std::optional<HumanLabels> read_human_labels(const Config& config, const LabelFiles& files,
                                             std::vector<ConfigProblem>& problems);

}  // namespace assay
