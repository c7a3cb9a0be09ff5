// The client against a real child process, mcp_server.mjs, which behaves or misbehaves on request.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tools/mcp/mcp_client.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kServer = std::string(ASSAY_SOURCE_DIR) + "/tests/tools/mcp_server.mjs";

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

Environment no_environment() {
  return [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
}

struct McpStdio : testing::Test {
  EventLoop loop;
  std::unique_ptr<HttpClient> http = std::make_unique<HttpClient>(loop, HttpClientOptions{});
  std::size_t files_before = open_files();
  pid_t children_before = ::waitpid(-1, nullptr, WNOHANG);
  std::unique_ptr<McpClient> client;

  void serve(std::vector<std::string> flags = {}, Duration call_timeout = 20s, Duration start_timeout = 20s,
             std::size_t max_message = std::size_t{1} << 20) {
    McpServer server{.name = "rubbish", .command = {"node", kServer}};
    server.command.insert(server.command.end(), flags.begin(), flags.end());
    server.call_timeout = call_timeout;
    server.start_timeout = start_timeout;
    server.max_message = max_message;
    client = std::make_unique<McpClient>(loop, *http, std::move(server), no_environment());
  }
  Result<McpToolResult> call(std::string tool, JsonObject arguments = {}) {
    return loop.run_until_done(client->call_tool(std::move(tool), std::move(arguments)));
  }
  std::string text(std::string tool, JsonObject arguments = {}) {
    const auto result = call(std::move(tool), std::move(arguments));
    return result ? text_of(*result) : "error: " + result.error().text();
  }
  Error error(std::string tool, JsonObject arguments = {}) {
    const auto result = call(std::move(tool), std::move(arguments));
    return result ? Error{ErrorKind::internal, "no error: " + text_of(*result), {}} : result.error();
  }
  Result<std::vector<McpTool>> list() { return loop.run_until_done(client->list_tools()); }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
  void TearDown() override {
    client.reset();
    for (int i = 0; i < 2000 && loop.load().watches > 0; ++i) run_for(2ms);
    EXPECT_EQ(loop.load().watches, 0U);
    EXPECT_EQ(loop.load().timers, 0U);
    EXPECT_EQ(open_files(), files_before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), children_before) << "a child was not reaped";
  }
};

TEST_F(McpStdio, ListsAllPagesOfTools) {
  serve();
  const auto tools = list();
  ASSERT_TRUE(tools) << tools.error().text();
  std::vector<std::string> names;
  for (const McpTool& tool : *tools) names.push_back(tool.name);
  EXPECT_THAT(names, ElementsAre("echo", "crash", "hang", "bare"));
  EXPECT_EQ(tools->front().description, "Gives back its arguments");
  EXPECT_EQ(client->greeting().server_name, "rubbish");
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, CallsATool) {
  serve();
  EXPECT_EQ(text("echo", {{"a", 1}, {"b", "ü\n"}}), R"({"a":1,"b":"ü\n"})");
  const auto structured = call("structured");
  ASSERT_TRUE(structured) << structured.error().text();
  EXPECT_EQ(to_text(*structured->structured), R"({"n":1})");
  const auto failed = call("fails");
  ASSERT_TRUE(failed) << failed.error().text();
  EXPECT_TRUE(failed->is_error);
  EXPECT_EQ(text_of(*failed), "no such ticket");
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, TheServerGetsOnlyTheVariablesThatItWasGiven) {
  ::setenv("ASSAY_TEST_API_KEY", "s3cret", 1);
  const Environment ours = [](std::string_view name) -> std::optional<std::string> {
    return name == "TICKETS_TOKEN" ? std::optional<std::string>("t0ken") : std::nullopt;
  };
  McpServer server{
      .name = "tickets", .command = {"node", kServer}, .environment = {{"TOKEN", "Bearer ${TICKETS_TOKEN}"}}};
  client = std::make_unique<McpClient>(loop, *http, server, ours);
  EXPECT_EQ(text("variable", {{"name", "TOKEN"}}), "Bearer [hidden]") << "filled, and hidden on its way back";
  EXPECT_EQ(text("variable", {{"name", "PATH"}}), std::getenv("PATH"));
  EXPECT_EQ(text("variable", {{"name", "ASSAY_TEST_API_KEY"}}), "not set");

  server.environment = {{"TOKEN", "${MISSING}"}};
  client = std::make_unique<McpClient>(loop, *http, server, ours);
  const Error missing = error("variable");
  EXPECT_EQ(missing.kind, ErrorKind::auth);
  EXPECT_THAT(missing.text(), HasSubstr("MISSING is not set"));
}

TEST_F(McpStdio, AcceptsTheOlderRevisionsAndNoOthers) {
  for (const std::string version : {"2025-03-26", "2024-11-05"}) {
    serve({"--version", version});
    EXPECT_EQ(text("echo"), "{}");
    EXPECT_EQ(client->greeting().version, version);
  }
  serve({"--version", "1999-01-01"});
  EXPECT_EQ(error("echo").text(),
            "MCP server rubbish, tool echo: the server speaks revision 1999-01-01 of the protocol; known are "
            "2025-06-18, 2025-03-26, 2024-11-05");
}

TEST_F(McpStdio, ManyCallsAreUnderWayAtOnce) {
  serve();
  std::vector<int> ended;
  const auto later = [&](int i) -> Task<Result<McpToolResult>> {
    auto result = co_await client->call_tool("later", {{"ms", 500 - i}});
    ended.push_back(i);
    co_return result;
  };
  std::vector<Task<Result<McpToolResult>>> calls;
  for (int i = 0; i < 50; ++i) calls.push_back(later(i));
  const auto results = loop.run_until_done(all(std::move(calls)));
  for (int i = 0; i < 50; ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(text_of(*result), fmt::format("after {}", 500 - i));
  }
  EXPECT_NE(ended.front(), 0) << "the first waits longest";
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, AnswersWhatTheServerAsks) {
  serve();
  EXPECT_EQ(text("asks"), "[{},-32601]");
}

TEST_F(McpStdio, ReadsSeveralMessagesInOneLine) {
  serve({"--version", "2025-03-26"});
  EXPECT_EQ(text("batch"), "one of two");
}

TEST_F(McpStdio, ARefusalByTheServerIsAnErrorOfThatCallOnly) {
  serve();
  const Error refused = error("no_such_tool");
  EXPECT_EQ(refused.kind, ErrorKind::target);
  EXPECT_EQ(refused.text(),
            "MCP server rubbish, tool no_such_tool: the server refused: Unknown tool: "
            "no_such_tool (code -32602)");
  EXPECT_EQ(error("shapeless").text(),
            "MCP server rubbish, tool shapeless: the result of the tool has no content");
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, ACrashCostsOneCallAndQuotesStandardError) {
  serve();
  EXPECT_EQ(text("echo"), "{}");
  const Error crashed = error("crash");
  EXPECT_EQ(crashed.kind, ErrorKind::target);
  EXPECT_THAT(crashed.text(), HasSubstr("node ended with exit code 9; its standard error ends with: …xxx"));
  EXPECT_THAT(crashed.text(), testing::EndsWith("\nsegmentation fault, nearly"));
  EXPECT_LT(crashed.text().size(), 1300U);
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 2U);
  EXPECT_THAT(error("killed").text(), HasSubstr("node was ended by signal 9 (Killed)"));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 3U);
}

TEST_F(McpStdio, AServerThatLeftBetweenCallsCostsNone) {
  serve();
  EXPECT_EQ(text("replies_and_leaves"), "goodbye");
  run_for(300ms);
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 2U);
}

TEST_F(McpStdio, RubbishCostsOneCall) {
  serve();
  EXPECT_THAT(error("broken").text(), HasSubstr("node wrote a line that is not a message of the protocol ("));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_THAT(error("not_rpc").text(), HasSubstr(R"(lacks "jsonrpc": "2.0"): {"hello": "world"})"));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_THAT(error("babble").text(),
              HasSubstr("wrote more than 100 lines to its standard output that are not messages of the "
                        "protocol; the first: bla bla"));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 4U);
}

TEST_F(McpStdio, AMessageAboveTheCapCostsOneCall) {
  serve({}, 20s, 20s, 100'000);
  EXPECT_EQ(text("long", {{"bytes", 90'000}}).size(), 90'000U);
  EXPECT_THAT(error("long", {{"bytes", 100'000}}).text(),
              HasSubstr("node wrote a line of more than 100000 bytes"));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 2U);
}

TEST_F(McpStdio, ClosingTheOutputCostsOneCall) {
  serve();
  EXPECT_THAT(error("closes_output").text(), HasSubstr("closed its standard input or output but runs on"));
  EXPECT_EQ(text("echo"), "{}");
}

TEST_F(McpStdio, AComplaintWithoutAnIdFailsWhatWaits) {
  serve();
  EXPECT_THAT(error("complains").text(), HasSubstr("node complains: Parse error"));
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, ABannerIsForgivenAndNamedWhenACallFails) {
  serve({"--banner"}, 500ms);
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(text("mumbles"), "fine");
  EXPECT_THAT(error("never").text(),
              HasSubstr("it wrote 2 lines that are not messages, the first: Some server "
                        "1.2 is running on stdio"));
}

TEST_F(McpStdio, ASlowToolTimesOutAndTheServerStaysIfItAnswersAPing) {
  serve({}, 500ms);
  const std::string pid = text("pid");
  const Error late = error("never");
  EXPECT_EQ(late.kind, ErrorKind::timeout);
  EXPECT_EQ(late.text(), "MCP server rubbish, tool never: node did not answer within 500 ms");
  EXPECT_EQ(text("seen"), "notifications/initialized notifications/cancelled");
  EXPECT_EQ(text("pid"), pid);
  EXPECT_EQ(client->starts(), 1U);
}

TEST_F(McpStdio, AHangingServerIsStartedAgainByTheNextCall) {
  serve({}, 1s);
  const std::string pid = text("pid");
  const Error hung = error("deaf");
  EXPECT_EQ(hung.kind, ErrorKind::timeout);
  EXPECT_THAT(hung.text(),
              HasSubstr("did not answer within 1 s; its standard error ends with: thinking hard"));
  const std::string next = text("pid");  // after 1 s for the ping
  EXPECT_NE(next, pid);
  EXPECT_THAT(next, Not(HasSubstr("error")));
  EXPECT_EQ(client->starts(), 2U);
}

TEST_F(McpStdio, AGivenUpCallIsTakenBack) {
  serve();
  EXPECT_EQ(text("echo"), "{}");
  {
    auto given_up = client->call_tool("never", {});
    given_up.await_suspend(std::noop_coroutine()).resume();
    run_for(20ms);
  }
  EXPECT_EQ(text("seen"), "notifications/initialized notifications/cancelled");
}

TEST_F(McpStdio, TheCallThatStartedTheServerMayBeGivenUp) {
  serve();
  {
    auto given_up = client->call_tool("echo", {});
    given_up.await_suspend(std::noop_coroutine()).resume();
  }
  EXPECT_EQ(text("echo"), "{}");
  EXPECT_EQ(client->starts(), 1U);
}

struct McpSecrets : McpStdio {
  void serve_with_key(std::vector<std::string> flags = {}) {
    McpServer server{.name = "rubbish", .command = {"node", kServer}, .environment = {{"KEY", "${TOKEN}"}}};
    server.command.insert(server.command.end(), flags.begin(), flags.end());
    client = std::make_unique<McpClient>(loop, *http, std::move(server),
                                         [](std::string_view name) -> std::optional<std::string> {
                                           if (name == "TOKEN") return "s3cret-token";
                                           return std::nullopt;
                                         });
  }
};

TEST_F(McpSecrets, AreHiddenInWhatToolsSay) {
  serve_with_key();
  const JsonObject which{{"name", "KEY"}};
  EXPECT_EQ(text("repeats", which), "it is [hidden]");
  EXPECT_EQ(text("repeats_as_data", which), R"({"KEY":"[hidden]"})");
  const auto failed = call("repeats_and_fails", which);
  ASSERT_TRUE(failed);
  EXPECT_TRUE(failed->is_error);
  EXPECT_EQ(text_of(*failed), "refused: [hidden]");
}

TEST_F(McpSecrets, AreHiddenInErrors) {
  serve_with_key();
  const JsonObject which{{"name", "KEY"}};
  EXPECT_THAT(error("repeats_as_fault", which).text(),
              HasSubstr(R"(the server refused: refused: [hidden] ({"key":"[hidden]"}) (code -32000))"));
  EXPECT_THAT(error("repeats_and_crashes", which).text(),
              HasSubstr("its standard error ends with: refused: [hidden]"));
  EXPECT_THAT(error("repeats_as_rubbish", which).text(), HasSubstr(R"({"key": "[hidden]"})"));
}

TEST_F(McpSecrets, AreHiddenInTheListOfToolsButNoNameOfAnArgumentIs) {
  serve_with_key({"--leaky"});
  const auto tools = list();
  ASSERT_TRUE(tools) << tools.error().text();
  EXPECT_EQ(tools->front().name, "open");
  EXPECT_EQ(tools->front().description, "Opens with [hidden]");
  EXPECT_EQ(
      to_text(tools->front().input_schema),
      R"({"type":"object","properties":{"key":{"type":"string","default":"[hidden]"}},"required":["key"]})");
}

TEST_F(McpStdio, SaysWhyAServerDoesNotStart) {
  serve({"--die"});
  EXPECT_THAT(
      error("echo").text(),
      HasSubstr("node ended with exit code 3; its standard error ends with: cannot open the database"));
  serve({"--endless"});
  EXPECT_THAT(error("echo").text(), HasSubstr("wrote more than 100 lines"));
  serve({"--silent"}, 20s, 500ms);
  const Error silent = error("echo");
  EXPECT_EQ(silent.kind, ErrorKind::timeout);
  EXPECT_EQ(silent.text(),
            "MCP server rubbish, tool echo: node did not answer within 500 ms (step initialize)");
  client = std::make_unique<McpClient>(loop, *http, McpServer{.name = "x", .command = {"no-such-program"}},
                                       no_environment());
  EXPECT_EQ(error("echo").text(),
            "MCP server x, tool echo: cannot start no-such-program: no such program in PATH");
  client = std::make_unique<McpClient>(loop, *http, McpServer{.name = "x"}, no_environment());
  EXPECT_EQ(error("echo").kind, ErrorKind::config);
}

TEST_F(McpStdio, OneThatNeverStartsIsLeftAloneAfterThreeFailures) {
  serve({"--die"});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(error("echo").text(), HasSubstr("node ended with exit code 3"));
  EXPECT_EQ(client->starts(), 3U);
  EXPECT_THAT(error("echo").text(),
              HasSubstr("could not be started 3 times in a row and is left alone for 30 s: node ended"));
  EXPECT_EQ(client->starts(), 3U);
}

TEST_F(McpStdio, ListsWithoutAnEndOrWithDoublesAreErrors) {
  serve({"--circle"});
  EXPECT_THAT(list().error().text(), HasSubstr("comes back to a page"));
  serve({"--twice"});
  EXPECT_THAT(list().error().text(), HasSubstr("lists the tool a twice"));
  serve({"--no-tools"});
  EXPECT_EQ(list().error().text(), "MCP server rubbish: the server offers no tools");
}

TEST_F(McpStdio, ClosingWaitsForTheServerAndEndsEverything) {
  const std::string left = fmt::format("{}mcp_left_{}", testing::TempDir(), ::getpid());
  serve({"--left", left});
  EXPECT_EQ(text("echo"), "{}");
  loop.run_until_done(client->close());
  EXPECT_TRUE(std::filesystem::remove(left)) << "it left by itself";
  EXPECT_EQ(error("echo").kind, ErrorKind::cancelled);
  EXPECT_EQ(loop.load().watches, 0U);

  serve({"--stubborn"});
  EXPECT_EQ(text("echo"), "{}");
  loop.run_until_done(client->close());
  EXPECT_EQ(loop.load().watches, 0U);
}

TEST_F(McpStdio, ClosingWhileStartingFailsTheCallsThatWait) {
  serve({"--silent"});
  const auto outcome = loop.run_until_done([](McpClient& c) -> Task<ErrorKind> {
    auto [result, nothing] = co_await all(c.call_tool("echo", {}), c.close());
    co_return result ? ErrorKind::internal : result.error().kind;
  }(*client));
  EXPECT_EQ(outcome, ErrorKind::cancelled);
}

}  // namespace
}  // namespace assay
