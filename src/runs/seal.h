// The seal of a finished run: `seal.sha256` in its directory names every file with its SHA-256, the journal
// too, and ends with the hash of all that: the seal, which is told when the run ends and can be kept
// elsewhere. Any byte that changes afterwards, a file too many or one too few, does not fit it. `sha256sum
// -c` reads the file as well.
//
// Whoever changes a sealed run on purpose checks it, breaks the seal before the first write and writes a new
// one after the last; the new one names the seals before it, and what had changed under them and was
// accepted. A run that is killed between both has no seal until it is resumed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"

namespace assay {

inline constexpr const char* kSealFile = "seal.sha256";

// What goes from one seal to the next.
struct SealHistory {
  std::vector<std::string> earlier;   // seals, oldest first
  std::vector<std::string> accepted;  // sentences: what had changed under them
};

struct SealDefect {
  enum class Kind { changed, missing, added };
  std::string file;
  Kind kind = Kind::changed;
  // "report.html was changed after the run was sealed"
  std::string words() const;
};

struct SealReport {
  bool sealed = false;  // without a seal nothing below is known
  std::string seal;     // hex
  std::size_t files = 0;
  std::vector<SealDefect> defects;
  SealHistory history;
};

// Holds every file against the seal, if there is one. An error if a file cannot be read.
Result<SealReport> check_seal(const std::string& directory);

// The names of all files that the run's seal covers, or the one that the sitting under way has broken; none
// if it never had one. The files are not looked at.
std::set<std::string> sealed_files(const std::string& directory);

// The seal, if there is one; the files are not looked at.
std::optional<std::string> seal_of(const std::string& directory);

// The SHA-256 of files, hex, by name.
using FileHashes = std::map<std::string, std::string>;

// Seals what is there and gives the seal. Whoever calls has the run's lock; the journal is closed. What
// killed processes have left unfinished under temporary names goes. Files whose hashes are `known`, since
// they were made while the files were written, are not read again: a byte that got to the disk as another one
// does not fit the seal either.
Result<std::string> write_seal(const std::string& directory, const SealHistory& history,
                               const FileHashes& known = {});

// From now on the directory has no seal. The history of the seal that was broken, now or by a process that
// was killed.
Result<SealHistory> break_seal(const std::string& directory);
// Whether a sitting has broken the seal and written no new one: the run is being gone on with, or was killed
// then, and what its files say is of the sitting before.
bool is_seal_broken(const std::string& directory);
// Undoes it, where nothing was written after all.
void mend_seal(const std::string& directory);

}  // namespace assay
