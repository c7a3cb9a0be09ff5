// Bytes as base64 (RFC 4648, section 4, padded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

std::string base64(std::string_view bytes);
// Nothing if it is anything else: other characters, padding that lacks or does not belong there, bits left
// over.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace assay
