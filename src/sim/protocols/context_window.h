// A prompt that is longer than a model's context, refused in the words of each service: Bedrock gives no
// sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "models/chat.h"
#include "sim/protocols/delivery.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

// None if it fits; `window` in tokens, 0: every prompt does.
std::optional<WireError> overflow_error(const ChatRequest& request, Protocol protocol, std::int64_t window);

}  // namespace assay::sim
