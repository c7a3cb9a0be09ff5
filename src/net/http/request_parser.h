// The requests of one connection, parsed from its bytes as they come. Pure: no socket, no clock. However the
// bytes are cut, the requests are the same.
//
// Strict where leniency has been a way in: one Host, one length or `chunked` and never both, no other
// transfer coding, CRLF at every end of line, no folded lines, no space before a colon. Everything has a
// bound: the head, the number of its fields, the body, the extensions of chunks, the trailers.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // A body above `max_body` bytes is refused.
  explicit RequestParser(std::size_t max_body) : max_body_(max_body) {}

  enum class State {
    needs_more,
    head,     // once per request: the head is complete, nothing of the body has been taken
    done,     // the request is complete
    refused,  // status() and reason() say why; nothing more can be read from this connection
  };
  // Takes what belongs to this request from the front of `bytes`, and says how many that were. After `head`
  // call it again, with no bytes if there are none.
  State feed(std::string_view bytes, std::size_t& used);

  // The request so far; whole after `head` but for the body.
  const ParsedRequest& parsed() const { return parsed_; }
  ServerRequest& request() { return parsed_.request; }
  // After `head`: whether a body follows.
  bool has_body() const { return stage_ != Stage::complete; }
  // After `head`: the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_ && has_body(); }

  // After `done`: the request; the parser is ready for the next.
  ParsedRequest take();

  int status() const { return status_; }
  const std::string& reason() const { return reason_; }

 private:
  enum class Stage {
    request_line,
    field,
    body,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
    complete,
  };

  // A step says `needs_more` where the request goes on.
  State take_line(std::string_view line);
  State take_request_line(std::string_view line);
  State take_field(std::string_view line);
  State take_trailer(std::string_view line);
  State take_chunk_size(std::string_view line);
  State note_framing(std::string_view name, std::string_view value);
  State end_head();
  State take_target();
  State refuse(int status, std::string reason);
  void take_body(std::string_view bytes, std::size_t& used);

  std::size_t max_body_;
  Stage stage_ = Stage::request_line;
  ParsedRequest parsed_;
  std::string target_;
  std::string line_;            // what has come of the current line
  std::size_t head_bytes_ = 0;  // of the head; then of the trailers
  std::size_t extension_bytes_ = 0;
  std::uint64_t body_left_ = 0;  // of the body, or of the chunk
  bool empty_line_seen_ = false;
  bool has_length_ = false;
  bool has_host_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
  bool wants_close_ = false;
  bool wants_keep_alive_ = false;
  int status_ = 0;
  std::string reason_;
};

}  // namespace assay
