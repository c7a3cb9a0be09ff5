// An address with places for values: `https://host/tickets/{id}?as={user}`. Whatever the values are, the
// filled address stays at the declared host and below the declared path: a value is percent-encoded, and one
// that a server could take for a step up (`..`, also encoded, or between slashes) is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

class UrlPattern {
 public:
  // Error of kind config if it is no address of HTTP, or a place stands where the host is chosen: who fills
  // it would choose who is sent the secrets.
  static Result<UrlPattern> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The names of the places.
  std::vector<std::string> names() const;
  // Error of kind target, naming the place, if its value is missing, or empty or a step up in the path.
  Result<std::string> fill(const JsonObject& values) const;

 private:
  struct Part {
    std::string text;  // as it is, or the name of a place
    bool place = false;
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace assay
