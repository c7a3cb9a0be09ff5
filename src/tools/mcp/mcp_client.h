// The tools of a Model Context Protocol server, listed and called. The server is started or greeted by the
// first call that needs it, and serves all calls of the client, of which many may be under way at once.
//
// What can go wrong costs the calls that meet it, never the run:
//   the server crashes, or sends rubbish or a message above the cap: the calls under way fail, the next call
//     starts it again, once;
//   a call is not answered in time: it fails, and the next call asks first whether the server still answers
//     a ping (within 5 s or call_timeout); if not, the server is stopped and started again;
//   it cannot be started: the call fails. After 3 failures in a row calls fail at once for 30 s;
//   it has forgotten the session (HTTP 404): a new one is made and the call repeated, once, since it had not
//     been run.
// So a call ends within start_timeout + call_timeout + 10 s, twice that for a forgotten session.
//
//   McpClient files(loop, http, {.name = "files", .command = {"npx", "-y", "some-server"}}, environment);
//   Result<McpToolResult> read = co_await files.call_tool("read_file", {{"path", "a.txt"}});
//
// What `${NAME}` in the server's declaration stands for is hidden in everything that comes out of here.
//
// Belongs to one event loop. It, the loop and `http` must outlive every call; calls may be destroyed, which
// cancels them. Destroying the client ends the server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/secrets/secrets.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/mcp/mcp_message.h"
#include "tools/mcp/mcp_transport.h"
#include "tools/mcp/mcp_wait.h"

namespace assay {

class McpClient {
 public:
  McpClient(EventLoop& loop, HttpClient& http, McpServer server, Environment environment);
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;
  ~McpClient() = default;

  // All pages, in the server's order. Error of kind schema if the list is misshapen, names a tool twice, has
  // more than 1000 tools or 100 pages, or comes back to a page.
  Task<Result<std::vector<McpTool>>> list_tools();
  // A tool that ran and failed is a result with is_error. Errors are of the kinds config (neither command nor
  // url, or both), target, timeout, schema (a misshapen result), network, tls, auth, rate_limited,
  // overloaded, rejected, cancelled (closed meanwhile); their context names the server and the tool.
  Task<Result<McpToolResult>> call_tool(std::string name, JsonObject arguments);
  // Takes leave of the server and waits until it is gone, 5 s at most. Every later call fails.
  Task<void> close();

  // What the server said of itself when it was last greeted.
  const McpGreeting& greeting() const { return greeting_; }
  // How often a server was started or a session begun.
  std::size_t starts() const { return starts_; }

 private:
  Task<Result<Json>> request(std::string_view method, JsonObject params, Duration timeout);
  Task<Result<std::vector<McpTool>>> read_all_pages();
  Task<Status> ready();
  Task<void> prepare();
  Task<Status> connect();
  Task<Status> greet();
  Task<bool> answers_a_ping();
  Status make_transport();
  void prepared(const Status& outcome);
  Error named(Error error) const;

  EventLoop& loop_;
  HttpClient& http_;
  McpServer server_;
  Secrets secrets_;  // what environment_ has given
  Environment environment_;
  std::shared_ptr<McpTransport> transport_;  // shared with the calls on it
  McpGreeting greeting_;
  std::int64_t last_id_ = 0;
  std::size_t starts_ = 0;
  int failed_starts_ = 0;  // in a row
  Error last_failure_;
  Clock::time_point no_start_before_{};
  bool closed_ = false;
  bool preparing_ = false;
  std::vector<Arrival<Status>*> waiting_;  // for preparation_
  std::optional<Task<void>> preparation_;  // last: it uses the rest
};

}  // namespace assay
