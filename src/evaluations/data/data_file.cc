#include "evaluations/data/data_file.h"

namespace assay {

Keys data_keys() {
  return {
      {.name = "input_format",
       .help =
           "The form of the data, where the file's name does not say it: JSON Lines, a JSON list, a table "
           "with commas or with tabs.",
       .choices = record_format_names()},
      fields_key()};
}

DataFile read_data_file(const Config& config, std::string_view path_key,
                        std::vector<ConfigProblem>& problems) {
  return {config.text(path_key), record_format(config.text("input_format")),
          read_field_map(config, problems)};
}

}  // namespace assay
