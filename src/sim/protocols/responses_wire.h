// The server's side of OpenAI's Responses: bodies to requests, replies to bodies and events. Requests are
// refused as the real service refuses them: unknown parameters, items out of place, calls without outputs.
// Nothing is stored, so that what refers to an earlier response is refused too. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

struct ResponsesCall {
  ChatRequest request;
  bool stream = false;
  bool thinks = false;
  bool store = true;
  Json format = {};  // of the text, as it was asked for
};

std::expected<ResponsesCall, WireError> read_responses_request(const Json& body);

std::string responses_reply_body(const ResponsesCall& call, const ChatReply& reply,
                                 const ReplyIdentity& identity);
// Each element is one server-sent event, blank line included.
std::vector<std::string> responses_events(const ResponsesCall& call, const ChatReply& reply,
                                          const ReplyIdentity& identity);

}  // namespace assay::sim
