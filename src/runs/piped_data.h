// Data that can be read once only: standard input (`input_path: "-"`), a FIFO, a process substitution. A run
// reads its data several times, and again when it is resumed, so they are copied into its directory first and
// are a file from then on: DIRECTORY/input.csv.
#pragma once

#include <optional>
#include <string>

#include "core/config/config.h"
#include "core/error.h"

namespace assay {

// Which key names such data; nothing if none does.
struct PipedData {
  std::string key;
  std::string source;  // "-" or a path
};
std::optional<PipedData> piped_data(const Keys& keys, const Config& config);

// The copy. It goes with this object, and so does the directory if it was made for it, unless a run has begun
// there.
class CopiedData {
 public:
  // Reads to the end. The form is what `input_format` says, or what the first bytes look like. An error if
  // the directory holds a run or files of somebody else.
  static Result<CopiedData> copy(const PipedData& piped, const Config& config, const std::string& directory);
  CopiedData(CopiedData&& other) noexcept;
  CopiedData& operator=(CopiedData&&) = delete;
  ~CopiedData();

  const std::string& name() const { return name_; }  // in the directory
  std::string path() const { return directory_ + "/" + name_; }

 private:
  CopiedData(std::string directory, bool made) : directory_(std::move(directory)), made_(made) {}

  std::string directory_;
  bool made_ = false;
  std::string name_;
};

}  // namespace assay
