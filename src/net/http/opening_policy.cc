#include "net/http/opening_policy.h"

#include <limits>

namespace assay {
namespace {

// To a server that may share connections.
constexpr std::size_t kFew = 8;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
// After so long without a request the connections have probably been closed.
constexpr auto kColdAfter = std::chrono::seconds(30);
// So many broken HTTP/2 connections make us use HTTP/1.1.
constexpr int kBreaksOfHttp2 = 2;

}  // namespace

void OpeningPolicy::enter(Time now) {
  if (users_++ == 0 && (failing_ || now - last_used_ > kColdAfter)) most_opening_ = 1;
}

void OpeningPolicy::leave(Time now) {
  --users_;
  last_used_ = now;
}

void OpeningPolicy::end_opening(bool connected) {
  --opening_;
  failing_ = !connected;
  // If the first has failed, nothing is gained by letting the others fail one by one. Over TLS it takes the
  // first reply to know whether connections can be shared.
  if (most_opening_ == 1) most_opening_ = connected && tls_ ? kFew : kUnlimited;
}

void OpeningPolicy::replied(std::string_view http_version) {
  if (!tls_) return;
  const bool shares = version_ == HttpVersion::at_most_2 && http_version == "2";
  most_opening_ = shares ? kFew : kUnlimited;
  http1_works_ = http1_works_ || http_version.starts_with('1');
}

// libcurl 7.88 resets each HTTP/2 stream at its end, and some servers close the connection after a thousand
// of these, with all that is under way on it; with HTTP/1.1 one request at most is lost with a connection.
// Requests that fail together have broken one connection, not many.
void OpeningPolicy::failed(ErrorKind kind, bool connected, Time started, Time now) {
  if (!tls_ || (kind != ErrorKind::network && kind != ErrorKind::tls) || started <= last_break_) return;
  last_break_ = now;
  if (version_ == HttpVersion::at_most_1) {
    // Perhaps it has HTTP/2 only.
    if (!http1_works_) version_ = HttpVersion::at_most_2;
  } else if (connected && most_opening_ == kFew && ++http2_breaks_ == kBreaksOfHttp2) {
    version_ = HttpVersion::at_most_1;
    most_opening_ = kUnlimited;
  }
}

}  // namespace assay
