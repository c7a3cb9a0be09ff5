// Any bytes as server-sent events: the events do not depend on how the bytes are cut.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/sse.h"

namespace {

std::vector<std::string> events(std::string_view text, std::size_t step) {
  assay::ServerSentEventParser parser;
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size(); at += step) {
    parser.feed(text.substr(at, step),
                [&](assay::ServerSentEvent event) { list.push_back(event.event + ":" + event.data); });
  }
  return list;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 0 && events(text, 1) != events(text, size)) std::abort();
  return 0;
}
