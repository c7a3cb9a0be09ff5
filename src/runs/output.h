// A file that a command was asked to write, wherever that is.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// Whole or not at all. In the directory of a sealed run it belongs to the run from then on: the run is
// checked first and sealed again, and none of its files is written over.
Status write_output(const std::string& path, std::string_view text);

}  // namespace assay
