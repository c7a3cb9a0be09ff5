// The hashes of data files that have been read, for as long as the files stay as they are: gigabytes are not
// hashed again for each case that a reader opens.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "core/error.h"

namespace assay {

// Which content of a file there is: another file, or another content of it, has another text. Empty if there
// is none.
std::string file_version(const std::string& path);

// Thread-safe.
class HashedFiles {
 public:
  // SHA-256, hex, as sha256_of_file() gives it.
  Result<std::string> sha256(const std::string& path);

 private:
  static constexpr std::size_t kMost = 100;
  struct Hashed {
    std::string version;
    std::string hash;
  };
  std::mutex mutex_;
  std::map<std::string, Hashed> known_;  // by path
};

}  // namespace assay
