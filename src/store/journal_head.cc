#include "store/journal_head.h"

#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "store/run_store.h"

namespace assay {
namespace {

// Always as long: it is written in place, within one sector.
std::string text_of(const JournalHead& head) {
  return fmt::format("commit {:020}\nhead {}\n", head.commit, hex(head.head));
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string JournalHeadFile::path_in(const std::string& directory) {
  return fmt::format("{}/{}.head", directory, kJournalFile);
}

Status JournalHeadFile::create(const std::string& directory, const JournalHead& head) {
  return write_file(path_in(directory), text_of(head));
}

Result<JournalHead> JournalHeadFile::read(const std::string& directory) {
  auto text = read_file(path_in(directory), 4096);
  if (!text) {
    Error error = std::move(text.error());
    error.kind = ErrorKind::journal;
    return fail(std::move(error));
  }
  constexpr std::string_view kNumber = "commit ";
  constexpr std::size_t kDigits = 20;
  constexpr std::string_view kHead = "\nhead ";
  JournalHead head;
  std::string_view left = *text;
  const auto take = [&](std::size_t count) {
    const std::string_view taken = left.substr(0, count);
    left.remove_prefix(taken.size());
    return taken;
  };
  bool good = take(kNumber.size()) == kNumber;
  const std::string_view digits = take(kDigits);
  good = good && digits.size() == kDigits &&
         std::from_chars(digits.data(), digits.data() + digits.size(), head.commit).ec == std::errc();
  good = good && take(kHead.size()) == kHead && left.size() == 2 * head.head.size() + 1;
  for (std::size_t i = 0; good && i < head.head.size(); ++i) {
    const int high = nibble(left[2 * i]);
    const int low = nibble(left[2 * i + 1]);
    good = high >= 0 && low >= 0;
    head.head[i] = static_cast<unsigned char>(good ? high * 16 + low : 0);
  }
  // Written again it is the same, to the byte.
  if (!good || text_of(head) != *text)
    return fail(
        Error{ErrorKind::journal, "does not hold the head of a journal", {{"file", path_in(directory)}}});
  return head;
}

Result<JournalHeadFile> JournalHeadFile::open(const std::string& directory) {
  std::string path = path_in(directory);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fail(file_error(path, "open", errno));
  return JournalHeadFile(std::move(path), fd);
}

JournalHeadFile::JournalHeadFile(JournalHeadFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
JournalHeadFile& JournalHeadFile::operator=(JournalHeadFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}
JournalHeadFile::~JournalHeadFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status JournalHeadFile::write(const JournalHead& head) {
  const std::string text = text_of(head);
  for (;;) {
    const ssize_t wrote = ::pwrite(fd_, text.data(), text.size(), 0);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote == static_cast<ssize_t>(text.size())) return {};
    return fail(file_error(path_, "write", wrote < 0 ? errno : ENOSPC));
  }
}

}  // namespace assay
