// Tools of every kind through the one door that the engine uses.
#include "tools/toolbox.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/http/http_server.h"
#include "tools/tool_config.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kServer = std::string(ASSAY_SOURCE_DIR) + "/tests/tools/mcp_server.mjs";

struct ToolboxTest : testing::Test {
  EventLoop loop;
  HttpClient http{loop, HttpClientOptions{}};
  Toolbox tools{loop, http, process_environment()};

  static std::shared_ptr<const ToolSpec> tool(JsonObject declaration) {
    declaration["name"] = "t";
    return make_tool(declaration).value();
  }
  static std::shared_ptr<const ToolSpec> script(const std::string& text) {
    return tool({{"kind", "command"}, {"command", JsonArray{"sh", "-c", text}}});
  }
  Result<Json> use(std::shared_ptr<const ToolSpec> with, JsonObject arguments = {}, std::string name = "t") {
    return loop.run_until_done(tools.use({std::move(with), std::move(name), std::move(arguments)}));
  }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
};

TEST_F(ToolboxTest, GivesTheArgumentsToTheProgramAndItsJsonToTheModel) {
  EXPECT_EQ(to_text(use(script("cat"), {{"a", 1}}).value()), R"({"a":1})");
}

TEST_F(ToolboxTest, RunsPythonUnderTheLimitsOfItsDeclaration) {
  const auto python = tool({{"kind", "python"}, {"sandbox", "none"}, {"memory_mb", 512}, {"cpu", "1500ms"}});
  const auto result = use(python, {{"pythonCode",
                                    "import resource as r\n"
                                    "print(r.getrlimit(r.RLIMIT_AS)[0], r.getrlimit(r.RLIMIT_CPU)[0])"}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(text_at(*result, "stdout"), fmt::format("{} 2\n", 512 << 20)) << "CPU time is in whole seconds";
}

TEST_F(ToolboxTest, AResultAboveTheCapIsAnErrorThatSaysWhatToDo) {
  const auto large = use(script("printf '\"'; head -c 1100000 /dev/zero | tr '\\0' x; printf '\"'"));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message,
            "the result has 1100002 bytes, and at most 1048576 are given; ask for less");
}

TEST_F(ToolboxTest, EachSessionHasAServerOfItsOwnUnlessItIsShared) {
  JsonObject declaration{{"kind", "mcp"}, {"command", JsonArray{"node", kServer}}};
  const auto pid = [&](const std::shared_ptr<ToolSession>& session) {
    return to_text(loop.run_until_done(tools.use({tool(declaration), "pid", {}, session})).value());
  };
  const auto one = std::make_shared<ToolSession>();
  const auto other = std::make_shared<ToolSession>();
  const std::string first = pid(one);
  EXPECT_EQ(pid(one), first);
  EXPECT_NE(pid(other), first);
  EXPECT_TRUE(has_own_process(*tool(declaration)));
  loop.run_until_done(one->close());
  EXPECT_NE(::kill(std::stoi(first.substr(1)), 0), 0) << "it is gone with its session";
  declaration["shared"] = true;
  EXPECT_EQ(pid(one), pid(other));
  EXPECT_FALSE(has_own_process(*tool(declaration)));
}

// It is kept inside a conversation inside a run's file, which must be read again.
TEST_F(ToolboxTest, AResultThatIsNestedTooDeeplyIsAnError) {
  const auto nested = [](int levels) {
    return fmt::format("printf '{}{}'", std::string(static_cast<std::size_t>(levels), '['),
                       std::string(static_cast<std::size_t>(levels), ']'));
  };
  EXPECT_TRUE(use(script(nested(64))));
  for (const int levels : {65, 100, 124, 127, 128, 1000}) {
    const auto result = use(script(nested(levels)));
    ASSERT_FALSE(result.has_value()) << levels;
    EXPECT_EQ(result.error().kind, ErrorKind::target) << levels;
  }
}

TEST_F(ToolboxTest, OneServerServesAllUsesOfADeclaration) {
  const JsonObject declaration{{"kind", "mcp"}, {"command", JsonArray{"node", kServer}}};
  const auto pid = [&](JsonObject with) { return to_text(use(tool(std::move(with)), {}, "pid").value()); };
  const std::string first = pid(declaration);
  EXPECT_EQ(pid(declaration), first);
  JsonObject patient = declaration;
  patient["timeout"] = "90s";
  EXPECT_NE(pid(patient), first) << "a server waits as its declaration says";
}

TEST_F(ToolboxTest, ListsTheToolsThatADeclarationOffers) {
  JsonObject declaration{{"kind", "mcp"}, {"command", JsonArray{"node", kServer}}, {"only", "echo"}};
  const auto list = loop.run_until_done(tools.list(tool(declaration)));
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(
      to_text(*list),
      R"([{"name":"echo","description":"Gives back its arguments","inputSchema":{"type":"object","properties":{}}}])");
  declaration["only"] = "ehco";
  EXPECT_THAT(loop.run_until_done(tools.list(tool(declaration))).error().text(),
              HasSubstr("the server has no tool ehco; it has echo, crash, hang, bare"));
  EXPECT_EQ(loop.run_until_done(tools.list(script("true"))).error().kind, ErrorKind::internal);
}

// Begins a use that would never end, drops it when it is under way, and says whether it has left nothing.
struct DroppedUse : ToolboxTest {
  void begin_and_drop(std::shared_ptr<const ToolSpec> with, JsonObject arguments,
                      const std::function<bool()>& under_way, std::string name = "t") {
    Task<Result<Json>> dropped = tools.use({std::move(with), std::move(name), std::move(arguments)});
    dropped.await_suspend(std::noop_coroutine()).resume();
    for (int i = 0; i < 2000 && !under_way(); ++i) run_for(5ms);
    ASSERT_TRUE(under_way());
  }
};

TEST_F(DroppedUse, EndsTheProgramOfACommand) {
  const std::string note = testing::TempDir() + fmt::format("/dropped-{}", ::getpid());
  const auto written = [&] { return std::filesystem::exists(note) && std::filesystem::file_size(note) > 0; };
  begin_and_drop(script(fmt::format("echo $$ > {}; exec sleep 600", note)), {}, written);
  pid_t program = 0;
  std::ifstream(note) >> program;
  std::filesystem::remove(note);
  ASSERT_GT(program, 0);
  for (int i = 0; i < 1000 && ::kill(program, 0) == 0; ++i) run_for(5ms);
  EXPECT_NE(::kill(program, 0), 0);
}

TEST_F(DroppedUse, EndsAPythonProgramAndTakesItsDirectoryAway) {
  const std::string note = testing::TempDir() + fmt::format("/dropped-python-{}", ::getpid());
  const auto written = [&] { return std::filesystem::exists(note) && std::filesystem::file_size(note) > 0; };
  begin_and_drop(
      tool({{"kind", "python"}, {"sandbox", "none"}}),
      {{"pythonCode",
        fmt::format("import os, time\nopen('{}', 'w').write(os.getcwd())\ntime.sleep(600)", note)}},
      written);
  std::string directory;
  std::getline(std::ifstream(note), directory);
  std::filesystem::remove(note);
  ASSERT_FALSE(directory.empty());
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(DroppedUse, LetsTheConnectionToAServiceGo) {
  std::atomic<int> asked = 0;
  std::mutex mutex;
  std::vector<std::shared_ptr<Responder>> held;
  auto server = HttpServer::start({}, [&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    const std::scoped_lock lock(mutex);
    held.push_back(responder);
    ++asked;
  });
  ASSERT_TRUE(server) << server.error().text();
  const std::string url = fmt::format("http://127.0.0.1:{}/", (*server)->port());
  begin_and_drop(tool({{"kind", "http"}, {"url", url}}), {}, [&] { return asked == 1; });
  {
    const std::scoped_lock lock(mutex);
    held.front()->send(200, {}, "{}");  // too late for anybody
  }
  run_for(20ms);
}

TEST_F(DroppedUse, TakesACallOfAServerBack) {
  const auto server = tool({{"kind", "mcp"}, {"command", JsonArray{"node", kServer}}});
  ASSERT_TRUE(use(server, {}, "pid"));
  begin_and_drop(server, {}, [] { return true; }, "never");
  EXPECT_EQ(to_text(use(server, {}, "seen").value()),
            R"("notifications/initialized notifications/cancelled")");
}

}  // namespace
}  // namespace assay
