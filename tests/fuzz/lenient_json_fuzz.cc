// The forgiving reader: never crashes or hangs, agrees with the strict reader on strict JSON, and what it
// gives is JSON that can be written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/json/json.h"

namespace {

void require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strict = assay::parse_json(text);
  const auto rejecting = assay::parse_lenient_json(text, assay::Unfinished::reject);
  const auto closing = assay::parse_lenient_json(text, assay::Unfinished::close);
  if (strict) {
    require(rejecting && rejecting->forgiven.empty());
    require(assay::to_text(rejecting->value) == assay::to_text(*strict));
  } else if (rejecting) {
    require(!rejecting->forgiven.empty());
  }
  // Closing only helps where rejecting found nothing.
  if (rejecting) require(closing && assay::to_text(closing->value) == assay::to_text(rejecting->value));
  if (closing) require(assay::parse_json(assay::to_text(closing->value)).has_value());
  if (!closing) require(!closing.error().text().empty());
  return 0;
}
