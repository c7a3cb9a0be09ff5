// Names of runs: sortable by time, unique between machines.
#pragma once

#include <string>

#include "core/time.h"

namespace assay {

// "20260901T083000Z-5f3a9c1e": the time, and 32 random bits of the operating system.
std::string make_run_id(WallTime now);

}  // namespace assay
