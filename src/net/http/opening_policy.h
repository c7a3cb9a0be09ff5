// How many requests to one host may be without a connection at the same time, and which HTTP version they
// offer. Five hundred at once to a new host would mean five hundred name look-ups and, over TLS, as many
// handshakes, where one connection may do if the server has HTTP/2. So the first request goes ahead; what
// becomes of it tells about the others. Pure: knows no sockets and is told the time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "core/error.h"

namespace assay {

enum class HttpVersion { at_most_1, at_most_2 };

class OpeningPolicy {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit OpeningPolicy(bool tls) : tls_(tls) {}

  HttpVersion version() const { return version_; }
  // A request comes, ends.
  void enter(Time now);
  void leave(Time now);
  std::size_t users() const { return users_; }

  bool may_open() const { return opening_ < most_opening_; }
  void begin_opening() { ++opening_; }
  // It has its connection, or will not get one.
  void end_opening(bool connected);

  // A reply has come in this version ("1.1", "2").
  void replied(std::string_view http_version);
  // A request that began at `started` failed; `connected`: after it had its connection.
  void failed(ErrorKind kind, bool connected, Time started, Time now);

 private:
  const bool tls_;
  HttpVersion version_ = HttpVersion::at_most_2;
  std::size_t users_ = 0;
  std::size_t opening_ = 0;
  std::size_t most_opening_ = 1;
  bool failing_ = false;  // the last one got no connection
  bool http1_works_ = false;
  int http2_breaks_ = 0;
  Time last_used_;
  Time last_break_;
};

}  // namespace assay
