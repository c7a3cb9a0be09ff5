#include "models/providers/responses.h"
#include "tests/fuzz/reply_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return assay::fuzz::check_bytes<assay::ResponsesStream>(data, size, assay::responses_reply);
}
