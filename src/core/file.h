// Files that are written whole or not at all. An AtomicFile is invisible until commit(): it is written beside
// its destination, flushed to the disk and renamed over it. Destroying it uncommitted leaves no trace. With a
// WriteBehind it is written on that thread, and its hash is known in the end without reading it again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// "data.jsonl: cannot open: no such file" with advice for the usual causes. `code` is an errno.
Error file_error(const std::string& path, std::string_view action, int code);

class FileSink;
class WriteBehind;

class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  // `behind` must outlive it.
  static Result<AtomicFile> create(const std::string& path, WriteBehind& behind);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  // Buffered. The first failure is kept and returned by commit(), so that callers may write without looking.
  void write(std::string_view bytes);
  Status commit();
  // All of them, as if each were committed by itself, but the disk is waited for a few times only. None
  // appears if the content of one cannot be kept.
  static Status commit_all(std::span<AtomicFile* const> files);
  const std::string& path() const { return path_; }
  // The SHA-256 of what was committed, hex; nothing without a WriteBehind.
  const std::optional<std::string>& hash() const { return hash_; }

 private:
  AtomicFile(std::string path, std::string temporary, std::unique_ptr<FileSink> sink, WriteBehind* behind);
  void flush();
  void discard();
  // The three parts of a commit: all is with the kernel and on its way; it is on the disk; it has its name.
  void write_out();
  Status settle();
  Status give_name();

  std::string path_;
  std::string temporary_;
  std::unique_ptr<FileSink> sink_;  // null once it is committed or discarded
  WriteBehind* behind_ = nullptr;
  std::string buffer_;
  std::optional<std::string> hash_;
};

Status write_file(const std::string& path, std::string_view content);
// The whole content; a directory, a missing file or one above `limit` bytes is an error that says so.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 30);
// Whether it is a name under which an AtomicFile is written until it is committed:
// "results.jsonl.4711.3.tmp".
bool is_temporary_name(std::string_view name);
// Takes away what processes that were killed left while they wrote files of this directory, or of those in
// it. For whoever alone may write there.
void remove_leftovers(const std::string& directory);

bool file_exists(const std::string& path);
bool directory_exists(const std::string& path);
// With its parents.
Status make_directories(const std::string& path);

}  // namespace assay
