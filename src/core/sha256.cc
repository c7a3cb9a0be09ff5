#include "core/sha256.h"

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/file.h"
#include "core/sha256_state.h"

namespace assay {

// libcrypto is linked through libcurl already and uses the processor's SHA instructions.
struct Sha256::State : Sha256State {};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  state_->update(bytes);
}

Digest Sha256::so_far() const {
  return state_->digest();
}

Digest Sha256::finish() {
  return state_->digest();
}

Digest sha256(std::string_view bytes) {
  Sha256State state;
  state.update(bytes);
  return state.digest();
}

std::string hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(digest.size() * 2);
  for (unsigned char byte : digest) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Result<std::string> sha256_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(file_error(path, "open", errno));
  std::vector<char> buffer(std::size_t{1} << 20);
  Sha256 hash;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int code = errno;
      ::close(fd);
      return fail(file_error(path, "read", code));
    }
    if (got == 0) break;
    hash.update({buffer.data(), static_cast<std::size_t>(got)});
  }
  ::close(fd);
  return hex(hash.finish());
}

}  // namespace assay
