// Values that R computed once (tests.R), for the tests of groups, pairs, effects, associations and planning.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/json/json.h"
#include "tests/stats/reference.h"

namespace assay {

inline Json values_from_r(std::string_view part) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/stats/reference/tests.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto json = parse_json(text);
  if (!json) {
    ADD_FAILURE() << "tests.json cannot be read: " << json.error().text();
    return JsonArray();
  }
  return json->at(part);
}

inline std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list.as_array()) values.push_back(number(value));
  return values;
}

inline bool has(const Json& row, std::string_view key) {
  return row.as_object().contains(key) && !row.at(key).is_null();
}

}  // namespace assay
