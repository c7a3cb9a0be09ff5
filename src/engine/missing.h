// What an evaluation needs on this machine and does not find, told beside what is wrong with its config:
// whoever mends the one should not learn of the other by the next try. A good config is looked at where the
// means to ask are (runs/distributed/distribution.h).
#pragma once

#include <vector>

#include "core/config/config.h"
#include "engine/work.h"

namespace assay {

// Variables of the environment, programs and directories. Of a distributed run nothing: its workers need
// them.
void add_missing(const CaseWork& work, const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay
