// What a program prints that is asked for a token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/token_command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto token = assay::read_token(bytes, assay::WallTime{});
  if (token && token->token.empty()) std::abort();
  return 0;
}
