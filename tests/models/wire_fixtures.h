// What the tests of the models room share: JSON written in place, and streams cut in every way.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/json/json.h"
#include "models/chat.h"
#include "models/providers/reply_stream.h"
#include "net/http/sse.h"

namespace assay {

inline Json json(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) {
    ADD_FAILURE() << "the test's own JSON is wrong: " << parsed.error().text() << " in " << text;
    return nullptr;
  }
  return *parsed;
}

inline ChatRequest ask(std::string text) {
  ChatRequest request;
  request.model = "test";
  request.messages.push_back({.role = Role::user, .text = std::move(text)});
  return request;
}

inline void feed(ReplyStream& stream, const std::vector<std::string_view>& chunks) {
  ServerSentEventParser parser;
  for (const auto chunk : chunks) {
    parser.feed(chunk, [&](const ServerSentEvent& event) { stream.take(event); });
  }
}

// Calls `use` with the bytes of a stream cut at every single place, into single bytes, and not at all.
inline void for_every_chunking(std::string_view bytes,
                               const std::function<void(const std::vector<std::string_view>&)>& use) {
  use({bytes});
  for (std::size_t at = 1; at < bytes.size(); ++at) use({bytes.substr(0, at), bytes.substr(at)});
  std::vector<std::string_view> single;
  single.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); ++at) single.push_back(bytes.substr(at, 1));
  use(single);
}

}  // namespace assay
