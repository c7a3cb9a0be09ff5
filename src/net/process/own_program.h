// How this program is started again: by what the kernel knows as its file, which works under whatever name
// and from whatever place it was called. A package that brings its own libraries has it started by a loader
// that stands beside it (packaging/launcher.c); the kernel then knows the loader's file, and what starts the
// program is the launcher.
#pragma once

#include <string>

namespace assay {

std::string own_program();

// The same for a kernel that says `file`.
std::string program_started_by(const std::string& file);

}  // namespace assay
