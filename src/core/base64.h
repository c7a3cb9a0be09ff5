// Bytes as base64 (RFC 4648, section 4, padded).
#pragma once

#include <string>
#include <string_view>

namespace assay {

std::string base64(std::string_view bytes);

}  // namespace assay
