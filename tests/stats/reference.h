// Values that SciPy and scikit-learn computed once (reference/make_reference.py), for tests to compare with.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/json/json.h"

namespace assay {

inline Json reference_values(std::string_view part) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/stats/reference/reference.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto json = parse_json(text);
  if (!json) {
    ADD_FAILURE() << "reference.json cannot be read: " << json.error().text();
    return JsonArray();
  }
  return json->at(part);
}

inline double number(const Json& json) {
  return as_number(json).value();
}

}  // namespace assay
