// Google's generateContent on the wire, as the Gemini API and Vertex AI have it: requests to bodies, replies
// and event streams to ChatReply. Pure. Parts with `thought` are reasoning; where the model calls tools, its
// parts are kept with their signatures and sent back as they came.
#pragma once

#include <memory>
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

extern const Wire kGeminiWire;
extern const Wire kVertexWire;  // the same but for embeddings

Json gemini_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Kind parse if it is no reply. Structured output is not settled yet (settle_reply).
Result<ChatReply> gemini_reply(const Json& json);

// Each event is a reply with the parts that are new.
class GeminiStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override;
  bool finished() const override { return finished_; }  // a finish reason was seen, or that it is blocked
  Result<ChatReply> reply() const override;

 private:
  void take_parts(const Json& candidate);

  JsonObject head_;  // usage, names, what the prompt was blocked for: the latest of each
  JsonObject candidate_;
  JsonArray parts_;
  bool any_ = false;
  bool finished_ = false;
};

}  // namespace assay
