#include "runs/seal.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/sha256.h"
#include "store/run_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle =
    "# assay seal 1: the files of this run by their SHA-256; see `assay verify`, or use `sha256sum -c`\n";
constexpr std::string_view kEarlier = "# earlier ";
constexpr std::string_view kAccepted = "# accepted ";
constexpr std::string_view kOpenJournal = "# open ";
constexpr std::string_view kSeal = "# seal ";

std::string path_of(const std::string& directory) {
  return directory + "/" + kSealFile;
}
// The seal that was broken by the sitting that is under way.
std::string broken_path(const std::string& directory) {
  return path_of(directory) + ".before";
}

// A name on a line of its own, as sha256sum writes it: `\n` and `\\`, with a backslash before the hash.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    out += next == 'n' ? '\n' : next == 'r' ? '\r' : next;
  }
  return out;
}

bool is_journal(const std::string& name) {
  return name == kJournalFile || name == fmt::format("{}-wal", kJournalFile) ||
         name == fmt::format("{}-shm", kJournalFile);
}

// Names of all files, with their folders, in order; the seal itself is none of them.
Result<std::vector<std::string>> files_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::recursive_directory_iterator entry(directory, failed);
  for (const fs::recursive_directory_iterator end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) continue;
    std::string name = entry->path().string().substr(directory.size());
    name.erase(0, name.find_first_not_of('/'));
    if (name != kSealFile && name != fmt::format("{}.before", kSealFile)) names.push_back(std::move(name));
  }
  if (failed) return fail(file_error(directory, "list", failed.value()));
  std::ranges::sort(names);
  return names;
}

// The seal as it was written.
struct WrittenSeal {
  std::map<std::string, std::string> files;  // hashes by name
  SealHistory history;
  std::string seal;    // of what stands above it
  bool whole = false;  // and that is what it says itself
  bool journal_left_out = false;
};

WrittenSeal parse(std::string_view text) {
  WrittenSeal written;
  // The last line speaks of all before it.
  const std::size_t last = text.rfind(kSeal);
  const std::string_view covered = text.substr(0, last == std::string_view::npos ? text.size() : last);
  written.seal = hex(sha256(covered));
  written.whole = covered.starts_with(kTitle) && last != std::string_view::npos &&
                  text.substr(last) == fmt::format("{}{}\n", kSeal, written.seal);
  std::string_view left = covered;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.starts_with(kEarlier)) {
      written.history.earlier.emplace_back(line.substr(kEarlier.size()));
    } else if (line.starts_with(kAccepted)) {
      written.history.accepted.push_back(unescaped(line.substr(kAccepted.size())));
    } else if (line.starts_with(kOpenJournal)) {
      written.journal_left_out = true;
    }
    if (line.starts_with('#')) continue;
    const bool plain = !line.starts_with('\\');
    if (!plain) line.remove_prefix(1);
    constexpr std::size_t kHash = 64;
    if (line.size() <= kHash + 2) continue;
    const std::string_view name = line.substr(kHash + 2);
    written.files.emplace(plain ? std::string(name) : unescaped(name), line.substr(0, kHash));
  }
  return written;
}

Result<std::optional<WrittenSeal>> read_seal(const std::string& path) {
  if (!file_exists(path)) return std::nullopt;
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  return parse(*text);
}

}  // namespace

std::string SealDefect::words() const {
  switch (kind) {
    case Kind::missing:
      return file + " is missing: it was there when the run was sealed";
    case Kind::added:
      return file + " was not there when the run was sealed";
    case Kind::changed:
      break;
  }
  return file + " was changed after the run was sealed";
}

Result<SealReport> check_seal(const std::string& directory) {
  auto written = read_seal(path_of(directory));
  if (!written) return fail(std::move(written.error()));
  SealReport report;
  if (!*written) return report;
  WrittenSeal& seal = **written;
  report.sealed = true;
  report.seal = seal.seal;
  report.files = seal.files.size();
  report.history = std::move(seal.history);
  if (!seal.whole) report.defects.push_back({kSealFile, SealDefect::Kind::changed});
  auto names = files_in(directory);
  if (!names) return fail(std::move(names.error()));
  for (const std::string& name : *names) {
    if (seal.journal_left_out && is_journal(name)) continue;
    const auto known = seal.files.find(name);
    if (known == seal.files.end()) {
      report.defects.push_back({name, SealDefect::Kind::added});
      continue;
    }
    auto hash = sha256_of_file(fmt::format("{}/{}", directory, name));
    if (!hash) return fail(std::move(hash.error()));
    if (*hash != known->second) report.defects.push_back({name, SealDefect::Kind::changed});
    seal.files.erase(known);
  }
  for (const auto& [name, hash] : seal.files) report.defects.push_back({name, SealDefect::Kind::missing});
  return report;
}

std::set<std::string> sealed_files(const std::string& directory) {
  std::set<std::string> names;
  for (const std::string& path : {path_of(directory), broken_path(directory)}) {
    auto written = read_seal(path);
    if (!written || !*written) continue;
    for (const auto& [name, hash] : (*written)->files) names.insert(name);
  }
  return names;
}

std::optional<std::string> seal_of(const std::string& directory) {
  auto written = read_seal(path_of(directory));
  if (!written || !*written) return std::nullopt;
  return std::move((*written)->seal);
}

Result<std::string> write_seal(const std::string& directory, const SealHistory& history,
                               const FileHashes& known) {
  auto names = files_in(directory);
  if (!names) return fail(std::move(names.error()));
  // If another program has it open, SQLite leaves its log, and both change whenever they are opened again:
  // then the chain of the journal alone speaks for it, by way of run.db.head.
  const bool open_journal = std::ranges::find(*names, fmt::format("{}-wal", kJournalFile)) != names->end();
  std::string text(kTitle);
  for (const std::string& seal : history.earlier) text += fmt::format("{}{}\n", kEarlier, seal);
  for (const std::string& what : history.accepted) text += fmt::format("{}{}\n", kAccepted, escaped(what));
  if (open_journal) text += fmt::format("{}{}: another program had it open\n", kOpenJournal, kJournalFile);
  for (const std::string& name : *names) {
    if (open_journal && is_journal(name)) continue;
    const std::string path = fmt::format("{}/{}", directory, name);
    if (is_temporary_name(name)) {
      std::remove(path.c_str());
      continue;
    }
    const auto made = known.find(name);
    auto hash = made != known.end() ? Result<std::string>(made->second) : sha256_of_file(path);
    if (!hash) return fail(std::move(hash.error()));
    const std::string shown = escaped(name);
    text += fmt::format("{}{}  {}\n", shown == name ? "" : "\\", *hash, shown);
  }
  std::string seal = hex(sha256(text));
  text += fmt::format("{}{}\n", kSeal, seal);
  if (auto done = write_file(path_of(directory), text); !done) return fail(std::move(done.error()));
  std::remove(broken_path(directory).c_str());
  return seal;
}

Result<SealHistory> break_seal(const std::string& directory) {
  if (file_exists(path_of(directory)) &&
      std::rename(path_of(directory).c_str(), broken_path(directory).c_str()) != 0)
    return fail(file_error(path_of(directory), "rename", errno));
  auto before = read_seal(broken_path(directory));
  if (!before) return fail(std::move(before.error()));
  if (!*before) return SealHistory();
  SealHistory history = std::move((*before)->history);
  history.earlier.push_back((*before)->seal);
  return history;
}

bool is_seal_broken(const std::string& directory) {
  return file_exists(broken_path(directory)) && !file_exists(path_of(directory));
}

void mend_seal(const std::string& directory) {
  std::error_code ignored;
  if (!file_exists(path_of(directory))) fs::rename(broken_path(directory), path_of(directory), ignored);
}

}  // namespace assay
