// Gzip files, read as what they hold.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// Whether these first bytes of a file are those of gzip.
bool is_gzip(std::string_view start);

// What the gzip file holds (all of its members), written to a temporary file without a name: any place of it
// can be read, and it goes when it is closed. Gives the open file, at its beginning. Content that is damaged
// or ends too early is an error of kind data.
Result<int> inflated_file(const std::string& path);

}  // namespace assay
