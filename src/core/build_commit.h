// The commit that this program was built from, "-dirty" behind it if files differed; empty if it is not
// known. Written by cmake/commit.cmake.
#pragma once

namespace assay {

extern const char* const kCommit;

}  // namespace assay
