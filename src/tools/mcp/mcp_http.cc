#include "tools/mcp/mcp_http.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/sse.h"
#include "net/http/status.h"
#include "tools/hidden.h"
#include "tools/mcp/mcp_message.h"

namespace assay {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr Duration kTimeForAsides = std::chrono::seconds(5);  // answers, cancellations, taking leave
constexpr std::size_t kMostServerRequests = 100;              // during one exchange
constexpr std::size_t kLongestSession = 1024;                 // bytes

// The messages in the body of a reply, which is JSON or a stream of events. Its first character tells which:
// the body arrives before the head can be asked, and no event begins with a bracket.
class Body {
 public:
  using Emit = std::function<void(std::string_view)>;

  void feed(std::string_view chunk, const Emit& emit) {
    if (form_ == Form::unknown) {
      const std::size_t first = chunk.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos) return;
      form_ = chunk[first] == '{' || chunk[first] == '[' ? Form::json : Form::events;
    }
    if (form_ == Form::json) {
      json_ += chunk;
    } else {
      events_.feed(chunk, [&](const ServerSentEvent& event) {
        if (event.event == "message" && !event.data.empty()) emit(event.data);
      });
    }
  }
  void end(const Emit& emit) const {
    if (form_ == Form::json) emit(json_);
  }

 private:
  enum class Form { unknown, json, events } form_ = Form::unknown;
  std::string json_;
  ServerSentEventParser events_;
};

std::string complaint_in(std::string_view body, const Secrets& secrets) {
  if (const auto messages = read_mcp_messages(body, secrets)) {
    for (const McpMessage& message : *messages) {
      const auto* reply = std::get_if<McpReply>(&message);
      if (reply && reply->fault) return reply->fault->message;
    }
  }
  return quoted_start(body, 300, secrets);
}

Error explain_status(const HttpResponse& response, const Secrets& secrets) {
  if (response.status >= 300 && response.status < 400) {
    return {ErrorKind::rejected,
            fmt::format("HTTP {}: the server wants the request elsewhere; give the url it leads to "
                        "(often the same with or without a final /)",
                        response.status),
            {}};
  }
  const std::string complaint = complaint_in(response.body, secrets);
  return {kind_of_status(response.status),
          fmt::format("HTTP {}{}{}", response.status, complaint.empty() ? "" : ": ", complaint),
          {}};
}

// Visible ASCII, as the protocol says.
bool is_session(std::string_view text) {
  return !text.empty() && text.size() <= kLongestSession &&
         std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7E; });
}

class McpHttp final : public McpTransport {
 public:
  McpHttp(EventLoop& loop, HttpClient& http, const McpServer& server, Environment environment,
          const Secrets& secrets)
      : loop_(loop),
        http_(http),
        url_(server.url),
        headers_(server.headers),
        max_body_(server.max_message),
        environment_(std::move(environment)),
        secrets_(secrets) {}

  Task<Result<McpReply>> exchange(McpOutgoing request, Duration timeout) override;
  Task<Status> notify(std::string text, Duration timeout) override;
  void agree_on(const std::string& version) override { version_ = version; }
  McpHealth health() const override { return health_; }
  void trust() override {}
  Task<void> stop(Error why) override;
  Task<void> close() override;

 private:
  // What one exchange has heard so far.
  struct Hearing {
    std::int64_t id;
    Body body;
    std::optional<Result<McpReply>> outcome;
    std::size_t server_requests = 0;
  };

  Result<HttpRequest> request(std::string method, std::string body, Duration timeout) const;
  void hear(Hearing& hearing, std::string_view text);
  void note_session(const HttpResponse& response);
  Error turned_away(const HttpResponse& response);
  // Sends it beside everything else, and cares for no reply.
  void send_aside(std::string text);

  EventLoop& loop_;
  HttpClient& http_;
  std::string url_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::size_t max_body_;
  Environment environment_;
  const Secrets& secrets_;
  std::string session_;
  std::string version_;
  McpHealth health_ = McpHealth::good;
};

Result<HttpRequest> McpHttp::request(std::string method, std::string body, Duration timeout) const {
  HttpRequest made;
  made.method = std::move(method);
  made.url = url_;
  made.body = std::move(body);
  made.total_timeout = std::max<Duration>(timeout, std::chrono::milliseconds(1));  // 0 would mean none
  made.idle_timeout = made.total_timeout;  // a tool may be silent while it works
  made.max_body = max_body_;
  for (const auto& [name, value] : headers_) {
    auto filled = fill_environment(value, environment_);
    if (!filled) return fail(std::move(filled.error()).with("header", name));
    made.headers.add(name, std::move(*filled));
  }
  if (!made.body.empty()) made.headers.add("Content-Type", "application/json");
  made.headers.add("Accept", "application/json, text/event-stream");
  if (!session_.empty()) made.headers.add(std::string(kSessionHeader), session_);
  if (!version_.empty()) made.headers.add("MCP-Protocol-Version", version_);
  return made;
}

Task<Result<McpReply>> McpHttp::exchange(McpOutgoing outgoing, Duration timeout) {
  auto post = request("POST", std::move(outgoing.text), timeout);
  if (!post) co_return fail(std::move(post.error()));
  Hearing hearing{.id = outgoing.id, .body = {}, .outcome = {}};
  const auto emit = [this, &hearing](std::string_view text) { hear(hearing, text); };
  post->on_data = [&hearing, &emit](std::string_view chunk) {
    hearing.body.feed(chunk, emit);
    return !hearing.outcome.has_value();
  };
  const auto response = co_await http_.send(std::move(*post));
  if (response && response->status / 100 == 2) {
    note_session(*response);
    if (!hearing.outcome) hearing.body.end(emit);
  }
  if (hearing.outcome) co_return std::move(*hearing.outcome);
  if (!response) {
    if (response.error().kind == ErrorKind::timeout &&
        outgoing.when_given_up == McpOutgoing::WhenGivenUp::tell) {
      send_aside(mcp_notification_text("notifications/cancelled",
                                       cancelled_params(outgoing.id, "no longer waited for")));
    }
    co_return fail(response.error());
  }
  if (response->status / 100 != 2) co_return fail(turned_away(*response));
  co_return fail(ErrorKind::target,
                 fmt::format("HTTP {}, but the reply to the request is missing", response->status));
}

Task<Status> McpHttp::notify(std::string text, Duration timeout) {
  auto post = request("POST", std::move(text), timeout);
  if (!post) co_return fail(std::move(post.error()));
  // Nothing of a body is wanted, and it might be a stream without an end.
  post->on_data = [](std::string_view) { return false; };
  const auto response = co_await http_.send(std::move(*post));
  if (!response) co_return fail(response.error());
  if (response->status / 100 != 2) co_return fail(turned_away(*response));
  co_return Status();
}

void McpHttp::hear(Hearing& hearing, std::string_view text) {
  if (hearing.outcome) return;
  const auto give_up = [&hearing](std::string message) {
    hearing.outcome.emplace(fail(ErrorKind::target, std::move(message)));
  };
  auto messages = read_mcp_messages(text, secrets_);
  if (!messages) {
    return give_up(fmt::format("the server sent what is not a message of the protocol ({}): {}",
                               messages.error().message, quoted_start(text, 200, secrets_)));
  }
  for (McpMessage& message : *messages) {
    if (auto* reply = std::get_if<McpReply>(&message)) {
      const bool ours = reply->id ? *reply->id == hearing.id : reply->fault.has_value();
      if (ours) return void(hearing.outcome.emplace(std::move(*reply)));
    } else if (const auto* asked = std::get_if<McpRequest>(&message)) {
      if (++hearing.server_requests > kMostServerRequests) {
        return give_up(
            fmt::format("the server asked more than {} things instead of replying", kMostServerRequests));
      }
      send_aside(mcp_answer_text(*asked));
    }
  }
}

void McpHttp::note_session(const HttpResponse& response) {
  if (!version_.empty()) return;  // only the first reply, to `initialize`, names it
  const std::string* session = response.headers.find(kSessionHeader);
  if (session && is_session(*session)) session_ = *session;
}

Error McpHttp::turned_away(const HttpResponse& response) {
  if (!session_.empty() && response.status == 404) health_ = McpHealth::expired;
  if (!session_.empty() && response.status == 400) health_ = McpHealth::lost;
  return explain_status(response, secrets_);
}

void McpHttp::send_aside(std::string text) {
  auto post = request("POST", std::move(text), kTimeForAsides);
  if (!post) return;
  post->on_data = [](std::string_view) { return false; };
  loop_.spawn([](HttpClient& http, HttpRequest ready) -> Task<void> {
    [[maybe_unused]] const auto response = co_await http.send(std::move(ready));
  }(http_, std::move(*post)));
}

Task<void> McpHttp::stop(Error /*why*/) {
  health_ = McpHealth::lost;
  co_return;
}

Task<void> McpHttp::close() {
  health_ = McpHealth::lost;
  if (session_.empty()) co_return;
  auto leave = request("DELETE", "", kTimeForAsides);
  if (!leave) co_return;
  [[maybe_unused]] const auto response = co_await http_.send(std::move(*leave));
}

}  // namespace

std::shared_ptr<McpTransport> connect_mcp_http(EventLoop& loop, HttpClient& http, const McpServer& server,
                                               Environment environment, const Secrets& secrets) {
  return std::make_shared<McpHttp>(loop, http, server, std::move(environment), secrets);
}

}  // namespace assay
