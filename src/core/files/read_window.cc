#include "core/files/read_window.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
// After a jump only some bytes around are wanted.
constexpr std::size_t kSmallPiece = std::size_t{1} << 16;
constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

ReadWindow::ReadWindow(ReadWindow&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      piece_(other.piece_),
      at_end_(other.at_end_),
      consumed_(other.consumed_) {}

ReadWindow& ReadWindow::operator=(ReadWindow&& other) noexcept {
  path_ = std::move(other.path_);
  std::swap(file_, other.file_);
  buffer_ = std::move(other.buffer_);
  begin_ = other.begin_;
  end_ = other.end_;
  piece_ = other.piece_;
  at_end_ = other.at_end_;
  consumed_ = other.consumed_;
  return *this;
}

ReadWindow::~ReadWindow() {
  if (file_ >= 0) ::close(file_);
}

Result<ReadWindow> ReadWindow::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(file_error(path, "open", errno));
  struct stat info{};
  if (::fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(file);
    return fail(file_error(path, "read", EISDIR));
  }
  return of(file, path);
}

Result<ReadWindow> ReadWindow::of(int file, const std::string& path) {
  ReadWindow window(file, path);
  window.piece_ = kPiece;
  window.buffer_.resize(2 * kPiece + kPadding);
  if (auto read = window.read_more(); !read) return fail(std::move(read.error()));
  if (window.unread().starts_with(kByteOrderMark)) window.give_up(kByteOrderMark.size());
  return window;
}

Status ReadWindow::read_more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + kPiece + kPadding > buffer_.size())
    buffer_.resize(std::max(buffer_.size() * 2, end_ + kPiece + kPadding));
  for (;;) {
    const ssize_t got = ::read(file_, buffer_.data() + end_, piece_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file_error(path_, "read", errno));
    at_end_ = got == 0;
    end_ += static_cast<std::size_t>(got);
    return {};
  }
}

Status ReadWindow::go_to(std::uint64_t offset) {
  // Often it is in the buffer already.
  const std::uint64_t buffered_from = consumed_ - begin_;
  if (offset >= buffered_from && offset <= buffered_from + end_) {
    begin_ = static_cast<std::size_t>(offset - buffered_from);
    consumed_ = offset;
    return {};
  }
  if (::lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0)
    return fail(file_error(path_, "seek in", errno));
  begin_ = 0;
  end_ = 0;
  at_end_ = false;
  piece_ = kSmallPiece;
  consumed_ = offset;
  return {};
}

}  // namespace assay
