#include "models/providers/gemini.h"
#include "tests/fuzz/reply_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return assay::fuzz::check_bytes<assay::GeminiStream>(data, size, assay::gemini_reply);
}
