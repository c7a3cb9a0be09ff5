// Any bytes as the requests of a connection: what is understood does not depend on how they are cut, and a
// body is never larger than allowed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/net/http/request_cuts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBody = 64;
  if (size == 0) return 0;
  // The first byte says how far the request has come: the rest is its head, a field, a body, chunks.
  constexpr std::string_view kBegun[] = {"", "POST / HTTP/1.1\r\nHost: h\r\n",
                                         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
                                         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"};
  std::string bytes(kBegun[data[0] % 4]);
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = assay::understood_at_once(bytes, kMaxBody);
  if (assay::understood_in_steps(bytes, kMaxBody, 1) != whole) std::abort();
  if (size > 2000) return 0;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    if (assay::understood_with_cut(bytes, kMaxBody, cut) != whole) std::abort();
  }
  return 0;
}
