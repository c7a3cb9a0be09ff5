#include "runs/show/hashed_files.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/sha256.h"

namespace assay {
namespace {

// Times of files advance in steps: a change within one step of the last leaves the same time behind.
constexpr auto kTimeStep = std::chrono::milliseconds(50);

bool is_settled(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return false;
  const auto written =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return std::chrono::system_clock::now().time_since_epoch() - written > kTimeStep;
}

}  // namespace

std::string file_version(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "";
  return fmt::format("{}.{}.{}.{}.{}", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

Result<std::string> HashedFiles::sha256(const std::string& path) {
  const std::string version = file_version(path);
  {
    const std::lock_guard guard(mutex_);
    if (const auto found = known_.find(path); found != known_.end() && found->second.version == version)
      return found->second.hash;
  }
  const bool settled = is_settled(path);
  auto hash = sha256_of_file(path);
  if (!hash || !settled || file_version(path) != version) return hash;
  const std::lock_guard guard(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_[path] = {version, *hash};
  return hash;
}

}  // namespace assay
