// The right to write, for one process: an empty file beside what is guarded, locked while the FileLock lives.
// The kernel lets go of it when the process dies, however it dies.
#pragma once

#include <string>

#include "core/error.h"

namespace assay {

class FileLock {
 public:
  // If another holder is there, also in this process, `taken` is the error. Waits no longer than a look at
  // the lock may take (see held()).
  static Result<FileLock> take(const std::string& path, Error taken);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // Whether somebody has it now. A look: it holds the lock for some microseconds together with other looks,
  // which take() waits for, and makes no file.
  static bool held(const std::string& path);

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace assay
