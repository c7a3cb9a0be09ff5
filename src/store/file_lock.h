// The right to write, for one process: an empty file beside what is guarded, locked while the FileLock lives.
// The kernel lets go of it when the process dies, however it dies.
#pragma once

#include <string>

#include "core/error.h"

namespace assay {

class FileLock {
 public:
  // Does not wait: if another holder is there, also in this process, `taken` is the error.
  static Result<FileLock> take(const std::string& path, Error taken);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace assay
