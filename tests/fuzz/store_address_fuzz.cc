// The address of a store: any text is one or is refused, and what is kept of one names the same place and
// holds no password of it.
#include <cstdint>
#include <string>
#include <string_view>

#include "store/address.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::StoreAddress;
  using assay::fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = StoreAddress::read(text);
  require(address || !address.error().message.empty());
  if (!address) return 0;
  const auto again = StoreAddress::read(address->kept());
  require(again && again->kind() == address->kind());
  if (address->kind() != StoreAddress::Kind::postgres) return 0;
  require(again->kept() == address->kept() && address->same_place(*again));
  // A password that cannot be mistaken for anything else, put where one stands.
  constexpr std::string_view kPassword = "gRe7Xq2password";
  if (text.contains(kPassword)) return 0;
  const std::size_t authority = text.find("//") + 2;
  const std::string_view rest = text.substr(authority);
  const std::size_t end = rest.find_first_of("@/?:#[");
  if (end == std::string_view::npos || rest[end] != '@') return 0;
  const std::string with = std::string(text.substr(0, authority + end)) + ":" + std::string(kPassword) +
                           std::string(text.substr(authority + end));
  const auto secret = StoreAddress::read(with);
  require(secret && !secret->kept().contains(kPassword) && !secret->shown().contains(kPassword));
  return 0;
}
