#include "service/http/tokens.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kTokenBytes = 24;

// A line that begins with # is a comment, and behind a slash stand the agents that a client may have.
bool good_name(std::string_view client) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '/' && c != 0x7f; };
  return !client.empty() && !client.starts_with('#') && std::ranges::all_of(client, plain);
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

// Changes whenever the file does.
std::string version_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "none";
  return fmt::format("{}.{}.{}.{}", info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
}

}  // namespace

Tokens Tokens::parse(std::string_view text, std::string& problems) {
  Tokens tokens;
  std::size_t number = 0;
  const auto complain = [&](std::string_view what) {
    problems += fmt::format("{}line {}: {}", problems.empty() ? "" : "; ", number, what);
  };
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    const std::string_view rest = space == std::string_view::npos ? "" : trim(line.substr(space));
    const std::size_t end = std::min(rest.find(' '), rest.size());
    Line one{.holder = {std::string(line.substr(0, space)), TokenRoles::unnamed()}, .digest = {}};
    if (!read_hex(rest.substr(0, end), one.digest)) {
      complain("expected a client's name, a space and 64 hexadecimal digits");
      continue;
    }
    if (const std::string_view named = trim(rest.substr(end)); !named.empty()) {
      auto roles = TokenRoles::parse(named);
      if (!roles) {
        complain(roles.error().message);
        continue;
      }
      one.holder.roles = *roles;
    }
    tokens.known_.push_back(std::move(one));
  }
  return tokens;
}

Result<Tokens> Tokens::read(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  std::string problems;
  Tokens tokens = parse(*text, problems);
  if (!problems.empty()) return fail(Error{ErrorKind::config, problems, {{"file", path}}});
  if (tokens.known_.empty())
    return fail(
        Error{ErrorKind::config, "the file holds no token; make one with --new-token", {{"file", path}}});
  return tokens;
}

Result<std::string> Tokens::add(const std::string& path, const std::string& client,
                                const std::string& roles) {
  if (!good_name(client))
    return fail(
        ErrorKind::usage,
        fmt::format("\"{}\" is no name of a client; expected one without spaces and slashes that does "
                    "not begin with #",
                    client));
  std::string named;
  if (!roles.empty()) {
    auto parsed = TokenRoles::parse(roles);
    if (!parsed) return fail(std::move(parsed.error()).with("key", "roles"));
    named = " " + parsed->text();
  }
  Digest random{};
  if (::getrandom(random.data(), kTokenBytes, 0) != static_cast<ssize_t>(kTokenBytes))
    return fail(ErrorKind::io, "the system gives no random numbers");
  std::string token = "assay_" + hex(random).substr(0, 2 * kTokenBytes);
  std::string line = fmt::format("{} {}{}\n", client, hex(sha256(token)), named);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return fail(file_error(path, "open", errno));
  // Somebody's editor may have left the last line without its end.
  char last = '\n';
  if (const off_t size = ::lseek(fd, 0, SEEK_END); size > 0) (void)!::pread(fd, &last, 1, size - 1);
  if (last != '\n') line.insert(0, 1, '\n');
  const bool written =
      ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!written) return fail(file_error(path, "write", error));
  return token;
}

std::optional<TokenHolder> Tokens::holder_of(std::string_view token, std::string_view client) const {
  if (token.empty()) return std::nullopt;  // nobody's, even if the file holds its hash
  const Digest given = sha256(token);
  const Line* found = nullptr;
  for (const Line& line : known_) {
    if (same(line.digest, given) && (client.empty() || client == line.holder.client)) found = &line;
  }
  return found == nullptr ? std::nullopt : std::optional(found->holder);
}

Result<std::unique_ptr<TokenFile>> TokenFile::open(std::string path,
                                                   std::function<void(const std::string&)> tell) {
  std::unique_ptr<TokenFile> file(new TokenFile(std::move(path)));
  file->tell_ = std::move(tell);
  file->tokens_ = std::make_shared<const Tokens>();
  if (!file->needed()) return file;
  file->version_ = version_of(file->path_);
  auto tokens = Tokens::read(file->path_);
  if (!tokens) return fail(std::move(tokens.error()));
  file->tokens_ = std::make_shared<const Tokens>(std::move(*tokens));
  return file;
}

std::shared_ptr<const Tokens> TokenFile::now() {
  const std::lock_guard guard(mutex_);
  if (!needed()) return tokens_;
  // Looked at before it is read: what is written meanwhile makes it another version the next time.
  std::string version = version_of(path_);
  if (version == version_) return tokens_;
  version_ = std::move(version);
  std::string problems;
  auto text = read_file(path_);
  if (!text) problems = text.error().text();
  tokens_ = std::make_shared<const Tokens>(Tokens::parse(text ? *text : "", problems));
  if (!problems.empty() && tell_) tell_(fmt::format("{}: {}", path_, problems));
  return tokens_;
}

}  // namespace assay
