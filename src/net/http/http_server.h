// A small HTTP/1.1 server: asynchronous, so that a thousand slow or stalled requests cost no thread. Handlers
// run on the server's own threads and answer whenever they like; a handler that blocks holds up all
// connections of its thread. Requests of one connection are handled one after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "net/http/http.h"

namespace assay {

struct ServerRequest {
  std::string method{};
  std::string path{};   // decoded, without query
  std::string query{};  // raw, without '?'
  std::string host{};   // whom it is for, with the port if one was given; well formed, or empty in HTTP/1.0
  Headers headers{};
  std::string body{};
  std::string remote{};    // address of the peer
  std::string local{};     // address that the peer has connected to
  std::string client{};    // who sends it, if admission has found out
  std::uint32_t rights{};  // what they may do, as admission counts it
};

// An answer instead of the handler's.
struct Refusal {
  int status = 400;
  Headers headers{};
  std::string body{};
};

// How one request is answered: exactly one of send(), send_truncated(), begin_stream()…end_stream(), or
// drop(); what comes after the answer has no effect. Thread-safe; may be kept and used later, even after the
// server or the peer has gone, which makes every call a no-op. Letting the last reference go without a
// complete answer closes the connection. Content-Length, Transfer-Encoding and Date are the server's to set;
// a header "Connection: close" closes after the answer. To HEAD only the head of the answer is sent.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void send(int status, Headers headers, std::string body) = 0;
  // Chunked transfer.
  virtual void begin_stream(int status, Headers headers) = 0;
  virtual void write(std::string chunk) = 0;
  virtual void end_stream() = 0;
  // Runs `work` on a server thread, once, when nothing of the stream waits to be sent any more. Whoever has
  // much to send makes the next piece then: a slow peer slows it down, and a piece is all that is held. If
  // the connection ends before, `work` is let go without being run.
  virtual void when_sent(std::function<void()> work) = 0;
  // Whether the peer is still there and the answer not complete.
  virtual bool open() const = 0;
  // Resets the connection at once, whatever has been sent; also possible in the middle of a stream.
  virtual void drop() = 0;
  // A reply that breaks off: announces more than it sends, then closes.
  virtual void send_truncated(int status, Headers headers, std::string body,
                              std::size_t announced_length) = 0;
  // Runs `work` on a server thread after `delay` unless the server has stopped.
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> work) = 0;
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  int threads = 1;
  std::size_t max_body = std::size_t{64} << 20;  // 413 beyond
  // Bytes of bodies of all requests that are being read or answered, and of long answers until they have been
  // read; 503 beyond.
  std::size_t max_buffered = std::size_t{512} << 20;
  // Open at one time; who comes beyond waits to be accepted, so that there are files left for the rest of the
  // process. 0: as many as the system lets it have.
  std::size_t max_connections = 0;
  // Asked when the head of a request is complete, before its body is read; may note what it finds out. Runs
  // on the server's threads. Empty: all are admitted.
  std::function<std::optional<Refusal>(ServerRequest& head)> admit{};
  // Slowloris: a request must be complete so long after its first byte, and the first one after connecting.
  std::chrono::nanoseconds header_timeout = std::chrono::seconds(30);
  // Between requests, and for a peer that does not take what is sent to it.
  std::chrono::nanoseconds keep_alive_timeout = std::chrono::seconds(75);
};

class HttpServer {
 public:
  using Handler = std::function<void(ServerRequest, std::shared_ptr<Responder>)>;

  // Binds and starts to accept. Error of kind io names address and reason.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, Handler handler);
  // Stops and joins the threads; requests without an answer are cut off. Not to be called by a handler.
  virtual ~HttpServer() = default;
  // From now on no connection is accepted, and requests that are not complete yet are answered 503.
  virtual void refuse_new() = 0;
  // refuse_new(), and waits until every request under way has its answer and all connections are closed;
  // false if `patience` ended before. Not to be called by a handler.
  virtual bool drain(std::chrono::nanoseconds patience) = 0;
  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;  // open now
  virtual std::uint64_t accepted() const = 0;   // connections since the start
};

}  // namespace assay
