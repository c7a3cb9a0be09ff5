// Whatever a server sends back as a message of Anthropic's wire, whole or as a stream: it is read or refused,
// a stream gives the same however it is cut, and what was read survives its own JSON form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/anthropic.h"
#include "models/structured_way.h"
#include "net/sse.h"

namespace {

using assay::ChatReply;

void check_reply(ChatReply reply) {
  assay::ChatRequest request;
  request.output = assay::OutputSchema{"answer", "", assay::JsonObject{{"type", "object"}}};
  for (const auto way :
       {assay::StructuredWay::json_schema, assay::StructuredWay::tools, assay::StructuredWay::text}) {
    ChatReply settled = reply;
    assay::settle_reply(settled, request, {{}, way, false, false});
    const auto back = assay::reply_from_json(assay::to_json(settled));
    if (!back || !(*back == settled)) std::abort();
  }
}

void read_stream(assay::AnthropicStream& stream, std::string_view bytes, std::size_t step) {
  assay::ServerSentEventParser parser;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    parser.feed(bytes.substr(at, step), [&](const assay::ServerSentEvent& event) { stream.take(event); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto json = assay::parse_json(bytes)) {
    if (auto reply = assay::anthropic_reply(*json)) check_reply(std::move(*reply));
  }
  assay::AnthropicStream whole;
  assay::AnthropicStream cut;
  read_stream(whole, bytes, size == 0 ? 1 : size);
  read_stream(cut, bytes, 1);
  const auto one = whole.reply();
  const auto other = cut.reply();
  if (whole.finished() != cut.finished() || one.has_value() != other.has_value()) std::abort();
  if (one && !(*one == *other)) std::abort();
  if (one) check_reply(*one);
  return 0;
}
