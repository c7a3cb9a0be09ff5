// `run.db.head`: the number and the head of the last commit, beside the journal. SQLite takes a journal whose
// `-wal` was removed, or an older copy of it, for a whole one; this file knows better. It is written after
// each commit and not flushed: a kill keeps it, a power cut may leave an older one, and it never speaks of a
// commit that is not on the disk. So a journal may be ahead of it, never behind.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/sha256.h"

namespace assay {

struct JournalHead {
  std::int64_t commit = 0;
  Digest head{};
  bool operator==(const JournalHead&) const = default;
};

class JournalHeadFile {
 public:
  static std::string path_in(const std::string& directory);
  // Durable, before the journal itself appears.
  static Status create(const std::string& directory, const JournalHead& head);
  // An error of kind journal if there is none, or it does not hold a head.
  static Result<JournalHead> read(const std::string& directory);

  // For writing.
  static Result<JournalHeadFile> open(const std::string& directory);
  JournalHeadFile(JournalHeadFile&& other) noexcept;
  JournalHeadFile& operator=(JournalHeadFile&& other) noexcept;
  ~JournalHeadFile();

  Status write(const JournalHead& head);

 private:
  JournalHeadFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_ = -1;
};

}  // namespace assay
