// Config keys that every evaluation has.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/config.h"

namespace assay {

Keys common_keys();

}  // namespace assay
