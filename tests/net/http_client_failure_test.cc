// The client when things go wrong: each failure has its kind and a message that helps and holds no secret.
#include <atomic>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_client.h"
#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct HttpClientFailure : testing::Test {
  EventLoop loop;
  HttpClient client{loop, {}};

  Error failure(HttpRequest request) {
    auto reply = loop.run_until_done(client.send(std::move(request)));
    if (reply) {
      ADD_FAILURE() << "a reply came: " << reply->status;
      return {};
    }
    EXPECT_EQ(client.in_flight(), 0U);
    return reply.error();
  }
};

std::string origin_of(const HttpServer& server) {
  return fmt::format("http://127.0.0.1:{}", server.port());
}

void never_answer(const ServerRequest&, const std::shared_ptr<Responder>& responder) {
  responder->after(1h, [responder] {});
}

TEST_F(HttpClientFailure, ARefusedConnectionIsNamedAsSuch) {
  std::string url;
  {
    const auto server = start_server(never_answer);
    url = url_of(*server, "/secret-path?key=secret");
  }  // nobody listens there any more
  const Error error = failure({.url = url});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("connection refused by http://127.0.0.1:"));
  EXPECT_THAT(error.message, Not(HasSubstr("secret")));
}

TEST_F(HttpClientFailure, AnUnknownHostIsNamedAsSuch) {
  // A label above 63 characters cannot exist, so no server needs to be asked.
  const std::string host = std::string(70, 'a') + ".invalid";
  const Error error = failure(
      {.url = "http://user:secret@" + host + "/secret", .headers = {{"Authorization", "Bearer secret"}}});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("cannot resolve host " + host));
  EXPECT_THAT(error.message, Not(HasSubstr("secret")));
}

TEST_F(HttpClientFailure, ABadUrlIsRejected) {
  for (const auto* url : {"", "localhost:80/x", "ftp://host/", "file:///etc/passwd", "http://", "http:///x",
                          "http://host:99999/", "http://host:x/", "http://ho st/", "http://host/a b",
                          "http://host/a\r\nX: y", "http://host/\x7f", "https//x"}) {
    const Error error = failure({.url = url});
    EXPECT_EQ(error.kind, ErrorKind::rejected) << url << ": " << error.message;
  }
  EXPECT_EQ(failure({.url = std::string("http://host/\0x", 14)}).kind, ErrorKind::rejected);
}

TEST_F(HttpClientFailure, LineBreaksCannotSmuggleHeaders) {
  std::atomic<int> requests = 0;
  const auto server = start_server([&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    ++requests;
    responder->send(200, {}, "");
  });
  const std::string url = url_of(*server);
  for (const auto& headers :
       {Headers{{"X", "a\r\nEvil: b"}}, Headers{{"X", "a\nEvil: b"}}, Headers{{"X\r\nEvil", "b"}},
        Headers{{"X: a\r\nEvil", "b"}}, Headers{{"", "b"}}, Headers{{"X Y", "b"}},
        Headers{{"Authorization", std::string("Bearer secret\n")}}, Headers{{"X", std::string("a\0b", 3)}}}) {
    const Error error = failure({.url = url, .headers = headers});
    EXPECT_EQ(error.kind, ErrorKind::rejected);
    EXPECT_THAT(error.message, Not(HasSubstr("secret")));
  }
  for (const auto* method : {"", "GET /x HTTP/1.1\r\nX: y\r\n\r\nGET", "G T"}) {
    EXPECT_EQ(failure({.method = method, .url = url}).kind, ErrorKind::rejected);
  }
  EXPECT_EQ(requests, 0);
}

TEST_F(HttpClientFailure, TheTotalTimeoutEndsARequestThatTakesTooLong) {
  // Bytes keep coming, so it is not idle.
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    for (int i = 0; i < 1000; ++i) responder->after(i * 10ms, [responder] { responder->write("x"); });
  });
  const auto start = Clock::now();
  const Error error = failure({.url = url_of(*server), .idle_timeout = 5s, .total_timeout = 200ms});
  EXPECT_EQ(error.kind, ErrorKind::timeout);
  EXPECT_EQ(error.message, "no complete reply from " + origin_of(*server) + " after 200 ms (total timeout)");
  EXPECT_GE(Clock::now() - start, 200ms);
}

TEST_F(HttpClientFailure, TheIdleTimeoutEndsARequestThatHasGoneSilent) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("then nothing");
    responder->after(1h, [responder] {});
  });
  const auto start = Clock::now();
  const Error error = failure({.url = url_of(*server), .idle_timeout = 120ms, .total_timeout = 1h});
  EXPECT_EQ(error.kind, ErrorKind::timeout);
  EXPECT_EQ(error.message, origin_of(*server) + " was silent for 120 ms (idle timeout)");
  EXPECT_GE(Clock::now() - start, 120ms);
}

TEST_F(HttpClientFailure, TheIdleTimeoutLeavesASlowButSteadyReplyAlone) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    for (int i = 1; i <= 20; ++i) {
      responder->after(i * 20ms, [responder, i] {
        responder->write("x");
        if (i == 20) responder->end_stream();
      });
    }
  });
  const auto reply = loop.run_until_done(client.send({.url = url_of(*server), .idle_timeout = 150ms}));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body.size(), 20U);
  EXPECT_GE(reply->elapsed, 400ms);
}

// libcurl hands the whole body to the kernel without asking us: sending must count as activity all the same.
TEST_F(HttpClientFailure, TheIdleTimeoutLeavesASlowUploadAlone) {
  const RawServer server([](RawSocket socket) {
    char buffer[256 << 10];
    for (int i = 0; i < 60; ++i) {
      std::this_thread::sleep_for(10ms);
      ::recv(socket.fd(), buffer, sizeof buffer, 0);
    }
    std::size_t left = 0;
    while (left < (64U << 20)) {
      pollfd waiting{.fd = socket.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 100) <= 0) break;
      const auto n = ::recv(socket.fd(), buffer, sizeof buffer, 0);
      if (n <= 0) break;
      left += static_cast<std::size_t>(n);
    }
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  const auto reply = loop.run_until_done(client.send({.method = "POST",
                                                      .url = server.url(),
                                                      .headers = {},
                                                      .body = std::string(16 << 20, 'x'),
                                                      .idle_timeout = 250ms}));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_GE(reply->elapsed, 400ms);
}

TEST_F(HttpClientFailure, TheConnectTimeoutEndsAConnectionThatIsNotAccepted) {
  // A queue of length 0 that is full: the kernel drops further attempts.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = RawSocket::loopback(0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 0), 0);
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const auto fill = RawSocket::connect(ntohs(address.sin_port));
  const Error error = failure(
      {.url = fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port)), .connect_timeout = 100ms});
  EXPECT_EQ(error.kind, ErrorKind::timeout);
  EXPECT_THAT(error.message, HasSubstr("no connection after 100 ms (connect timeout)"));
  ::close(listener);
}

TEST_F(HttpClientFailure, ATimeoutOfZeroIsOverAtOnce) {
  const auto server = start_server(never_answer);
  EXPECT_EQ(failure({.url = url_of(*server), .total_timeout = 0s}).kind, ErrorKind::timeout);
  EXPECT_EQ(failure({.url = url_of(*server), .total_timeout = -1s}).kind, ErrorKind::timeout);
}

TEST_F(HttpClientFailure, ADroppedConnectionIsANetworkError) {
  const auto server = start_server(
      [](const ServerRequest&, const std::shared_ptr<Responder>& responder) { responder->drop(); });
  const Error error = failure({.method = "POST", .url = url_of(*server), .headers = {}, .body = "x"});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_EQ(error.message, "the connection to " + origin_of(*server) +
                               " broke before a reply came (Connection reset by peer)");
}

TEST_F(HttpClientFailure, AConnectionClosedWithoutAReplyIsANetworkError) {
  const RawServer server([](RawSocket socket) { socket.read_until("\r\n\r\n"); });
  const Error error = failure({.url = server.url()});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("closed the connection without a reply"));
}

TEST_F(HttpClientFailure, ATruncatedReplyIsANetworkErrorAndNoShortBody) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send_truncated(200, {}, "half", 8);
  });
  const Error error = failure({.url = url_of(*server)});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_EQ(error.message,
            origin_of(*server) + " closed the connection in the middle of its reply, after 4 bytes");
}

TEST_F(HttpClientFailure, AStreamThatBreaksOffIsANetworkError) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("some");  // let go without an end
  });
  const Error error = failure({.url = url_of(*server)});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("in the middle of its reply"));
}

TEST_F(HttpClientFailure, AReplyThatIsNotHttpIsANetworkError) {
  const RawServer server([](RawSocket socket) {
    socket.read_until("\r\n\r\n");
    socket.send("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n");
  });
  const Error error = failure({.url = server.url()});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("did not answer in HTTP"));
}

TEST_F(HttpClientFailure, DamagedCompressionIsANetworkError) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {{"Content-Encoding", "gzip"}}, "this is not gzip at all");
  });
  const Error error = failure({.url = url_of(*server)});
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_THAT(error.message, HasSubstr("cannot be decompressed"));
}

TEST_F(HttpClientFailure, ATooLongReplyIsRejectedAndNotKept) {
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        if (request.path == "/chunked") {
          responder->begin_stream(200, {});
          for (int i = 0; i < 1001; ++i) responder->write("x");
          responder->end_stream();
        } else {
          responder->send(200, {}, std::string(1001, 'x'));
        }
      });
  for (const auto* path : {"/", "/chunked"}) {
    const Error error = failure({.url = url_of(*server, path), .max_body = 1000});
    EXPECT_EQ(error.kind, ErrorKind::rejected);
    EXPECT_EQ(error.message,
              "the reply of " + origin_of(*server) + " is longer than the limit of 1000 bytes");
    const auto reply = loop.run_until_done(client.send({.url = url_of(*server, path), .max_body = 1001}));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body.size(), 1001U);
  }
}

// libcurl would send a request again by itself when a kept connection dies under it. The server may have seen
// the first, and may have been paid for it.
TEST_F(HttpClientFailure, ARequestIsNeverSentTwice) {
  std::atomic<int> requests = 0;
  const auto server =
      start_server([&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        ++requests;
        if (request.path == "/die") {
          responder->send(200, {{"Connection", "close"}}, "");
        } else if (request.path == "/good") {
          responder->send(200, {}, "");
        }  // else: let go, which closes without a word
      });
  for (const auto* method : {"POST", "GET"}) {
    ASSERT_TRUE(loop.run_until_done(client.send({.url = url_of(*server, "/good")})));
    requests = 0;
    const auto accepted = server->accepted();
    const Error error = failure(
        {.method = method, .url = url_of(*server, "/bad"), .headers = {}, .body = *method == 'P' ? "x" : ""});
    EXPECT_EQ(error.kind, ErrorKind::network);
    EXPECT_THAT(error.message, HasSubstr("closed a kept connection without a reply"));
    EXPECT_EQ(requests, 1);
    EXPECT_LE(server->accepted(), accepted + 1);
  }
}

TEST_F(HttpClientFailure, AConnectionThatTheServerHasClosedMeanwhileIsReplacedSilently) {
  const auto server =
      start_server([](const ServerRequest&,
                      const std::shared_ptr<Responder>& responder) { responder->send(200, {}, "ok"); },
                   {.header_timeout = 10s, .keep_alive_timeout = 20ms});
  for (int i = 0; i < 3; ++i) {
    const auto reply = loop.run_until_done(
        client.send({.method = "POST", .url = url_of(*server), .headers = {}, .body = "x"}));
    ASSERT_TRUE(reply) << reply.error().message;
    for (int wait = 0; wait < 500 && server->connections() > 0; ++wait) {
      loop.run_until_done([](EventLoop& l) -> Task<void> { co_await l.sleep(2ms); }(loop));
    }
  }
  EXPECT_EQ(server->accepted(), 3U);
}

TEST_F(HttpClientFailure, AProxyThatRefusesATunnelIsNamed) {
  const auto proxy =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        EXPECT_EQ(request.method, "CONNECT");
        responder->send(request.path.starts_with("closed") ? 403 : 407, {}, "");
      });
  HttpClient proxied(loop, {.proxy = fmt::format("http://user:secret@127.0.0.1:{}", proxy->port())});
  const auto locked = loop.run_until_done(proxied.send({.url = "https://locked.invalid/"}));
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::auth);
  EXPECT_EQ(locked.error().message,
            "the proxy did not connect us to https://locked.invalid:443: it wants a user name and password");
  const auto closed = loop.run_until_done(proxied.send({.url = "https://closed.invalid/"}));
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::network);
  EXPECT_THAT(closed.error().message, AllOf(HasSubstr("403"), Not(HasSubstr("secret"))));
}

TEST_F(HttpClientFailure, AnUnreadableCaFileIsNamed) {
  HttpClient other(loop, {.ca_file = "/nonexistent/ca.pem"});
  const auto reply = loop.run_until_done(other.send({.url = "https://127.0.0.1:1/"}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::tls);
  EXPECT_THAT(reply.error().message, AllOf(HasSubstr("ca_file"), HasSubstr("/nonexistent/ca.pem")));
}

}  // namespace
}  // namespace assay
