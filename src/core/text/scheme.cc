#include "core/text/scheme.h"

#include <algorithm>

namespace assay {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::optional<std::string_view> scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) return std::nullopt;
  const std::string_view scheme = text.substr(0, colon);
  const bool well_formed = std::ranges::all_of(scheme, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
  return well_formed ? std::optional(scheme) : std::nullopt;
}

}  // namespace assay
