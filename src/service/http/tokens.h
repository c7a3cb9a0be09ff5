// Who may use the service, and what for. A token is a random text that is shown once; the file holds a line
// "CLIENT SHA-256-OF-TOKEN [ROLE,ROLE…]" for each, so that nobody can read a token from it. A line without
// roles has all but `run`.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/sha256.h"
#include "service/http/roles.h"

namespace assay {

struct TokenHolder {
  std::string client;
  TokenRoles roles;
};

class Tokens {
 public:
  // Every wrong line is told, and a file without a token is an error.
  static Result<Tokens> read(const std::string& path);
  // The good lines of a file's text; `problems` gets a sentence about the others.
  static Tokens parse(std::string_view text, std::string& problems);
  // Makes a token for the client, adds it to the file (readable by its owner only) and gives it. Empty
  // `roles`: the line names none.
  static Result<std::string> add(const std::string& path, const std::string& client,
                                 const std::string& roles = "");

  bool empty() const { return known_.empty(); }
  // Whose token it is; nothing if nobody's. With `client` given it must be that one. Takes the same time
  // whichever token it is.
  std::optional<TokenHolder> holder_of(std::string_view token, std::string_view client = {}) const;

 private:
  struct Line {
    TokenHolder holder;
    Digest digest;
  };
  std::vector<Line> known_;
};

// The tokens of a file as it is now: a changed file counts from the next request on. A line that is wrong by
// then, or a file that cannot be read, opens no door: only the good lines count. Thread-safe.
class TokenFile {
 public:
  // `tell` gets a sentence about a changed file with problems. An empty path: nobody needs a token.
  static Result<std::unique_ptr<TokenFile>> open(std::string path,
                                                 std::function<void(const std::string&)> tell);

  bool needed() const { return !path_.empty(); }
  std::shared_ptr<const Tokens> now();

 private:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::function<void(const std::string&)> tell_;
  std::mutex mutex_;
  std::string version_;  // of the file that was read
  std::shared_ptr<const Tokens> tokens_;
};

}  // namespace assay
