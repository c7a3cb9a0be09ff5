// The data of an evaluation as its config names them: a file, its form, and what its fields are called.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/tables/record_format.h"
#include "evaluations/data/field_map.h"

namespace assay {

struct DataFile {
  std::string path;
  std::optional<RecordFormat> format = {};  // nothing: the name says it
  FieldMap fields = {};
};

// `input_format` and `fields`, for every evaluation that reads records from a file.
Keys data_keys();
// What `path_key` names, with both.
DataFile read_data_file(const Config& config, std::string_view path_key,
                        std::vector<ConfigProblem>& problems);

}  // namespace assay
