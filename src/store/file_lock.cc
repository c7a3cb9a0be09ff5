#include "store/file_lock.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {

Result<FileLock> FileLock::take(const std::string& path, Error taken) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return fail(file_error(path, "create", errno));
    FileLock lock(fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return fail(file_error(path, "lock", errno));
      return fail(std::move(taken));
    }
    // Whoever had it may have taken the file away meanwhile; then it guards nothing.
    struct stat locked{};
    struct stat there{};
    if (::fstat(fd, &locked) == 0 && ::stat(path.c_str(), &there) == 0 && locked.st_ino == there.st_ino)
      return lock;
  }
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace assay
