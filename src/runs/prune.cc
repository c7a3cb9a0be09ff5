#include "runs/prune.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "report/notable.h"
#include "runs/collecting/problem_log.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Written by every evaluation alike. A finished run's seal names them and more; a run that was killed before
// it was sealed has them at most.
constexpr std::array kCommonFiles = {"config.yaml", "summary.json", "results.jsonl", "results.csv",
                                     "report.html", kProblemsFile,  "aggregate.csv", "generated.jsonl",
                                     kNotableFile,  kSealFile,      kStoppedFile};

std::string lock_name() {
  return fmt::format("{}.lock", kJournalFile);
}

bool belongs_to_journal(std::string_view name) {
  if (!name.starts_with(kJournalFile)) return false;
  const std::string_view rest = name.substr(std::string_view(kJournalFile).size());
  return rest.empty() || rest == "-wal" || rest == "-shm" || rest == "-journal" || rest == ".lock" ||
         rest == ".head" || rest.starts_with(".new") || name == kJournalPlaceFile ||
         rest.starts_with(".copy/");
}

bool every_run_makes(const std::string& name) {
  return std::ranges::find(kCommonFiles, name) != kCommonFiles.end() || belongs_to_journal(name) ||
         is_temporary_name(name) || name == fmt::format("{}.before", kSealFile) ||
         (name.starts_with("plots/") && name.ends_with(".vl.json"));
}

// What keeps a directory recognisable as a run's goes last, in this order: its names, its config, its lock.
int turn_of(const std::string& name) {
  if (name == lock_name()) return 3;
  if (name == "config.yaml") return 2;
  return name.starts_with(kSealFile) ? 1 : 0;
}

struct RunFiles {
  std::vector<std::pair<std::string, std::int64_t>> made;  // by the run, with their bytes; in turn
  std::vector<std::string> others;
};

// Links are not followed: what they lead to belongs to somebody else.
Result<RunFiles> look_into(const std::string& directory) {
  const std::set<std::string> sealed = sealed_files(directory);
  RunFiles found;
  std::error_code failed;
  fs::recursive_directory_iterator entry(directory, failed);
  for (const fs::recursive_directory_iterator end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) continue;
    const std::string name = entry->path().lexically_relative(directory).generic_string();
    if (!sealed.contains(name) && !every_run_makes(name)) {
      found.others.push_back(name);
      continue;
    }
    const auto bytes = entry->is_symlink(unknown) ? 0 : entry->file_size(unknown);
    found.made.emplace_back(name, unknown ? 0 : static_cast<std::int64_t>(bytes));
  }
  if (failed) return fail(file_error(directory, "list", failed.value()));
  std::ranges::sort(found.made, {},
                    [](const auto& file) { return std::pair(turn_of(file.first), file.first); });
  std::ranges::sort(found.others);
  return found;
}

// Directories that have become empty, innermost first; those that the run made have files of it.
void remove_empty_directories(const std::string& directory, const RunFiles& files) {
  std::set<std::string, std::greater<>> made;  // a longer path comes before its beginning
  for (const auto& [name, bytes] : files.made) {
    for (std::size_t slash = name.rfind('/'); slash != std::string::npos;
         slash = name.rfind('/', slash - 1)) {
      made.insert(name.substr(0, slash));
      if (slash == 0) break;
    }
  }
  for (const std::string& inner : made) ::rmdir(fmt::format("{}/{}", directory, inner).c_str());
  ::rmdir(directory.c_str());
}

// `config.yaml` and `summary.json` are names that others give, too. Every run makes a lock, and what it keeps
// beside them has names of its own.
bool bears_marks_of_a_run(const std::string& directory) {
  const std::array marks = {lock_name(), std::string(kJournalFile), std::string(kJournalPlaceFile),
                            std::string(kSealFile)};
  return std::ranges::any_of(
      marks, [&](const std::string& name) { return file_exists(fmt::format("{}/{}", directory, name)); });
}

Result<std::unique_ptr<RunLock>> lock_of(const std::string& directory, Pruning how) {
  // To look leaves no trace: without a lock's file nobody has it.
  if (how == Pruning::look && !file_exists(fmt::format("{}/{}", directory, lock_name())))
    return std::unique_ptr<RunLock>();
  return RunStore::lock(directory);
}

}  // namespace

std::vector<FoundRun> chosen_runs(const std::vector<FoundRun>& runs, const PruneChoice& choice,
                                  WallTime now) {
  std::vector<FoundRun> chosen;
  std::map<std::string, std::size_t> newer;  // runs of an evaluation that were seen
  for (const FoundRun& run : runs) {
    if (newer[run.evaluation]++ < choice.keep.value_or(0)) continue;
    if (choice.older_than && now - run.written < *choice.older_than) continue;
    const bool in_state = std::ranges::find(choice.states, run.state()) != choice.states.end();
    if (in_state || choice.states.empty()) chosen.push_back(run);
  }
  return chosen;
}

PrunedRun prune_run(const FoundRun& run, Pruning how) {
  PrunedRun pruned;
  pruned.run = run;
  std::error_code ignored;
  if (fs::is_symlink(run.directory, ignored)) {
    pruned.kept = "is a link: name the directory itself";
    return pruned;
  }
  if (!bears_marks_of_a_run(run.directory)) {
    pruned.kept = "has neither journal nor lock nor seal: it may be somebody else's";
    return pruned;
  }
  const auto lock = lock_of(run.directory, how);
  if (!lock) {
    pruned.kept =
        lock.error().kind == ErrorKind::journal ? "is under way in another process" : lock.error().text();
    return pruned;
  }
  // Whoever had the lock may have taken it away meanwhile.
  if (!is_run_directory(run.directory)) {
    pruned.kept = "holds no run any more";
    return pruned;
  }
  auto files = look_into(run.directory);
  if (!files) {
    pruned.kept = files.error().text();
    return pruned;
  }
  pruned.left = std::move(files->others);
  for (const auto& [name, bytes] : files->made) {
    const std::string path = fmt::format("{}/{}", run.directory, name);
    if (how == Pruning::remove && ::unlink(path.c_str()) != 0) {
      pruned.failure = file_error(path, "remove", errno).text();
      return pruned;
    }
    ++pruned.files;
    pruned.bytes += bytes;
  }
  if (how == Pruning::remove) remove_empty_directories(run.directory, *files);
  return pruned;
}

Json to_json(const PrunedRun& pruned) {
  JsonArray left;
  for (const std::string& name : pruned.left) left.emplace_back(name);
  return JsonObject{{"directory", pruned.run.directory},
                    {"evaluation", pruned.run.evaluation},
                    {"started", pruned.run.started},
                    {"state", to_string(pruned.run.state())},
                    {"files", pruned.files},
                    {"bytes", pruned.bytes},
                    {"left", std::move(left)},
                    {"kept", pruned.kept},
                    {"failure", pruned.failure}};
}

}  // namespace assay
