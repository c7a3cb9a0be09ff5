#include "core/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/write_behind.h"

namespace assay {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

std::string advice(int code) {
  switch (code) {
    case ENOENT:
      return "no such file or directory";
    case EACCES:
    case EPERM:
      return "permission denied";
    case EISDIR:
      return "it is a directory, a file is expected";
    case ENOTDIR:
      return "a part of the path is a file, not a directory";
    case ENOSPC:
      return "the disk is full; free some space and run `assay resume`";
    case EDQUOT:
      return "the disk quota is used up";
    case EROFS:
      return "the file system is read-only";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    case EFBIG:
      return "the file would be larger than allowed (see `ulimit -f`)";
    default:
      return std::strerror(code);
  }
}

// A rename is durable only once the directory is flushed. "" is the current one.
void flush_directory(const std::string& directory) {
  const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// A number that no other process has. Those of the kernel come again: in a container each process is often
// number 1, and would take for its own, and run into, what a killed one has left.
std::uint32_t process_mark() {
  static const std::uint32_t mark = [] {
    std::uint32_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random)
      random = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count()) ^
               static_cast<std::uint32_t>(::getpid());
    return random;
  }();
  return mark;
}

// Of a process that is gone; what this one is just writing is none.
bool is_leftover(std::string_view name) {
  if (!is_temporary_name(name)) return false;
  const std::size_t number = name.substr(0, name.size() - 4).rfind('.');
  const std::size_t process = name.substr(0, number).rfind('.');
  return name.substr(process + 1, number - process - 1) != std::to_string(process_mark());
}

struct Temporary {
  std::string name;
  int fd;
};
Result<Temporary> make_temporary(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  std::string name = fmt::format("{}.{}.{}.tmp", path, process_mark(), counter++);
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return fail(file_error(path, "create", errno));
  return Temporary{std::move(name), fd};
}

}  // namespace

Error file_error(const std::string& path, std::string_view action, int code) {
  return Error{ErrorKind::io, fmt::format("cannot {}: {}", action, advice(code)), {{"file", path}}};
}

AtomicFile::AtomicFile(std::string path, std::string temporary, std::unique_ptr<FileSink> sink,
                       WriteBehind* behind)
    : path_(std::move(path)), temporary_(std::move(temporary)), sink_(std::move(sink)), behind_(behind) {
  buffer_.reserve(kBuffer);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept = default;

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    temporary_ = std::move(other.temporary_);
    sink_ = std::move(other.sink_);
    behind_ = other.behind_;
    buffer_ = std::move(other.buffer_);
    hash_ = std::move(other.hash_);
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  discard();
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  auto made = make_temporary(path);
  if (!made) return fail(std::move(made.error()));
  return AtomicFile(path, std::move(made->name),
                    std::make_unique<FileSink>(made->fd, FileSink::Hashing::none), nullptr);
}

Result<AtomicFile> AtomicFile::create(const std::string& path, WriteBehind& behind) {
  auto made = make_temporary(path);
  if (!made) return fail(std::move(made.error()));
  return AtomicFile(path, std::move(made->name),
                    std::make_unique<FileSink>(made->fd, FileSink::Hashing::sha256), &behind);
}

void AtomicFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::flush() {
  if (behind_ != nullptr) {
    behind_->put(*sink_, buffer_);
    buffer_.reserve(kBuffer);
  } else {
    sink_->put(buffer_);
    buffer_.clear();
  }
}

Status AtomicFile::commit() {
  AtomicFile* const alone = this;
  return commit_all({&alone, 1});
}

void AtomicFile::write_out() {
  // The last buffer is written here: a small file needs no other thread.
  if (behind_ != nullptr) behind_->wait(*sink_);
  sink_->put(buffer_);
  sink_->start_flush();
  buffer_.clear();
}

Status AtomicFile::settle() {
  const int error = sink_->finish();
  hash_ = sink_->hash();
  return error == 0 ? Status() : fail(file_error(path_, "write", error));
}

Status AtomicFile::give_name() {
  sink_.reset();
  if (::rename(temporary_.c_str(), path_.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary_.c_str());
  return fail(file_error(path_, "write", error));
}

Status AtomicFile::commit_all(std::span<AtomicFile* const> files) {
  // A flush waits for everything that the file system has begun before it, so all are begun before the first.
  for (AtomicFile* file : files) file->write_out();
  for (AtomicFile* file : files) {
    if (auto settled = file->settle(); !settled) {
      for (AtomicFile* other : files) other->discard();
      return settled;
    }
  }
  std::set<std::string> directories;
  Status named;
  for (AtomicFile* file : files) {
    if (named) {
      named = file->give_name();
    } else {
      file->discard();
    }
    directories.insert(std::filesystem::path(file->path_).parent_path().string());
  }
  for (const std::string& directory : directories) flush_directory(directory);
  return named;
}

void AtomicFile::discard() {
  if (sink_ == nullptr) return;
  if (behind_ != nullptr) behind_->wait(*sink_);
  sink_.reset();
  ::unlink(temporary_.c_str());
}

Status write_file(const std::string& path, std::string_view content) {
  auto file = AtomicFile::create(path);
  if (!file) return fail(std::move(file.error()));
  file->write(content);
  return file->commit();
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(file_error(path, "open", errno));
  std::string content;
  struct stat info{};
  if (::fstat(fd, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      ::close(fd);
      return fail(file_error(path, "read", EISDIR));
    }
    if (info.st_size > 0) content.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int code = errno;
      ::close(fd);
      return fail(file_error(path, "read", code));
    }
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > limit) {
      ::close(fd);
      return fail(Error{ErrorKind::io, fmt::format("is larger than {} bytes", limit), {{"file", path}}});
    }
  }
  ::close(fd);
  return content;
}

bool is_temporary_name(std::string_view name) {
  if (!name.ends_with(".tmp")) return false;
  name.remove_suffix(4);
  for (int part = 0; part < 2; ++part) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return false;
    const std::string_view digits = name.substr(dot + 1);
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) return false;
    name = name.substr(0, dot);
  }
  return true;
}

void remove_leftovers(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= 1) entry.disable_recursion_pending();
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && is_leftover(entry->path().filename().string()))
      fs::remove(entry->path(), ignored);
  }
}

bool file_exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool directory_exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Status make_directories(const std::string& path) {
  std::vector<std::string> made;
  for (std::filesystem::path at(path); !at.empty() && !directory_exists(at.string()); at = at.parent_path()) {
    made.push_back(at.string());
    if (at == at.parent_path()) break;
  }
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return fail(file_error(path, "create the directory", code.value()));
  // What is written into it and flushed is lost with it, if it was not.
  for (const std::string& directory : made)
    flush_directory(std::filesystem::path(directory).parent_path().string());
  return {};
}

}  // namespace assay
