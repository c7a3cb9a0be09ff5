#include "core/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace assay {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// By byte; -1: it is not one of the alphabet.
constexpr auto kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= have ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t have = last ? 4 - padding : 4;
    unsigned bits = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const int value = j < have ? kValues[static_cast<unsigned char>(text[i + j])] : 0;
      if (value < 0) return std::nullopt;
      bits = bits << 6 | static_cast<unsigned>(value);
    }
    const unsigned unused = have == 4 ? 0 : have == 3 ? 0xFF : 0xFFFF;
    if ((bits & unused) != 0) return std::nullopt;
    for (std::size_t j = 0; j + 1 < have; ++j) out += static_cast<char>(bits >> (16 - 8 * j) & 0xFF);
  }
  return out;
}

}  // namespace assay
