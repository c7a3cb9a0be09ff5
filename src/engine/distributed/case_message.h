// A case on its way to a worker: complete in itself, but for a payload that is too large for the queue, which
// the run's store keeps under a name instead.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "engine/case.h"

namespace assay {

struct CaseMessage {
  Case input;
  std::string kept_under = {};  // the name of its payload in the store; empty: it is here
};

std::string message_text(const CaseMessage& message);
// Kind parse if it is no such message.
Result<CaseMessage> read_message(std::string_view text);

// The name under which the store keeps the payload of that case.
std::string payload_name(const Case& input);

}  // namespace assay
