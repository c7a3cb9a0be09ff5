// Environment variables as something that can be handed in, so that tests need not change the process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace assay {

// The value of an environment variable; none if it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

Environment process_environment();

// `text` with each `${NAME}` replaced by that variable's value; an unset variable is an error (kind auth)
// that names it. For what is sent but never written down.
Result<std::string> fill_environment(std::string_view text, const Environment& environment);
// The same in the values of variables for a child process.
Result<std::vector<std::pair<std::string, std::string>>> fill_values(
    std::vector<std::pair<std::string, std::string>> variables, const Environment& environment);

}  // namespace assay
