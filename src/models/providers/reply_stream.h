// A reply that arrives as server-sent events, put together piece by piece. However the bytes are cut into
// chunks, the result is the reply that the server would have sent in one piece.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"
#include "models/tokens.h"
#include "net/http/sse.h"

namespace assay {

class ReplyStream {
 public:
  virtual ~ReplyStream() = default;

  // Ignores what it does not know; after broken() or an error() it takes nothing more.
  virtual void take(const ServerSentEvent& event) = 0;
  // Whether the end was reached, so that reply() is the whole reply.
  virtual bool finished() const = 0;
  // Kind parse if what came is no reply.
  virtual Result<ChatReply> reply() const = 0;

  // Of what has come so far, roughly; thoughts count, although they are no part of the reply.
  std::int64_t tokens() const { return tokens_; }

  // The error that the server reported inside the stream.
  const std::optional<Json>& error() const { return error_; }
  // The data of an event that was not JSON.
  const std::optional<std::string>& broken() const { return broken_; }

 protected:
  void count(std::string_view piece) { tokens_ += estimate_tokens(piece); }

  std::optional<Json> error_;
  std::optional<std::string> broken_;

 private:
  std::int64_t tokens_ = 0;
};

}  // namespace assay
