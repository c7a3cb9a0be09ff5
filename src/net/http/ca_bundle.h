// Which certificate authorities are trusted: those of CURL_CA_BUNDLE, else of SSL_CERT_FILE, else of the
// system, and in addition those of a file of the user's. libcurl takes one file, so two are joined in an
// anonymous file in memory; a file, unlike a blob, is parsed once and not again for each connection.
#pragma once

#include <string>
#include <utility>

#include "core/error.h"

namespace assay {

// The file with the certificates of the system: `built_in` (what libcurl was built for), or where that is not
// here, the first of the places at which other distributions keep it; `built_in` again if there is none.
// `root` stands before all of them.
std::string system_ca_file(const std::string& built_in, const std::string& root = "");

class CaBundle {
 public:
  // `extra_file` may be empty; `system_file` is what the environment overrides, empty if there is none.
  // Error of kind tls if a file that somebody named cannot be read.
  static Result<CaBundle> make(const std::string& extra_file, const std::string& system_file);

  CaBundle(CaBundle&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  CaBundle& operator=(CaBundle&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  CaBundle(const CaBundle&) = delete;
  CaBundle& operator=(const CaBundle&) = delete;
  ~CaBundle();

  // Can be opened as long as this object lives; empty if nothing is trusted.
  const std::string& path() const { return path_; }

 private:
  CaBundle(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace assay
