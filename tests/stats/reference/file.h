// A JSON file of this folder, for tests to compare with; how each was made stands in the script of its name.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/json/json.h"

namespace assay {

inline Json reference_file(std::string_view name) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/stats/reference/" + std::string(name));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto json = parse_json(text);
  if (!json) {
    ADD_FAILURE() << name << " cannot be read: " << json.error().text();
    return JsonObject();
  }
  return *json;
}

inline std::vector<double> reference_numbers(const Json& list) {
  std::vector<double> numbers;
  for (const Json& item : list.as_array()) numbers.push_back(as_number(item).value());
  return numbers;
}

}  // namespace assay
