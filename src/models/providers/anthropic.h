// Anthropic's messages API on the wire: requests to bodies, replies and event streams to ChatReply. Pure.
// Thinking blocks are reasoning; where the model calls tools, the content is kept with their signatures and
// sent back as it came. The blocks of server tools are skipped; their tokens are in the usage all the same.
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

extern const Wire kAnthropicWire;

Json anthropic_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Kind parse if it is no message. Structured output is not settled yet (settle_reply).
Result<ChatReply> anthropic_reply(const Json& json);

// Puts the events of a stream together to the message that would have come in one piece.
class AnthropicStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override;
  bool finished() const override { return stopped_; }  // message_stop was seen
  Result<ChatReply> reply() const override;

 private:
  struct Block {
    JsonObject start;  // as the server opened it
    std::string text;
    std::string thinking;
    std::string input;  // JSON, piece by piece
  };

  void take_usage(const Json* usage);
  void open_block(const Json& event);
  void extend_block(const Json& event);

  JsonObject message_;
  JsonObject usage_;
  std::map<std::int64_t, Block> blocks_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace assay
