// Whatever a server sends back, whole or as a stream: it is read or refused, a stream gives the same however
// it is cut, and what was read survives its own JSON form. The same for every wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "models/structured/structured_way.h"
#include "net/http/sse.h"

namespace assay::fuzz {

inline void check_reply(const ChatReply& reply) {
  ChatRequest request;
  request.output = OutputSchema{"answer", "", Json(JsonObject{{"type", "object"}})};
  for (const auto way : {StructuredWay::json_schema, StructuredWay::tools, StructuredWay::text}) {
    ChatReply settled = reply;
    settle_reply(settled, request, {{}, way, false, false});
    const auto back = reply_from_json(to_json(settled));
    if (!back || !(*back == settled)) std::abort();
  }
}

template <class Parser, class Stream>
void read_stream(Stream& stream, std::string_view bytes, std::size_t step) {
  Parser parser;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    parser.feed(bytes.substr(at, step), [&](const ServerSentEvent& event) { stream.take(event); });
  }
}

template <class Stream, class Parser = ServerSentEventParser, class Read>
int check_bytes(const std::uint8_t* data, std::size_t size, Read read) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto json = parse_json(bytes)) {
    if (auto reply = read(*json)) check_reply(*reply);
  }
  Stream whole;
  Stream cut;
  read_stream<Parser>(whole, bytes, size == 0 ? 1 : size);
  read_stream<Parser>(cut, bytes, 1);
  const auto one = whole.reply();
  const auto other = cut.reply();
  if (whole.finished() != cut.finished() || one.has_value() != other.has_value()) std::abort();
  if (one && !(*one == *other)) std::abort();
  if (one) check_reply(*one);
  return 0;
}

}  // namespace assay::fuzz
