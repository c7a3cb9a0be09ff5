// The part of a file that a reader is looking at: bytes are read in large pieces, looked at in place, and
// given up from the front. Behind them a few bytes are always readable, as simdjson needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay {

class ReadWindow {
 public:
  // Reads its first piece and steps over a UTF-8 byte order mark. A missing file or a directory is an error;
  // an empty file is not.
  static Result<ReadWindow> open(const std::string& path);
  // The same of a file that is open, which it closes in the end; `path` is for messages.
  static Result<ReadWindow> of(int file, const std::string& path);
  ReadWindow(ReadWindow&& other) noexcept;
  ReadWindow& operator=(ReadWindow&& other) noexcept;
  ~ReadWindow();

  const std::string& path() const { return path_; }
  // What has been read and not given up. Valid until the next call of read_more() or go_to().
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Where in the file it begins.
  std::uint64_t offset() const { return consumed_; }
  // Nothing comes behind unread().
  bool at_end() const { return at_end_; }

  void give_up(std::size_t bytes) {
    begin_ += bytes;
    consumed_ += bytes;
  }
  // Makes unread() longer, or at_end() true.
  Status read_more();
  // unread() begins at this place of the file from now on; it may be empty until read_more().
  Status go_to(std::uint64_t offset);

 private:
  ReadWindow(int file, std::string path) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t piece_ = 0;  // how much is read at a time
  bool at_end_ = false;
  std::uint64_t consumed_ = 0;
};

}  // namespace assay
