#include "runs/show/run_version.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <sys/stat.h>

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
        std::string(kSealFile), fmt::format("{}.head", kJournalFile)}) {
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
  version.settled = now - newest > kTimeStep;
  return version;
}

}  // namespace assay
