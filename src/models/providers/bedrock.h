// Amazon Bedrock's Converse on the wire: requests to bodies, replies and event streams to ChatReply,
// whichever model answers. Pure. Reasoning blocks are kept with their signatures where the model calls tools,
// and sent back as they came.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"
#include "models/model.h"
#include "models/providers/provider.h"
#include "models/providers/reply_stream.h"
#include "models/structured/structured_way.h"

namespace assay {

extern const Wire kBedrockWire;

Json bedrock_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Kind parse if it is no reply. Structured output is not settled yet (settle_reply).
Result<ChatReply> bedrock_reply(const Json& json);

// The events of ConverseStream (aws_event_stream.h).
class BedrockStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override;
  bool finished() const override { return stopped_ && !metadata_.empty(); }
  Result<ChatReply> reply() const override;

 private:
  struct Block {
    JsonObject start;  // of a tool use
    std::string text;
    std::string input;  // JSON, piece by piece
    std::string thoughts;
    std::string signature;
    std::string redacted;
    bool thinks = false;
  };

  void extend(Block& block, const Json& delta);
  static Json block_json(const Block& block);

  std::map<std::int64_t, Block> blocks_;
  JsonObject metadata_;
  std::string stop_reason_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace assay
