// The client against a real HTTP server on loopback that speaks the protocol, or pretends to.
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_server.h"
#include "tools/mcp/mcp_client.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct McpHttp : testing::Test {
  using Answer = std::function<void(const Json& message, const std::shared_ptr<Responder>&)>;

  // On the server's thread, under the mutex.
  std::mutex mutex;
  std::vector<ServerRequest> requests;
  Answer on_call = [](const Json& message, const auto& responder) { reply(message, "done", responder); };
  bool gives_session = true;
  int sessions = 0;
  std::vector<std::string> posted;  // methods, or "answer ID"
  std::vector<std::shared_ptr<Responder>> held;

  EventLoop loop;
  std::unique_ptr<HttpClient> http = std::make_unique<HttpClient>(loop, HttpClientOptions{});
  std::unique_ptr<McpClient> client;
  std::unique_ptr<HttpServer> server;  // stops before what its handler uses goes

  static Json id_of(const Json& message) { return *find_member(message, "id"); }
  static std::string result_text(const Json& message, std::string_view text) {
    return to_text(JsonObject{
        {"jsonrpc", "2.0"},
        {"id", id_of(message)},
        {"result", JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text}}}}}}});
  }
  static void send_json(std::string body, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {{"Content-Type", "application/json"}}, std::move(body));
  }
  static void reply(const Json& message, std::string_view text, const std::shared_ptr<Responder>& responder) {
    send_json(result_text(message, text), responder);
  }

  void SetUp() override {
    auto started = HttpServer::start(
        {}, [this](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
          const std::scoped_lock lock(mutex);
          requests.push_back(request);
          handle(request, responder);
        });
    ASSERT_TRUE(started) << started.error().text();
    server = std::move(*started);
    connect();
  }
  void connect(Duration call_timeout = 20s, std::size_t max_message = 100'000,
               const std::string& token = "abc") {
    McpServer where{.name = "web", .url = fmt::format("http://127.0.0.1:{}/mcp?key=s3cret", server->port())};
    where.headers = {{"Authorization", "Bearer ${TOKEN}"}};
    where.call_timeout = call_timeout;
    where.max_message = max_message;
    client = std::make_unique<McpClient>(loop, *http, std::move(where),
                                         [token](std::string_view name) -> std::optional<std::string> {
                                           if (name == "TOKEN") return token;
                                           return std::nullopt;
                                         });
  }
  void handle(const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
    if (request.method != "POST") {
      posted.push_back(request.method);
      return responder->send(200, {}, "");
    }
    const Json message = parse_json(request.body).value();
    const std::string method = text_at(message, "method");
    posted.push_back(method.empty() ? "answer " + to_text(id_of(message)) : method);
    if (method == "initialize") {
      Headers headers{{"Content-Type", "application/json"}};
      if (gives_session) headers.add("Mcp-Session-Id", fmt::format("session-{}", ++sessions));
      return responder->send(
          200, headers,
          to_text(JsonObject{{"jsonrpc", "2.0"},
                             {"id", id_of(message)},
                             {"result", JsonObject{{"protocolVersion", "2025-06-18"},
                                                   {"capabilities", JsonObject{{"tools", JsonObject{}}}},
                                                   {"serverInfo", JsonObject{{"name", "web"}}}}}}));
    }
    if (method == "tools/list") {
      return send_json(to_text(JsonObject{{"jsonrpc", "2.0"},
                                          {"id", id_of(message)},
                                          {"result", parse_json(R"({"tools":[{"name":"look"}]})").value()}}),
                       responder);
    }
    if (method == "tools/call") return on_call(message, responder);
    responder->send(202, {}, "");
  }
  void answer(Answer with) {
    const std::scoped_lock lock(mutex);
    on_call = std::move(with);
  }
  Result<McpToolResult> call() { return loop.run_until_done(client->call_tool("look", {{"a", 1}})); }
  std::string text() {
    const auto result = call();
    return result ? text_of(*result) : "error: " + result.error().text();
  }
  Error error() {
    const auto result = call();
    return result ? Error{ErrorKind::internal, "no error: " + text_of(*result), {}} : result.error();
  }
  std::vector<std::string> seen() {
    const std::scoped_lock lock(mutex);
    return posted;
  }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
};

TEST_F(McpHttp, GreetsListsAndCalls) {
  const auto tools = loop.run_until_done(client->list_tools());
  ASSERT_TRUE(tools) << tools.error().text();
  ASSERT_EQ(tools->size(), 1U);
  EXPECT_EQ(tools->front().name, "look");
  EXPECT_EQ(text(), "done");
  EXPECT_THAT(seen(), ElementsAre("initialize", "notifications/initialized", "tools/list", "tools/call"));
}

TEST_F(McpHttp, SendsTheHeadersOfTheProtocol) {
  EXPECT_EQ(text(), "done");
  const std::scoped_lock lock(mutex);
  ASSERT_EQ(requests.size(), 3U);
  for (const ServerRequest& request : requests) {
    EXPECT_EQ(*request.headers.find("Accept"), "application/json, text/event-stream");
    EXPECT_EQ(*request.headers.find("Content-Type"), "application/json");
    EXPECT_EQ(*request.headers.find("Authorization"), "Bearer abc");
  }
  EXPECT_EQ(requests[0].headers.find("Mcp-Session-Id"), nullptr);
  EXPECT_EQ(requests[0].headers.find("MCP-Protocol-Version"), nullptr);
  for (const std::size_t later : {1, 2}) {
    EXPECT_EQ(*requests[later].headers.find("Mcp-Session-Id"), "session-1");
    EXPECT_EQ(*requests[later].headers.find("MCP-Protocol-Version"), "2025-06-18");
  }
}

TEST_F(McpHttp, WorksWithoutASession) {
  gives_session = false;
  EXPECT_EQ(text(), "done");
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(requests.back().headers.find("Mcp-Session-Id"), nullptr);
}

TEST_F(McpHttp, ReadsAStreamOfEventsUpToTheReplyAndNoFurther) {
  answer([this](const Json& message, const auto& responder) {
    held.push_back(responder);
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder->write(": hello\n\nid: 1\ndata:\n\n");
    responder->write("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n");
    responder->write("data: {\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n\n");
    const std::string reply = result_text(message, "streamed");
    responder->write("event: message\r\ndata: " + reply.substr(0, 20));
    responder->write(reply.substr(20) + "\r\n\r\n");
  });
  EXPECT_EQ(text(), "streamed");
}

TEST_F(McpHttp, AnswersWhatTheServerAsksInsideAStream) {
  answer([this](const Json& message, const auto& responder) {
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder->write("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n");
    responder->write("data: {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"roots/list\"}\n\n");
    // The reply comes only when both answers have.
    const auto wait = std::make_shared<std::function<void()>>();
    *wait = [this, message, responder, wait] {
      {
        const std::scoped_lock lock(mutex);
        const auto answers =
            std::ranges::count_if(posted, [](auto& what) { return what.starts_with("answer"); });
        if (answers < 2) return responder->after(5ms, *wait);
      }
      responder->write("data: " + result_text(message, "thanks") + "\n\n");
      responder->end_stream();
      *wait = nullptr;
    };
    responder->after(5ms, *wait);
  });
  EXPECT_EQ(text(), "thanks");
  const std::scoped_lock lock(mutex);
  std::vector<std::string> answers;
  for (const ServerRequest& request : requests) {
    if (!request.body.contains("\"method\"")) answers.push_back(request.body);
  }
  EXPECT_THAT(answers,
              testing::UnorderedElementsAre(
                  R"({"jsonrpc":"2.0","id":"p","result":{}})",
                  R"({"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found"}})"));
}

TEST_F(McpHttp, AServerThatOnlyAsksIsGivenUp) {
  answer([](const Json&, const auto& responder) {
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    for (int i = 0; i < 101; ++i) {
      responder->write(fmt::format("data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}\n\n", i));
    }
  });
  EXPECT_THAT(error().text(), HasSubstr("asked more than 100 things instead of replying"));
}

TEST_F(McpHttp, AForgottenSessionIsBegunAgainAndTheCallRepeated) {
  EXPECT_EQ(text(), "done");
  answer([this](const Json& message, const auto& responder) {
    if (*requests.back().headers.find("Mcp-Session-Id") == "session-1") return responder->send(404, {}, "");
    reply(message, "again", responder);
  });
  EXPECT_EQ(text(), "again");
  EXPECT_EQ(client->starts(), 2U);
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(requests[3].headers.find("Mcp-Session-Id") != nullptr, true);
  EXPECT_EQ(requests[4].headers.find("Mcp-Session-Id"), nullptr);  // the new greeting
  EXPECT_EQ(*requests.back().headers.find("Mcp-Session-Id"), "session-2");
}

TEST_F(McpHttp, ACallIsRepeatedOnlyOnce) {
  answer([](const Json&, const auto& responder) { responder->send(404, {}, "no such session"); });
  const Error refused = error();
  EXPECT_EQ(refused.kind, ErrorKind::rejected);
  EXPECT_EQ(refused.text(), "MCP server web, tool look: HTTP 404: no such session");
  EXPECT_EQ(client->starts(), 2U);
}

TEST_F(McpHttp, ASessionRefusedWith400CostsOneCall) {
  answer([this](const Json& message, const auto& responder) {
    if (sessions > 1) return reply(message, "fresh", responder);
    responder->send(400, {},
                    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad session"}})");
  });
  EXPECT_EQ(error().text(), "MCP server web, tool look: HTTP 400: Bad session");
  EXPECT_EQ(text(), "fresh");
}

TEST_F(McpHttp, StatusesHaveTheirKinds) {
  const std::vector<std::pair<int, ErrorKind>> kinds = {
      {401, ErrorKind::auth},       {403, ErrorKind::auth},       {429, ErrorKind::rate_limited},
      {500, ErrorKind::overloaded}, {503, ErrorKind::overloaded}, {405, ErrorKind::rejected},
      {307, ErrorKind::rejected}};
  for (const auto& [status, kind] : kinds) {
    answer([status](const Json&, const auto& responder) {
      responder->send(status, {{"Location", "http://elsewhere/"}}, "why");
    });
    const Error refused = error();
    EXPECT_EQ(refused.kind, kind) << status;
    EXPECT_THAT(refused.text(), HasSubstr(fmt::format("HTTP {}: ", status)));
  }
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpHttp, AFaultIsARefusalByTheServer) {
  answer([](const Json& message, const auto& responder) {
    send_json(to_text(JsonObject{{"jsonrpc", "2.0"},
                                 {"id", id_of(message)},
                                 {"error", JsonObject{{"code", -32602}, {"message", "Unknown tool"}}}}),
              responder);
  });
  EXPECT_EQ(error().text(), "MCP server web, tool look: the server refused: Unknown tool (code -32602)");
}

TEST_F(McpHttp, RubbishCostsOneCall) {
  const auto with_body = [this](std::string body, std::string kind = "application/json") {
    answer([body, kind](const Json&, const auto& responder) {
      responder->send(200, {{"Content-Type", kind}}, body);
    });
    return error();
  };
  EXPECT_THAT(with_body("{\"jsonrpc\": ").text(), HasSubstr("what is not a message of the protocol"));
  EXPECT_THAT(with_body("{\"hello\": 1}").text(), HasSubstr("what is not a message of the protocol"));
  EXPECT_THAT(with_body("data: rubbish\n\n", "text/event-stream").text(),
              HasSubstr("what is not a message of the protocol"));
  EXPECT_THAT(with_body("<html>Welcome</html>", "text/html").text(),
              HasSubstr("HTTP 200, but the reply to the request is missing"));
  EXPECT_THAT(with_body("").text(), HasSubstr("the reply to the request is missing"));
  EXPECT_THAT(with_body(R"({"jsonrpc":"2.0","id":9999,"result":{}})").text(),
              HasSubstr("the reply to the request is missing"));
  EXPECT_EQ(with_body("{" + std::string(200'000, ' ')).kind, ErrorKind::rejected);  // max_message is 100,000
  answer([](const Json& message, const auto& responder) { reply(message, "well again", responder); });
  EXPECT_EQ(text(), "well again");
}

TEST_F(McpHttp, AStreamThatBreaksOffCostsOneCall) {
  answer([](const Json&, const auto& responder) {
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder->write("data: {\"jsonrpc\"");
    responder->end_stream();
  });
  EXPECT_THAT(error().text(), HasSubstr("the reply to the request is missing"));
  answer([](const Json&, const auto& responder) {
    responder->send_truncated(200, {{"Content-Type", "application/json"}}, "{\"json", 100);
  });
  EXPECT_EQ(error().kind, ErrorKind::network);
  answer([](const Json&, const auto& responder) { responder->drop(); });
  EXPECT_EQ(error().kind, ErrorKind::network);
}

TEST_F(McpHttp, AHangingCallTimesOutAndIsTakenBack) {
  connect(300ms);
  answer([this](const Json&, const auto& responder) { held.push_back(responder); });
  const Error late = error();
  EXPECT_EQ(late.kind, ErrorKind::timeout);
  for (int i = 0; i < 1000 && seen().back() != "notifications/cancelled"; ++i) run_for(2ms);
  EXPECT_EQ(seen().back(), "notifications/cancelled");
  answer([](const Json& message, const auto& responder) { reply(message, "back", responder); });
  EXPECT_EQ(text(), "back");
}

TEST_F(McpHttp, ErrorsHoldNoSecret) {
  server.reset();
  const Error gone = error();
  EXPECT_EQ(gone.kind, ErrorKind::network);
  EXPECT_THAT(gone.text(), testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(gone.text(), testing::Not(HasSubstr("abc")));
}

TEST_F(McpHttp, ASecretThatTheServerRepeatsIsHidden) {
  connect(20s, 100'000, "s3cret-token");
  const auto sent = [this] { return *requests.back().headers.find("Authorization"); };
  answer(
      [&](const Json& message, const auto& responder) { reply(message, "you sent " + sent(), responder); });
  EXPECT_EQ(text(), "you sent Bearer [hidden]");
  answer([&](const Json& message, const auto& responder) {
    const JsonObject fault{{"code", 1}, {"message", "refused: " + sent()}};
    send_json(to_text(JsonObject{{"jsonrpc", "2.0"}, {"id", id_of(message)}, {"error", fault}}), responder);
  });
  EXPECT_THAT(error().text(), HasSubstr("the server refused: refused: Bearer [hidden] (code 1)"));
  answer([&](const Json&, const auto& responder) { responder->send(500, {}, "no access for " + sent()); });
  EXPECT_THAT(error().text(), HasSubstr("HTTP 500: no access for Bearer [hidden]"));
  answer([&](const Json&, const auto& responder) { send_json("[\"" + sent() + "\"]", responder); });
  EXPECT_THAT(error().text(), AllOf(HasSubstr("[hidden]"), testing::Not(HasSubstr("s3cret"))));
}

TEST_F(McpHttp, AMissingVariableIsNamed) {
  client = std::make_unique<McpClient>(
      loop, *http,
      McpServer{.name = "web", .url = "http://127.0.0.1:1/", .headers = {{"Authorization", "${NOT_SET}"}}},
      [](std::string_view) -> std::optional<std::string> { return std::nullopt; });
  EXPECT_THAT(error().text(), HasSubstr("header Authorization: the environment variable NOT_SET is not set"));
}

TEST_F(McpHttp, TakesLeaveOfItsSession) {
  EXPECT_EQ(text(), "done");
  loop.run_until_done(client->close());
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(requests.back().method, "DELETE");
  EXPECT_EQ(*requests.back().headers.find("Mcp-Session-Id"), "session-1");
}

}  // namespace
}  // namespace assay
