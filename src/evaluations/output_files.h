// The files of a run: each is written beside its name and appears, whole, when all are committed together.
// Until then, and if the run fails, nothing of them is seen. They are written by a thread of their own while
// the next cases are scored.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/files/write_behind.h"

namespace assay {

// The longest name that a file may get from config or data, in bytes: file systems take 255, and it is
// written under a longer one first. To be checked before anything is paid for.
inline constexpr std::size_t kLongestFileName = 220;

class OutputFiles {
 public:
  explicit OutputFiles(std::string directory) : directory_(std::move(directory)) {}
  // Takes everything and writes nothing.
  static OutputFiles nowhere() { return OutputFiles(""); }

  ~OutputFiles();
  OutputFiles(OutputFiles&&) = default;
  OutputFiles& operator=(OutputFiles&&) = delete;

  // Appends to the file of that name ("results.jsonl", "responses/control.json"), which is made on first use,
  // with its directory. A failure shows in commit().
  void write(const std::string& name, std::string_view bytes);
  // The file itself for many writes, null if it cannot be made or goes nowhere; valid until commit().
  AtomicFile* open(const std::string& name);
  // Gives the SHA-256 of each, hex, by name.
  Result<std::map<std::string, std::string>> commit();
  // Of what was written so far.
  std::vector<std::string> names() const;
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  std::unique_ptr<WriteBehind> behind_ = std::make_unique<WriteBehind>();
  std::map<std::string, AtomicFile> files_;
  std::vector<std::string> made_;  // directories, parents first
  Status so_far_;                  // the first failure
};

}  // namespace assay
