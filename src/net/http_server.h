// A small HTTP/1.1 server (Boost.Beast, hidden in one source): asynchronous, so that a thousand slow or stalled
// requests cost no thread. Handlers run on the server's own threads and answer whenever they like.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "net/http.h"

namespace assay {

struct ServerRequest {
  std::string method;
  std::string path;   // decoded, without query
  std::string query;  // raw, without '?'
  Headers headers;
  std::string body;
  std::string remote;  // address of the peer
};

// How one request is answered: exactly one of send(), begin_stream()…end_stream(), or drop(). Thread-safe; may
// be kept and used later. Letting the last reference go without an answer closes the connection.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void send(int status, Headers headers, std::string body) = 0;
  // Chunked transfer.
  virtual void begin_stream(int status, Headers headers) = 0;
  virtual void write(std::string chunk) = 0;
  virtual void end_stream() = 0;
  // Closes the connection at once, whatever has been sent: for a reply that breaks off in the middle, send a
  // Content-Length larger than the body with send_truncated().
  virtual void drop() = 0;
  virtual void send_truncated(int status, Headers headers, std::string body, std::size_t announced_length) = 0;
  // Runs `work` on a server thread after `delay` unless the server has stopped.
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> work) = 0;
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  int threads = 1;
  std::size_t max_body = std::size_t{64} << 20;         // 413 beyond
  std::chrono::seconds header_timeout{30};              // slowloris: a request must be complete by then
  std::chrono::seconds keep_alive_timeout{75};
};

class HttpServer {
 public:
  using Handler = std::function<void(ServerRequest, std::shared_ptr<Responder>)>;

  // Binds and starts to accept. Error of kind io names address and reason.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, Handler handler);
  virtual ~HttpServer() = default;  // stops, joins the threads
  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
};

}  // namespace assay
