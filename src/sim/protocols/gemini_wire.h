// The server's side of Google's generateContent, as the Gemini API and Vertex AI have it: bodies to requests,
// replies to bodies and events. Requests are refused as the real services refuse them: unknown fields, roles
// and parts out of place, functions that do not exist, thoughts that come back with another signature. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

struct GeminiCall {
  ChatRequest request;
  bool stream = false;
  bool thinks = false;  // and tells its thoughts
};

// `model` and `stream` stand in the path.
std::expected<GeminiCall, WireError> read_gemini_request(const Json& body, std::string_view model,
                                                         bool stream);

std::string gemini_reply_body(const ChatReply& reply, const ReplyIdentity& identity);
// Each element is one server-sent event, blank line included.
std::vector<std::string> gemini_events(const ChatReply& reply, const ReplyIdentity& identity);
std::string gemini_error_body(const WireError& error);

}  // namespace assay::sim
