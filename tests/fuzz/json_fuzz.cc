// The strict reader and the writers: whatever is accepted must be written and read back as the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/json/json.h"
#include "core/text.h"

namespace {

void require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = assay::parse_json(text);
  if (!value) {
    require(!value.error().text().empty());
    require(assay::valid_utf8(value.error().text()));
    return 0;
  }
  require(assay::valid_utf8(text));
  const auto written = assay::to_text(*value);
  const auto again = assay::parse_json(written);
  require(again.has_value());
  require(assay::to_text(*again) == written);
  require(assay::canonical_text(*again) == assay::canonical_text(*value));
  const auto pretty = assay::parse_json(assay::pretty_text(*value));
  require(pretty && assay::canonical_text(*pretty) == assay::canonical_text(*value));
  require(assay::excerpt(*value, 20).size() <= 20);
  return 0;
}
