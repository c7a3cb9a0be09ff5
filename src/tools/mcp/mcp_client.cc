#include "tools/mcp/mcp_client.h"

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "net/http/transfer_failure.h"
#include "tools/hidden.h"
#include "tools/mcp/mcp_http.h"
#include "tools/mcp/mcp_stdio.h"

namespace assay {
namespace {

constexpr std::size_t kMostPages = 100;
constexpr std::size_t kMostTools = 1000;
constexpr Duration kLongestPing = std::chrono::seconds(5);
constexpr int kMostFailedStarts = 3;
constexpr Duration kPauseAfterFailedStarts = std::chrono::seconds(30);
// Above everything that preparing may take beside start_timeout, whose own deadlines tell more.
constexpr Duration kMargin = std::chrono::seconds(20);

}  // namespace

McpClient::McpClient(EventLoop& loop, HttpClient& http, McpServer server, Environment environment)
    : loop_(loop),
      http_(http),
      server_(std::move(server)),
      secrets_(kHiddenMark),
      environment_(secrets_.noting(std::move(environment))) {}

Task<Result<std::vector<McpTool>>> McpClient::list_tools() {
  auto tools = co_await read_all_pages();
  if (!tools) co_return fail(named(std::move(tools.error())));
  co_return std::move(*tools);
}

Task<Result<std::vector<McpTool>>> McpClient::read_all_pages() {
  std::vector<McpTool> tools;
  std::set<std::string> names;
  std::set<std::string> cursors;
  std::optional<std::string> cursor;
  std::optional<Clock::time_point> deadline;  // begins when the server is there
  for (std::size_t pages = 1;; ++pages) {
    if (auto is_ready = co_await ready(); !is_ready) co_return fail(std::move(is_ready.error()));
    if (!greeting_.has_tools) co_return fail(ErrorKind::target, "the server offers no tools");
    if (!deadline) deadline = EventLoop::after(server_.call_timeout);
    auto result = co_await request("tools/list", list_tools_params(cursor), *deadline - Clock::now());
    if (!result) co_return fail(std::move(result.error()));
    auto page = read_tools_page(*result);
    if (!page) co_return fail(std::move(page.error()));
    for (McpTool& tool : page->tools) {
      if (!names.insert(tool.name).second) {
        co_return fail(ErrorKind::schema, fmt::format("the server lists the tool {} twice", tool.name));
      }
      tools.push_back(hidden_in(std::move(tool), secrets_));
    }
    if (tools.size() > kMostTools) {
      co_return fail(ErrorKind::schema, fmt::format("the server lists more than {} tools", kMostTools));
    }
    if (!page->next_cursor) co_return tools;
    if (pages == kMostPages) {
      co_return fail(ErrorKind::schema,
                     fmt::format("the server's list of tools has more than {} pages", kMostPages));
    }
    if (!cursors.insert(*page->next_cursor).second) {
      co_return fail(ErrorKind::schema, "the server's list of tools comes back to a page and has no end");
    }
    cursor = std::move(page->next_cursor);
  }
}

Task<Result<McpToolResult>> McpClient::call_tool(std::string name, JsonObject arguments) {
  auto result =
      co_await request("tools/call", call_tool_params(name, std::move(arguments)), server_.call_timeout);
  if (!result) co_return fail(named(std::move(result.error()).with("tool", std::move(name))));
  auto read = read_tool_result(*result);
  if (!read) co_return fail(named(std::move(read.error()).with("tool", std::move(name))));
  co_return hidden_in(std::move(*read), secrets_);
}

Task<Result<Json>> McpClient::request(std::string_view method, JsonObject params, Duration timeout) {
  for (bool repeated = false;; repeated = true) {
    if (auto is_ready = co_await ready(); !is_ready) co_return fail(std::move(is_ready.error()));
    const auto transport = transport_;
    McpOutgoing outgoing{.id = ++last_id_, .text = {}};
    outgoing.text = mcp_request_text(outgoing.id, method, params);
    auto reply = co_await transport->exchange(std::move(outgoing), timeout);
    if (!reply && transport->health() == McpHealth::expired && !repeated) continue;
    if (!reply) co_return fail(std::move(reply.error()));
    if (reply->fault) {
      co_return fail(ErrorKind::target, fmt::format("the server refused: {} (code {})", reply->fault->message,
                                                    reply->fault->code));
    }
    co_return std::move(reply->result);
  }
}

// One preparation serves all calls that need it. It belongs to the client, not to the call that happened to
// come first, which may be destroyed.
Task<Status> McpClient::ready() {
  if (closed_) co_return fail(ErrorKind::cancelled, "the connection to the server is closed");
  if (!preparing_ && transport_ && transport_->health() == McpHealth::good) co_return Status();
  Arrival<Status> arrival(loop_, EventLoop::after(server_.start_timeout + kMargin));
  struct Place {
    std::vector<Arrival<Status>*>& all;
    Arrival<Status>* own;
    ~Place() { std::erase(all, own); }
  };
  waiting_.push_back(&arrival);
  const Place place{waiting_, &arrival};
  if (!std::exchange(preparing_, true)) {
    preparation_.emplace(prepare());
    preparation_->await_suspend(std::noop_coroutine()).resume();
  }
  auto outcome = co_await arrival;
  if (!outcome) co_return fail(ErrorKind::timeout, "the server was not ready in time");
  co_return std::move(*outcome);
}

Task<void> McpClient::prepare() {
  if (transport_ && transport_->health() == McpHealth::doubted && co_await answers_a_ping()) {
    transport_->trust();
    co_return prepared(Status());
  }
  if (transport_) {
    const auto old = std::exchange(transport_, nullptr);
    co_await old->stop(Error{ErrorKind::target, "the server was stopped: it did not answer any more", {}});
  }
  if (failed_starts_ >= kMostFailedStarts && Clock::now() < no_start_before_) {
    Error again = last_failure_;
    again.message =
        fmt::format("the server could not be started {} times in a row and is left alone for {}: {}",
                    failed_starts_, in_words(kPauseAfterFailedStarts), again.message);
    co_return prepared(fail(std::move(again)));
  }
  auto outcome = co_await connect();
  if (outcome) {
    failed_starts_ = 0;
  } else {
    ++failed_starts_;
    last_failure_ = outcome.error();
    no_start_before_ = EventLoop::after(kPauseAfterFailedStarts);
  }
  prepared(outcome);
}

void McpClient::prepared(const Status& outcome) {
  preparing_ = false;
  for (auto* waiting : std::exchange(waiting_, {})) waiting->set(outcome);
}

Task<bool> McpClient::answers_a_ping() {
  const auto transport = transport_;
  const std::int64_t id = ++last_id_;
  // A fault is an answer, too.
  const auto reply = co_await transport->exchange({.id = id, .text = mcp_request_text(id, "ping", {})},
                                                  std::min(kLongestPing, server_.call_timeout));
  co_return reply.has_value();
}

Task<Status> McpClient::connect() {
  if (auto made = make_transport(); !made) co_return made;
  ++starts_;
  auto greeted = co_await greet();
  if (greeted) co_return greeted;
  const auto failed = std::exchange(transport_, nullptr);
  co_await failed->stop(greeted.error());
  co_return fail(std::move(greeted.error()));
}

Status McpClient::make_transport() {
  if (server_.command.empty() == server_.url.empty()) {
    return fail(ErrorKind::config, "an MCP server has either a command or a url");
  }
  if (!server_.url.empty()) {
    transport_ = connect_mcp_http(loop_, http_, server_, environment_, secrets_);
    return {};
  }
  auto started = start_mcp_program(loop_, server_, environment_, secrets_);
  if (!started) return fail(std::move(started.error()));
  transport_ = std::move(*started);
  return {};
}

Task<Status> McpClient::greet() {
  const auto transport = transport_;
  const Clock::time_point deadline = EventLoop::after(server_.start_timeout);
  McpOutgoing hello{.id = ++last_id_, .text = {}, .when_given_up = McpOutgoing::WhenGivenUp::be_silent};
  hello.text = mcp_request_text(hello.id, "initialize", initialize_params());
  auto reply = co_await transport->exchange(std::move(hello), server_.start_timeout);
  if (!reply) co_return fail(std::move(reply.error()).with("step", "initialize"));
  if (reply->fault) {
    co_return fail(ErrorKind::target, fmt::format("the server refused the greeting: {} (code {})",
                                                  reply->fault->message, reply->fault->code));
  }
  auto greeting = read_greeting(reply->result);
  if (!greeting) co_return fail(std::move(greeting.error()));
  transport->agree_on(greeting->version);
  greeting_ = hidden_in(std::move(*greeting), secrets_);
  co_return co_await transport->notify(mcp_notification_text("notifications/initialized", {}),
                                       deadline - Clock::now());
}

Task<void> McpClient::close() {
  if (std::exchange(closed_, true)) co_return;
  preparation_.reset();
  preparing_ = false;
  prepared(fail(ErrorKind::cancelled, "the connection to the server was closed"));
  if (const auto transport = std::exchange(transport_, nullptr)) co_await transport->close();
}

Error McpClient::named(Error error) const {
  error.message = secrets_.hide_pieces(error.message);
  return std::move(error).with("MCP server", server_.name);
}

}  // namespace assay
