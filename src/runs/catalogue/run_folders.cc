#include "runs/catalogue/run_folders.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "runs/list.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;
// Times of files advance in steps: a change within one step of the last leaves the same time behind.
constexpr auto kTimeStep = std::chrono::milliseconds(50);

std::int64_t changed_at(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return -1;
  return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Names of folders in it; a link is none of them unless it leads to a run.
std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator it(path, fs::directory_options::skip_permission_denied, ignored), end;
       it != end; it.increment(ignored)) {
    const bool link = it->is_symlink(ignored);
    if (it->is_directory(ignored) && (!link || is_run_directory(it->path().string())))
      names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

void RunFolders::look_into(const std::string& path, int depth, std::vector<RunFolder>& runs,
                           std::map<std::string, Folder>& seen) {
  const std::int64_t changed = changed_at(path);
  if (changed < 0) return;
  Folder folder;
  if (const auto known = known_.find(path); known != known_.end() && known->second.changed == changed) {
    folder = std::move(known->second);
  } else {
    const std::int64_t settled = now() - std::chrono::nanoseconds(kTimeStep).count();
    folder.is_run = is_run_directory(path);
    if (depth < kDeepest) folder.folders = folders_in(path);
    if (folder.is_run) std::erase(folder.folders, "plots");  // a folder of the run itself
    folder.changed = changed < settled ? changed : 0;
  }
  if (folder.is_run) runs.push_back({path, folder.changed});
  for (const std::string& name : folder.folders)
    look_into(fmt::format("{}/{}", path, name), depth + 1, runs, seen);
  seen.emplace(path, std::move(folder));
}

std::vector<RunFolder> RunFolders::look() {
  std::vector<RunFolder> runs;
  std::map<std::string, Folder> seen;
  look_into(results_, 0, runs, seen);
  known_ = std::move(seen);
  return runs;
}

}  // namespace assay
