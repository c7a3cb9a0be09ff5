#include "service/http/tokens.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kTokenBytes = 24;

bool good_name(std::string_view client) {
  return !client.empty() && client.find_first_of(" \t\r\n") == std::string_view::npos;
}

bool same(const Digest& a, const Digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

bool read_hex(std::string_view text, Digest& into) {
  if (text.size() != 2 * into.size()) return false;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < into.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    into[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return true;
}

}  // namespace

Result<Tokens> Tokens::read(const std::string& path) {
  Tokens tokens;
  if (path.empty()) return tokens;
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  std::string problems;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(*text)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    Digest digest{};
    if (space == std::string_view::npos || !read_hex(trim(line.substr(space)), digest)) {
      problems += fmt::format("{}line {}: expected a client's name, a space and 64 hexadecimal digits",
                              problems.empty() ? "" : "; ", number);
      continue;
    }
    tokens.known_.emplace_back(line.substr(0, space), digest);
  }
  if (!problems.empty()) return fail(Error{ErrorKind::config, problems, {{"file", path}}});
  if (tokens.known_.empty())
    return fail(
        Error{ErrorKind::config, "the file holds no token; make one with --new-token", {{"file", path}}});
  return tokens;
}

Result<std::string> Tokens::add(const std::string& path, const std::string& client) {
  if (!good_name(client))
    return fail(ErrorKind::usage,
                fmt::format("\"{}\" is no name of a client; it must have no spaces", client));
  Digest random{};
  if (::getrandom(random.data(), kTokenBytes, 0) != static_cast<ssize_t>(kTokenBytes))
    return fail(ErrorKind::io, "the system gives no random numbers");
  std::string token = "assay_" + hex(random).substr(0, 2 * kTokenBytes);
  const std::string line = fmt::format("{} {}\n", client, hex(sha256(token)));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return fail(file_error(path, "open", errno));
  const bool written =
      ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!written) return fail(file_error(path, "write", error));
  return token;
}

std::string Tokens::client_of(std::string_view token, std::string_view client) const {
  if (token.empty()) return "";  // nobody's, even if the file holds its hash
  const Digest given = sha256(token);
  std::string found;
  for (const auto& [name, digest] : known_) {
    if (same(digest, given) && (client.empty() || client == name)) found = name;
  }
  return found;
}

}  // namespace assay
