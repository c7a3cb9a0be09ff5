// OpenAI's chat completions on the wire: requests to bodies, replies and event streams to ChatReply. Pure.
// Lenient towards the many servers that speak it: usage, ids, finish_reason may be missing, content may be
// null, a text or a list of parts, arguments a text or an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"
#include "models/model.h"
#include "models/providers/provider.h"
#include "models/providers/reply_stream.h"
#include "models/structured/structured_way.h"

namespace assay {

extern const Wire kOpenAiWire;
extern const Wire kMistralWire;  // the same with another name for the seed

// JSON, written without a tree: it is made for every call.
std::string openai_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Kind parse if it is no chat completion. Structured output is not settled yet (settle_reply).
Result<ChatReply> openai_reply(const Json& json);

// Puts the chunks of a stream together to the reply that would have come in one piece.
class OpenAiStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override;
  // [DONE] was seen, or the finish reason and the usage, after which nothing can follow.
  bool finished() const override { return done_ || (!finish_reason_.empty() && !usage_.is_null()); }
  Result<ChatReply> reply() const override;

 private:
  struct Call {
    std::string id;
    std::string name;
    std::string arguments;
  };

  void take_delta(const Json& delta);
  void take_details(const Json* details);
  void take_call(const Json& delta);

  JsonObject head_;  // what the reply says about itself: id, model, …
  std::string text_;
  std::string refusal_;
  std::string thoughts_;
  JsonArray details_;  // of the thoughts
  bool named_content_ = false;
  std::string finish_reason_;
  std::vector<Call> calls_;
  std::map<std::int64_t, std::size_t> call_at_;  // the server's index → place in calls_
  Json usage_;
  bool any_choice_ = false;
  bool done_ = false;
};

}  // namespace assay
