// What a stress test needs to know of the judge of guidelines. One message of the agent is changed; the rest
// of the conversation stays.
#pragma once

#include <functional>
#include <memory>

#include "engine/case.h"
#include "evaluations/guidelines/conversation.h"
#include "evaluations/stress/stressing.h"

namespace assay::guidelines {

// `read` gives the conversation of a case with the guidelines that are judged, and no others; it is asked as
// long as the result lives. `moved` is the part of the scale beyond which a score has moved.
std::unique_ptr<stress::Stressing> judge_stressing(std::function<Conversation(const Case&)> read,
                                                   double moved);

}  // namespace assay::guidelines
