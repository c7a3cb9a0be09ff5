// A key that a program of the user's prints: tokens of a cloud that are good for an hour. It is run when a
// token is first needed, when it has expired, and when the server refused it; those who ask meanwhile wait
// for the same run. What it prints is the token, or JSON with access_token (accessToken, token) and, if it is
// known, expires_in (seconds) or expires_at (expiresOn, expiry, Expiration: a time).
//
// Belongs to one event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "core/time.h"
#include "net/event_loop.h"

namespace assay {

struct PrintedToken {
  std::string token;
  std::optional<WallTime> expires = {};
};
// Kind auth; the message repeats nothing of the text.
Result<PrintedToken> read_token(std::string_view printed, WallTime now);

class TokenCommand {
 public:
  // `note` hears of each token before it is used: it is a secret.
  TokenCommand(EventLoop& loop, std::vector<std::string> argv, std::function<void(std::string_view)> note);
  TokenCommand(const TokenCommand&) = delete;
  TokenCommand& operator=(const TokenCommand&) = delete;
  ~TokenCommand();

  // Kind auth: the program cannot be started, fails, or prints no token. Must not outlive this.
  Task<Result<std::string>> get();
  // The server did not take it: the next one who asks gets another.
  void refuse(std::string_view token);

 private:
  struct Run;
  class Turn;

  EventLoop& loop_;
  std::shared_ptr<Run> run_;  // also held by the run of the program, which belongs to the loop
};

}  // namespace assay
