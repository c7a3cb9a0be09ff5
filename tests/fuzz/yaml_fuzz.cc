// Any bytes as YAML: what is read, written and read again is the same tree.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = assay::parse_yaml({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const auto text = assay::canonical_text(document->value);
  if (!assay::parse_json(text)) return 0;  // UTF-16 may hold half a character
  const auto again = assay::parse_yaml(assay::to_yaml(document->value));
  if (!again || assay::canonical_text(again->value) != text) std::abort();
  return 0;
}
