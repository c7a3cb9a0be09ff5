// The answers of a sheet on the disk: JSON lines that are appended and never changed. A line is there for
// good once append() has returned; what a process that was killed left half written is cut off when the file
// is opened again, since nobody was told that it was kept. For one process at a time, and not for several
// threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::labels {

class AnswerFile {
 public:
  struct Opened;
  // Made if it is not there. A whole line that is not JSON is an error that names it: somebody has changed
  // the file.
  static Result<Opened> open(const std::string& path);
  AnswerFile(AnswerFile&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}
  AnswerFile& operator=(AnswerFile&&) = delete;
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;
  ~AnswerFile();

  // Whole and on the disk, or an error and not there.
  Status append(const Json& line);

 private:
  AnswerFile(std::string path, int file, std::int64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}

  std::string path_;
  int file_;
  std::int64_t size_;  // of the lines that are whole
};

struct AnswerFile::Opened {
  AnswerFile file;
  std::vector<Json> lines;
};

}  // namespace assay::labels
