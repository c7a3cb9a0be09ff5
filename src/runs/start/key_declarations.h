// The keys of an evaluation for a form, and what a form says as flags of the command line: one table of keys
// declares both. Pure.
//
// Not everything that a file may say can be changed from afar: what names programs, databases and addresses,
// and where a run is written, stands in the file, which somebody of the machine wrote; and a `${NAME}` would
// send a variable of ours wherever the form says.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"

namespace assay {

// Every key that has a flag, by its dotted name: {"name", "type", "help", "default"?, "required"?,
// "choices"?, "minimum"?, "maximum"?, "changeable"}.
JsonArray key_declarations(const Keys& keys);
// The values of those keys, by the same names; keys without one are left out.
JsonObject flat_values(const Keys& keys, const Json& values);

struct ChangeProblem {
  std::string key;
  std::string message;
};
// The flags that make these changes, {"judge.model": "openai/gpt-4o", "limit": 5}; null changes nothing. A
// path goes as what `check_path` makes of it. Every problem is told.
using PathCheck = std::function<Result<std::string>(const std::string& path)>;
std::expected<std::vector<FlagValue>, std::vector<ChangeProblem>> flags_for(const Keys& keys,
                                                                            const JsonObject& changes,
                                                                            const PathCheck& check_path);
// As words of a command line: "--judge.model=openai/gpt-4o", "--no-generate".
std::vector<std::string> words_of(const std::vector<FlagValue>& flags);

}  // namespace assay
