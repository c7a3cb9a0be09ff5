// OpenAI's Responses on the wire: requests to bodies, replies and event streams to ChatReply. Pure. Nothing
// is stored at the provider: each request says the whole conversation, and where a model that reasons calls
// tools, its items are kept, encrypted thoughts included, and sent back as they came.
#pragma once

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

extern const Wire kResponsesWire;

Json responses_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Kind parse if it is no response. Structured output is not settled yet (settle_reply).
Result<ChatReply> responses_reply(const Json& json);

// The last event has the whole response; the others are counted.
class ResponsesStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override;
  bool finished() const override { return !response_.is_null(); }
  Result<ChatReply> reply() const override;

 private:
  Json response_;
  JsonArray items_;  // that were finished: for servers that leave them out of the last event
};

}  // namespace assay
