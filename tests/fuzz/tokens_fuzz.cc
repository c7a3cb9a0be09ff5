// Any bytes as the file of tokens: every wrong line is told, and nobody gets in with a text that is no token.
#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "service/http/tokens.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  static const int file = ::memfd_create("tokens", MFD_CLOEXEC);
  fuzz::require(file >= 0 && ::ftruncate(file, 0) == 0);
  fuzz::require(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const auto tokens = Tokens::read("/proc/self/fd/" + std::to_string(file));
  fuzz::require_words(tokens);
  if (tokens) fuzz::require(!tokens->holder_of("not a token") && !tokens->holder_of(""));
  return 0;
}
