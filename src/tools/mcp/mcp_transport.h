// How messages reach a server of the Model Context Protocol and its replies come back: over the pipes of a
// program (mcp_stdio.h) or over HTTP (mcp_http.h). A transport is one connection, from the first message to
// its loss; it is never mended, a new one takes its place. Belongs to one event loop; whoever waits in one of
// its coroutines holds the transport.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "tools/mcp/mcp_message.h"

namespace assay {

// Where a server is: `command` or `url`, one of them set.
struct McpServer {
  std::string name{};  // for messages
  std::vector<std::string> command{};
  // Added to what is safe of our own (net/child_environment.h): API keys reach a server only by name.
  // `${NAME}` in a value is filled from our environment when the server is started.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::string working_directory{};  // empty: ours
  std::string url{};
  // `${NAME}` in a value is filled from the environment when it is sent.
  std::vector<std::pair<std::string, std::string>> headers{};
  Duration start_timeout = std::chrono::seconds(60);  // a first `npx` downloads
  Duration call_timeout = std::chrono::seconds(60);
  std::size_t max_message = std::size_t{16} << 20;  // of what the server sends at once
};

// A request with its id, as text that mcp_request_text() has made.
struct McpOutgoing {
  std::int64_t id = 0;
  std::string text;
  // Whether the server is told when nobody waits any more; the first request must not be taken back.
  enum class WhenGivenUp { tell, be_silent } when_given_up = WhenGivenUp::tell;
};

enum class McpHealth {
  good,
  doubted,  // something was not answered in time: worth a ping
  lost,     // every exchange fails
  expired,  // lost, and the last exchange was turned away unread: it may be repeated on a new connection
};

class McpTransport {
 public:
  virtual ~McpTransport() = default;
  McpTransport() = default;
  McpTransport(const McpTransport&) = delete;
  McpTransport& operator=(const McpTransport&) = delete;

  // The reply to `request`, which may be a fault. An Error says why there is none: timeout, or target,
  // network, tls, auth, rate_limited, overloaded, rejected. Pings that come meanwhile are answered.
  virtual Task<Result<McpReply>> exchange(McpOutgoing request, Duration timeout) = 0;
  virtual Task<Status> notify(std::string text, Duration timeout) = 0;
  // The revision that both sides have agreed on.
  virtual void agree_on(const std::string& version) = 0;

  virtual McpHealth health() const = 0;
  // It has answered after all.
  virtual void trust() = 0;
  // Ends it: everything that waits fails with `why`. Returns when the server is gone, 3 s later at most.
  virtual Task<void> stop(Error why) = 0;
  // Takes leave as the protocol says; at most 5 s.
  virtual Task<void> close() = 0;
};

}  // namespace assay
