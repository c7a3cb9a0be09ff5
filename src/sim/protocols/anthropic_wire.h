// The server's side of Anthropic's messages: bodies to requests, replies to bodies and events. Requests are
// refused as the real service refuses them: missing max_tokens, roles and blocks out of place, tool uses
// without results, extra fields. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

struct AnthropicCall {
  ChatRequest request;
  bool stream = false;
  bool thinks = false;
};

std::expected<AnthropicCall, WireError> read_anthropic_request(const Json& body);

std::string anthropic_reply_body(const ChatReply& reply, const ReplyIdentity& identity);
// Each element is one server-sent event, blank line included.
std::vector<std::string> anthropic_events(const ChatReply& reply, const ReplyIdentity& identity);
// `request_id` as in the header of the same name.
std::string anthropic_error_body(const WireError& error, std::string_view request_id);
std::string anthropic_models_body();
std::string anthropic_model_body(std::string_view id);

}  // namespace assay::sim
