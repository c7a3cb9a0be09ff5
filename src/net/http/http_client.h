// HTTP(S) requests as coroutines, on libcurl's multi interface driven by the event loop. Connections are kept
// alive and pooled; handles are sharded (at most 256 connections each), since one multi handle gets slow with
// thousands. HTTP/2 over TLS where the server has it. Proxies (environment or option) and CA files as curl
// users expect. The client never retries: that is the engine's work alone.
//
//   HttpClient client(loop, {});
//   Result<HttpResponse> reply = co_await client.send({.method = "POST", .url = url, .body = text});
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/http/http.h"

namespace assay {

struct HttpRequest {
  std::string method = "GET";
  std::string url{};
  Headers headers{};
  std::string body{};
  Duration connect_timeout = std::chrono::seconds(20);
  Duration idle_timeout = std::chrono::seconds(60);    // no byte in either direction for so long
  Duration total_timeout = std::chrono::seconds(120);  // everything, connection included
  std::size_t max_body = std::size_t{64} << 20;        // a longer response is an error (ErrorKind::rejected)
  // If set, receives the body of a 2xx response as it arrives and HttpResponse::body stays empty. Returning
  // false ends the transfer early, which is not an error. It may send or cancel requests, this one, too, or
  // destroy the client; it must not throw. It also counts against max_body.
  std::function<bool(std::string_view)> on_data{};
  // If set, asked after each piece that on_data took: whether the reply is whole by its own word. Then the
  // connection has a moment to end as it should, to be used again, and however it ends, the transfer ends
  // well.
  std::function<bool()> is_complete{};
};

struct HttpResponse {
  int status = 0;
  Headers headers{};
  std::string body{};
  Duration elapsed{};
  std::string http_version{};  // "1.1" or "2"
};

struct HttpClientOptions {
  std::size_t max_connections =
      8192;                 // open at once over all shards; further requests wait inside the client
  std::size_t clients = 1;  // of this process: they share the files that it may have open
  // Of all bodies that are arriving, in bytes. Where they would hold more, the newer ones are read no further
  // until older ones are complete.
  std::size_t max_arriving = std::size_t{256} << 20;
  std::string ca_file{};  // PEM, in addition to CURL_CA_BUNDLE / SSL_CERT_FILE / the system's own
  std::string proxy{};    // overrides http_proxy, https_proxy, all_proxy, no_proxy
  std::string user_agent = "assay";
};

class HttpClient {
 public:
  HttpClient(EventLoop& loop, HttpClientOptions options);
  ~HttpClient();  // cancels what is under way (ErrorKind::cancelled)
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any HTTP status is a response. An Error is of kind network, timeout, tls, rejected (bad URL, body too
  // long) or cancelled; its message names the host and what to look at, never a header or a query string.
  // Destroying the awaiting coroutine cancels the request.
  Task<Result<HttpResponse>> send(HttpRequest request);

  EventLoop& loop() const;
  std::size_t in_flight() const;
  // The most bytes of arriving bodies that there were at one time.
  std::size_t most_arriving() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // also held while libcurl is on the stack
};

}  // namespace assay
