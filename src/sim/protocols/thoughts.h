// The thoughts of the simulated model, for those who ask it to think: a few words before the answer, signed
// as providers sign theirs, so that it is noticed if they do not come back as they were given.
#pragma once

#include <string>
#include <string_view>

#include "models/chat.h"

namespace assay::sim {

// Puts thoughts before the answer, unless a script has some, and counts them.
void think(ChatReply& reply, const ChatRequest& request);

std::string thought_signature(std::string_view thoughts);

}  // namespace assay::sim
