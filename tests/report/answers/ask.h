// Asks a question of a table that stands in the test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/config/config.h"
#include "core/tables/data_table.h"
#include "report/answers/mode.h"

namespace assay {

inline Result<answers::Answer> ask(std::string_view mode_name, std::string_view csv,
                                   const std::vector<FlagValue>& flags) {
  const answers::Mode* mode = answers::find_mode(mode_name);
  if (mode == nullptr) return fail(ErrorKind::internal, "no such mode");
  const ResolvedConfig resolved = resolve_config(mode->keys, {"", {}, flags});
  if (!resolved.problems.empty()) return fail(ErrorKind::usage, resolved.problems.front().text);
  const auto table = DataTable::of_csv(csv, "table.csv");
  if (!table) return fail(table.error());
  return mode->answer(*table, resolved.config);
}

// The JSON of an answer that must be there.
inline Json asked(std::string_view mode, std::string_view csv, const std::vector<FlagValue>& flags) {
  const auto answer = ask(mode, csv, flags);
  if (!answer) {
    ADD_FAILURE() << answer.error().text();
    return nullptr;
  }
  return answer->json;
}

// The error of one that must not.
inline std::string refused(std::string_view mode, std::string_view csv, const std::vector<FlagValue>& flags) {
  const auto answer = ask(mode, csv, flags);
  return answer ? "answered" : answer.error().text();
}

inline double number_at(const Json& json, std::string_view pointer) {
  const auto found = as_number(json.at_pointer(pointer));
  EXPECT_TRUE(found.has_value()) << pointer;
  return found.value_or(0);
}

}  // namespace assay
