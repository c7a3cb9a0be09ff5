// The page of `assay serve`: the files that are compiled into the binary, each as it is and compressed, with
// what a browser is told about them. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded.h"
#include "net/http/http.h"

namespace assay {

struct PageAnswer {
  int status = 200;
  Headers headers = {};
  std::string body = {};
};

class PageFiles {
 public:
  // index.html, and what it loads from /assets/.
  explicit PageFiles(std::span<const EmbeddedText> files);

  // The file of that name, as the request's headers want it: compressed, or only that it is still the same.
  // Nothing if there is none.
  std::optional<PageAnswer> answer(std::string_view name, const Headers& request) const;

 private:
  struct File {
    std::string_view text;
    std::string gzip;
    std::string type;
    std::string etag;
  };
  std::map<std::string, File, std::less<>> files_;
};

// Whether an answer may be compressed, by the request's Accept-Encoding.
bool takes_gzip(const Headers& request);
// Compressed as gzip has it.
std::string gzipped(std::string_view text);

// What a page of ours may do: load its own script, style and images, and speak to this service alone.
inline constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
    "'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace assay
