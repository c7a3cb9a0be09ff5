// Programs as they are named in configs: a path, or a name that is looked up in PATH.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/error.h"

namespace assay {

// In the absolute directories of PATH; nothing if there is none.
std::optional<std::string> find_program(std::string_view name, const Environment& environment);

// Error of kind config that says what is missing: the file, its right to be run, or the name in PATH.
Status check_program(const std::string& program, const Environment& environment = process_environment());

// The same of a whole command: also the script that an interpreter is given (`python3 score.py`), which
// stands in `directory` ("": ours) if its name is not absolute.
Status check_command(const std::vector<std::string>& command, const std::string& directory,
                     const Environment& environment = process_environment());

}  // namespace assay
