// Keys of a run that is spread over several machines: where its queue is, and how cases are given out.
#pragma once

#include "core/config/config.h"

namespace assay {

// How the queue is reached; for a worker, too.
Keys queue_keys();
// These, and what the coordinator alone decides.
Keys distribution_keys();

}  // namespace assay
