// The version of this program, as CMakeLists.txt says it.
#pragma once

#include <string>

namespace assay {

extern const char* const kVersion;
// With the commit, where it is known: two programs of the same name do the same.
std::string build_name();

}  // namespace assay
