// Whether a path still names the file that it named: nobody has deleted or moved it, or a directory above it.
#pragma once

#include <string>
#include <utility>

#include <sys/stat.h>

namespace assay {

class FilePlace {
 public:
  // The file is there.
  explicit FilePlace(std::string path) : path_(std::move(path)), known_(::stat(path_.c_str(), &info_) == 0) {}

  bool kept() const {
    struct stat now{};
    return known_ && ::stat(path_.c_str(), &now) == 0 && now.st_ino == info_.st_ino &&
           now.st_dev == info_.st_dev;
  }

 private:
  std::string path_;
  struct stat info_{};
  bool known_;
};

}  // namespace assay
