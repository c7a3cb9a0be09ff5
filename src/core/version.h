// The version of this program, as CMakeLists.txt says it.
#pragma once

namespace assay {

extern const char* const kVersion;

}  // namespace assay
