// The requests of one connection, parsed from its bytes as they come. Beast does the work (in the source
// alone); what it accepts beyond the standard's letter is refused here: a missing Host header, a path that
// cannot be decoded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/http/http_server.h"

namespace assay {

struct ParsedRequest {
  ServerRequest request{};
  bool http10 = false;
  bool keep_alive = true;  // what the client wants
};

class RequestParser {
 public:
  // A header above 64 KiB and a body above `max_body` are refused.
  explicit RequestParser(std::size_t max_body);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class State { needs_more, done, refused };
  // Takes `bytes` and says how many of them belong to this request. What is left of a header that has not
  // ended must be given again, with more.
  State feed(std::string_view bytes, std::size_t& used);

  // After `done`: the request; the parser is ready for the next.
  ParsedRequest take();
  // After `refused`: the status and the reason to answer with.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  // Once per request: the client waits for "100 Continue" before it sends the body.
  bool wants_continue();

 private:
  class Parser;
  State refuse(int status, std::string reason);

  std::size_t max_body_;
  std::unique_ptr<Parser> parser_;
  int status_ = 0;
  std::string reason_;
};

}  // namespace assay
