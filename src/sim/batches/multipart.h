// A form with files as browsers and clients send it: multipart/form-data (RFC 7578). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay::sim {

struct FormPart {
  std::string name;
  std::string file_name;  // empty: a plain field
  std::string content;
};

// Kind parse: what is missing.
Result<std::vector<FormPart>> read_multipart(std::string_view content_type, std::string_view body);

}  // namespace assay::sim
