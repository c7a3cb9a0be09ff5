// The server's side of OpenAI's chat completions: bodies to requests, replies to bodies and events. Requests
// are refused as the real service refuses them: unknown or ill-typed parameters, roles out of order, tools
// that do not exist, schemas that its strict mode does not take, parameters that a model's family does not
// take. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

struct OpenAiCall {
  ChatRequest request;
  bool stream = false;
  bool include_usage = false;
  bool thinks = false;
};

std::expected<OpenAiCall, WireError> read_openai_request(const Json& body);

std::string openai_reply_body(const ChatReply& reply, const ReplyIdentity& identity);
// Each element is one server-sent event, blank line included; the last is [DONE].
std::vector<std::string> openai_events(const ChatReply& reply, const ReplyIdentity& identity,
                                       bool include_usage);
std::string openai_error_body(const WireError& error);
std::string openai_models_body();
std::string openai_model_body(std::string_view id);

}  // namespace assay::sim
