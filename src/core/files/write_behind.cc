#include "core/files/write_behind.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::size_t kMostWaiting = 8;  // buffers
// So much of a file goes to the disk while the rest is still being made, so that its end waits for little.
constexpr std::int64_t kFlushedTogether = std::int64_t{4} << 20;

}  // namespace

FileSink::FileSink(int fd, Hashing hashing) : fd_(fd) {
  if (hashing == Hashing::sha256) hash_.emplace();
}

FileSink::~FileSink() {
  if (fd_ >= 0) ::close(fd_);
}

void FileSink::put(std::string_view bytes) {
  if (hash_) hash_->update(bytes);
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t wrote = ::write(fd_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      error_ = errno;
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    written_ += wrote;
  }
  if (written_ - begun_ >= kFlushedTogether) start_flush();
}

void FileSink::start_flush() {
  if (error_ == 0 && written_ > begun_)
    (void)::sync_file_range(fd_, begun_, written_ - begun_, SYNC_FILE_RANGE_WRITE);
  begun_ = written_;
}

int FileSink::finish() {
  if (error_ == 0 && ::fsync(fd_) != 0) error_ = errno;
  if (::close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
  return error_;
}

std::optional<std::string> FileSink::hash() {
  if (!hash_) return std::nullopt;
  return hex(std::exchange(hash_, std::nullopt)->finish());
}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  given_.notify_one();
  if (thread_) thread_->join();
}

void WriteBehind::put(FileSink& sink, std::string& buffer) {
  {
    std::unique_lock guard(mutex_);
    if (!thread_) thread_.emplace([this] { work(); });
    written_.wait(guard, [this] { return queue_.size() < kMostWaiting; });
    ++sink.waiting_;
    queue_.push_back({&sink, std::move(buffer)});
    buffer.clear();
    if (!spare_.empty()) {
      buffer.swap(spare_.back());
      spare_.pop_back();
    }
  }
  given_.notify_one();
}

void WriteBehind::wait(FileSink& sink) {
  std::unique_lock guard(mutex_);
  written_.wait(guard, [&] { return sink.waiting_ == 0; });
}

void WriteBehind::work() {
  std::unique_lock guard(mutex_);
  for (;;) {
    given_.wait(guard, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Handed next = std::move(queue_.front());
    queue_.pop_front();
    guard.unlock();
    next.sink->put(next.bytes);
    next.bytes.clear();
    guard.lock();
    --next.sink->waiting_;
    if (spare_.size() < kMostWaiting) spare_.push_back(std::move(next.bytes));
    written_.notify_all();
  }
}

}  // namespace assay
