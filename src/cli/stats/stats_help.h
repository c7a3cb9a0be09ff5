// Help and reference of `assay stats`, made from the table of modes.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "core/config/config.h"
#include "report/answers/mode.h"

namespace assay {

// Flags of every mode: --format, --help.
Keys common_stats_keys();
// "assay stats icc FILE --raters COLUMN,COLUMN"
std::string stats_usage(const answers::Mode& mode);
// One mode with its flags.
std::string mode_help(const answers::Mode& mode, const Terminal& terminal);
// All of them.
std::string stats_help(const Terminal& terminal);
// The last part of docs/stats.md.
std::string stats_reference();

}  // namespace assay
