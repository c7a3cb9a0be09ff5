// The files that a command is made of, as far as the command itself says: a script, a word list, a compiled
// program with a path. A run that rests on them is another run when they change.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace assay {

// Those of its words that name a file, once each, in order. The first word names one only with a slash in it:
// without, it is looked up in PATH.
std::vector<std::string> files_of_command(const std::vector<std::string>& command);

// Those of them that are text and small enough to be kept with a plan (Config::read_text): scripts, not
// compiled programs.
std::vector<std::string> texts_of_command(const std::vector<std::string>& command);

// SHA-256 over the contents of all of them, hex: it does not depend on where they are, only on which word
// each one is. Empty if there are none. An error names the file that cannot be read.
Result<std::string> program_fingerprint(const std::vector<std::string>& command);

}  // namespace assay
