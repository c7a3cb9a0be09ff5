#include "runs/directory.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string lock_name() {
  return fmt::format("{}.lock", kJournalFile);
}

// What stands in a run's directory before its journal does.
bool before_journal(const std::string& name) {
  return name == "config.yaml" || name == lock_name() || name == fmt::format("{}.head", kJournalFile) ||
         name.starts_with(fmt::format("{}.new", kJournalFile)) || name.ends_with(".tmp");
}

}  // namespace

Result<NewDirectory> NewDirectory::make(const std::string& path) {
  NewDirectory made;
  made.existed_ = directory_exists(path);
  std::error_code ignored;
  made.was_empty_ = !made.existed_ || fs::is_empty(path, ignored);
  if (auto done = make_directories(path); !done) return fail(std::move(done.error()));
  made.path_ = path;
  return made;
}

void NewDirectory::take_back() const {
  std::error_code ignored;
  fs::remove(path_ + "/config.yaml", ignored);
  leave();
}

void NewDirectory::leave() const {
  if (!was_empty_) return;
  std::error_code ignored;
  fs::remove(path_ + "/" + lock_name(), ignored);
  if (!existed_) fs::remove(path_, ignored);
}

bool holds_run(const std::string& directory) {
  return RunStore::holds_run(directory) || file_exists(directory + "/summary.json");
}

// A lock is made by a run, in a directory that was empty then.
bool was_begun(const std::string& directory) {
  return file_exists(directory + "/" + lock_name()) && file_exists(directory + "/config.yaml");
}

Error holds_run_already(const std::string& directory) {
  return {ErrorKind::usage,
          "holds a run already; finish it with `assay resume`, or choose another --output-dir",
          {{"directory", directory}}};
}

Status check_free(const std::string& directory, OwnFiles own, const std::string& copied_data) {
  std::set<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed))
    names.insert(entry.path().filename().string());
  const bool begun = names.contains(lock_name());
  std::vector<std::string> foreign;
  for (const std::string& name : names) {
    const bool ours = (begun && before_journal(name)) || name == copied_data ||
                      (own == OwnFiles::yaml && name.ends_with(".yaml") && name != "config.yaml");
    if (!ours) foreign.push_back(name);
  }
  if (foreign.empty()) return {};
  if (was_begun(directory)) return fail(holds_run_already(directory));
  constexpr std::size_t kShown = 3;
  const std::size_t more = foreign.size() - std::min(foreign.size(), kShown);
  foreign.resize(foreign.size() - more);
  return fail(Error{
      ErrorKind::usage,
      fmt::format("is not empty and holds no run of assay (found {}{}): a run writes into a directory of its "
                  "own and touches no file that it did not make; name one that is new or empty, e.g. "
                  "--output-dir {}",
                  fmt::join(foreign, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                  (fs::path(directory) / "run1").lexically_normal().string()),
      {{"directory", directory}}});
}

}  // namespace assay
