// Config keys that every evaluation has.
#pragma once

#include <string_view>

#include "core/config/config.h"

namespace assay {

// Names the config that the secrets of a written config are read from.
inline constexpr std::string_view kSecretsFrom = "secrets_from";

Keys common_keys();

}  // namespace assay
