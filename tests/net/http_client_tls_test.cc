// TLS with a private CA, made and served by the openssl program; HTTP/2 by node, where it is installed.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "net/http/http_client.h"
#include "net/process/subprocess.h"
#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A program that runs beside the test and is killed at its end.
class Background {
 public:
  explicit Background(std::vector<std::string> argv, const std::string& log) {
    std::vector<char*> pointers;
    for (auto& argument : argv) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    EXPECT_EQ(::posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = RawSocket::loopback(0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

bool answers(std::uint16_t port) {
  for (int i = 0; i < 1000; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = RawSocket::loopback(port);
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (connected) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

class HttpClientTls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory() = testing::TempDir() + fmt::format("assay-tls-{}", ::getpid());
    std::filesystem::create_directories(directory());
    EventLoop loop;
    const auto made = loop.run_until_done(run_process(
        loop, {.argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key(), "-out", certificate(),
                        "-days", "2", "-subj", "/CN=assay test", "-addext", "subjectAltName=IP:127.0.0.1"}}));
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->exit_code, 0) << made->error_output;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(directory()); }
  static std::string& directory() {
    static std::string path;
    return path;
  }
  static std::string key() { return directory() + "/key.pem"; }
  static std::string certificate() { return directory() + "/cert.pem"; }

  // Its page shows the state of the TLS connection.
  std::unique_ptr<Background> serve() {
    port = free_port();
    auto server = std::make_unique<Background>(
        std::vector<std::string>{"openssl", "s_server", "-www", "-quiet", "-accept",
                                 fmt::format("127.0.0.1:{}", port), "-cert", certificate(), "-key", key()},
        directory() + "/server.log");
    EXPECT_TRUE(answers(port));
    return server;
  }
  Result<HttpResponse> get(HttpClientOptions options, std::string_view host = "127.0.0.1") {
    HttpClient client(loop, std::move(options));
    return loop.run_until_done(
        client.send({.url = fmt::format("https://{}:{}/", host, port), .total_timeout = 10s}));
  }

  EventLoop loop;
  std::uint16_t port = 0;
};

TEST_F(HttpClientTls, TrustsAPrivateCaThatItIsGiven) {
  const auto server = serve();
  const auto reply = get({.ca_file = certificate()});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(reply->body, HasSubstr("TLSv1.3"));
}

TEST_F(HttpClientTls, TrustsWhatTheEnvironmentNames) {
  const auto server = serve();
  for (const auto* variable : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    ::setenv(variable, certificate().c_str(), 1);
    const auto reply = get({});
    ::unsetenv(variable);
    EXPECT_TRUE(reply) << variable << ": " << reply.error().message;
  }
}

TEST_F(HttpClientTls, RefusesAnUnknownCaAndSaysWhatToDo) {
  const auto server = serve();
  const auto reply = get({});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::tls);
  EXPECT_THAT(reply.error().message,
              HasSubstr(fmt::format("the certificate of https://127.0.0.1:{} is not trusted", port)));
  EXPECT_THAT(reply.error().message, HasSubstr("ca_file"));
  EXPECT_THAT(reply.error().message, HasSubstr("SSL_CERT_FILE"));
}

TEST_F(HttpClientTls, RefusesACertificateForAnotherHost) {
  const auto server = serve();
  const auto reply = get({.ca_file = certificate()}, "localhost");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::tls);
}

TEST_F(HttpClientTls, NamesAServerThatDoesNotSpeakTls) {
  const auto plain = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {}, "");
  });
  port = plain->port();
  const auto reply = get({.ca_file = certificate()});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::tls);
  EXPECT_THAT(reply.error().message, HasSubstr("does not speak TLS"));
}

TEST_F(HttpClientTls, AConnectionLostInTheHandshakeIsANetworkError) {
  const RawServer server([](RawSocket socket) { socket.read_until("\x16", 1000ms); });
  HttpClient client(loop, {});
  auto url = server.url();
  const auto reply = loop.run_until_done(client.send({.url = url.replace(0, 4, "https")}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::network) << reply.error().message;
}

TEST_F(HttpClientTls, NamesACaFileThatHoldsNoCertificate) {
  const std::string path = directory() + "/empty.pem";
  std::ofstream(path) << "nothing\n";
  const auto reply = get({.ca_file = path});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::tls);
  EXPECT_THAT(reply.error().message, HasSubstr(path));
}

constexpr std::string_view kNodeServer = R"(
const http2 = require('http2'), fs = require('fs');
let sessions = 0;
const server = http2.createSecureServer({key: fs.readFileSync(process.argv[2]), cert: fs.readFileSync(process.argv[3])});
server.on('session', () => sessions++);
server.on('stream', (stream) => {
  stream.resume();
  stream.on('end', () => setTimeout(() => { stream.respond({':status': 200}); stream.end(String(sessions)); }, 20));
});
server.listen(Number(process.argv[4]), '127.0.0.1');
)";

TEST_F(HttpClientTls, SharesOneConnectionByHttp2) {
  ASSERT_EQ(std::system("node --version >/dev/null 2>&1"), 0)
      << "node is not installed; ./dev test installs it";
  const std::string script = directory() + "/server.js";
  std::ofstream(script) << kNodeServer;
  port = free_port();
  const Background server({"node", script, key(), certificate(), std::to_string(port)},
                          directory() + "/node.log");
  ASSERT_TRUE(answers(port));
  HttpClient client(loop, {.ca_file = certificate()});
  const auto replies =
      loop.run_until_done([](HttpClient& c, std::string url) -> Task<std::vector<Result<HttpResponse>>> {
        std::vector<Task<Result<HttpResponse>>> parts;
        for (int i = 0; i < 60; ++i)
          parts.push_back(c.send({.method = "POST", .url = url, .headers = {}, .body = "x"}));
        co_return co_await all(std::move(parts));
      }(client, fmt::format("https://127.0.0.1:{}/", port)));
  for (const auto& reply : replies) {
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->http_version, "2");
    EXPECT_EQ(reply->body, "1");
  }
}

}  // namespace
}  // namespace assay
