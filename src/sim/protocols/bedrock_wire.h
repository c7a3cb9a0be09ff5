// The server's side of Amazon Bedrock's Converse: bodies to requests, replies to bodies and binary frames.
// Requests are refused as the real service refuses them: unknown fields, blocks out of place, tool uses
// without results, thoughts that come back with another signature. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

struct BedrockCall {
  ChatRequest request;
  bool stream = false;
  bool thinks = false;
};

// `model` and `stream` stand in the path.
std::expected<BedrockCall, WireError> read_bedrock_request(const Json& body, std::string_view model,
                                                           bool stream);

std::string bedrock_reply_body(const ChatReply& reply);
// Each element is one frame (models/providers/aws_event_stream.h).
std::vector<std::string> bedrock_frames(const ChatReply& reply);
std::string bedrock_error_body(const WireError& error);
// "ThrottlingException": what the header x-amzn-errortype says.
std::string_view bedrock_error_type(int status);

}  // namespace assay::sim
