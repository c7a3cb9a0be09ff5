// What a user must know of an evaluation before the first run: the fields of its data and the figures that a
// gate can name. Help and completion are made from it; where an evaluation declares its fields for reading
// them, they come from there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct GuideField {
  std::string name;
  std::string type;     // "text", "true or false", "a list of results, best first"
  std::string when;     // "required", "optional", "required unless generate: true"
  std::string meaning;  // one line
};

struct EvaluationGuide {
  std::string data;  // what a record is, and the key that names the data: "input_path: a record a case"
  std::vector<GuideField> fields;
  // As Evaluation::metric_names(): a name that ends in a dot goes on with a name from the data. Parts in
  // capitals are names of the user's config.
  std::vector<std::string> figures;
};

// Of every evaluation of the registry.
EvaluationGuide guide_to(std::string_view evaluation);

}  // namespace assay
