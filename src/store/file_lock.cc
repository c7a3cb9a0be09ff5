#include "store/file_lock.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

// A look is over after microseconds, or when a busy machine lets its thread go on; whoever still has the lock
// after all of these works with it.
constexpr int kTries = 50;
constexpr auto kBetween = std::chrono::milliseconds(2);

// Nothing if it could be locked; else the errno.
int lock_for_one(int fd) {
  for (int tried = 1;; ++tried) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK || tried == kTries) return errno;
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path, Error taken) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return fail(file_error(path, "create", errno));
    FileLock lock(fd);
    if (const int error = lock_for_one(fd); error != 0) {
      if (error != EWOULDBLOCK) return fail(file_error(path, "lock", error));
      return fail(std::move(taken));
    }
    // Whoever had it may have taken the file away meanwhile; then it guards nothing.
    struct stat locked{};
    struct stat there{};
    if (::fstat(fd, &locked) == 0 && ::stat(path.c_str(), &there) == 0 && locked.st_ino == there.st_ino)
      return lock;
  }
}

bool FileLock::held(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
  const bool by_another = !free && errno == EWOULDBLOCK;
  ::close(fd);
  return by_another;
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
