#include "runs/show/run_version.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/file.h"
#include "runs/collecting/problem_log.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr auto kTimeStep = std::chrono::milliseconds(50);

}  // namespace

RunVersion run_version(const std::string& directory) {
  RunVersion version;
  std::chrono::nanoseconds newest{};
  for (const std::string& name :
       {std::string("config.yaml"), std::string("results.jsonl"), std::string("summary.json"),
        std::string(kSealFile), std::string(kStoppedFile), fmt::format("{}.head", kJournalFile),
        std::string(kJournalPlaceFile)}) {
    struct stat info{};
    if (::stat(fmt::format("{}/{}", directory, name).c_str(), &info) != 0) {
      version.text += "-;";
      continue;
    }
    newest = std::max(newest, std::chrono::nanoseconds(std::chrono::seconds(info.st_mtim.tv_sec)) +
                                  std::chrono::nanoseconds(info.st_mtim.tv_nsec));
    version.text += fmt::format("{}.{}.{};", info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // A journal in PostgreSQL goes on without a file of the directory being written to.
  if (file_exists(fmt::format("{}/{}", directory, kJournalPlaceFile)) && RunStore::is_locked(directory))
    version.text += fmt::format("{};", std::chrono::duration_cast<std::chrono::seconds>(now).count());
  version.settled = now - newest > kTimeStep;
  return version;
}

}  // namespace assay
