#include "sim/protocols/thoughts.h"

#include <fmt/format.h>

#include "core/text.h"
#include "models/tokens.h"
#include "sim/chance.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

void think(ChatReply& reply, const ChatRequest& request) {
  if (reply.message.reasoning.empty()) {
    std::string_view asked;
    for (const Message& message : request.messages) {
      if (message.role == Role::user) asked = message.text;
    }
    reply.message.reasoning = fmt::format("I am asked: {} I look at what is given, and answer from that.",
                                          shorten(trim(asked), 120));
  }
  const std::int64_t tokens = estimate_tokens(reply.message.reasoning);
  reply.usage.reasoning_tokens += tokens;
  reply.usage.completion_tokens += tokens;
}

std::string thought_signature(std::string_view thoughts) {
  return "sim" + id_text(hash_bytes(thoughts));
}

}  // namespace assay::sim
