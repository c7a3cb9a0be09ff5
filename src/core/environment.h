// Environment variables as something that can be handed in, so that tests need not change the process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// The value of an environment variable; none if it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

Environment process_environment();

}  // namespace assay
