// Any JSON as a line of a log of OpenAI's or Anthropic's, and as a document of spans.

#include <cstdint>
#include <string_view>

#include "imports/traces/otel.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = assay::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto look = [](const assay::Conversation& conversation) {
    const auto made = assay::case_of(conversation, "1");
    if (made) assay::fuzz::require(!assay::text_at(*made, "id").empty());
  };
  if (const auto openai = assay::openai_conversation(*value)) look(*openai);
  if (const auto anthropic = assay::anthropic_conversation(*value)) look(*anthropic);
  assay::OtelTraces traces;
  if (traces.add(*value)) {
    for (const assay::Conversation& conversation : traces.conversations()) look(conversation);
  }
  return 0;
}
