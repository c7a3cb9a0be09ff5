// Who may use the service. A token is a random text that is shown once; the file holds a line
// "CLIENT SHA-256-OF-TOKEN" for each, so that nobody can read a token from it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/sha256.h"

namespace assay {

class Tokens {
 public:
  // "" is no file: then there are no tokens. Every wrong line is told.
  static Result<Tokens> read(const std::string& path);
  // Makes a token for the client, adds it to the file (readable by its owner only) and gives it.
  static Result<std::string> add(const std::string& path, const std::string& client);

  bool empty() const { return known_.empty(); }
  // The client whose token it is; "" if none. With `client` given it must be that one. Takes the same time
  // whichever token it is.
  std::string client_of(std::string_view token, std::string_view client = {}) const;

 private:
  std::vector<std::pair<std::string, Digest>> known_;
};

}  // namespace assay
