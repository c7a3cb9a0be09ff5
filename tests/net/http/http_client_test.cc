// The client against our own server: what goes well, and the ways to ask for it.
#include "net/http/http_client.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

Result<HttpResponse> send(EventLoop& loop, HttpClient& client, HttpRequest request) {
  return loop.run_until_done(client.send(std::move(request)));
}

// Tells what it has received; the path decides about the rest.
void echo(const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
  std::string text = request.method + " " + request.path + "?" + request.query + "\n";
  for (const auto& [name, value] : request.headers) text += fmt::format("{}: {}\n", name, value);
  responder->send(200, {{"X-Reply", "yes"}}, text + "\n" + request.body);
}

struct HttpClientTest : testing::Test {
  EventLoop loop;
  HttpClient client{loop, {}};
  Result<HttpResponse> send(HttpRequest request) { return assay::send(loop, client, std::move(request)); }
};

TEST_F(HttpClientTest, Gets) {
  const auto server = start_server(echo);
  const auto reply = send({.url = url_of(*server, "/path?q=1"), .headers = {{"X-Given", "a b"}}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->http_version, "1.1");
  ASSERT_NE(reply->headers.find("x-reply"), nullptr);
  EXPECT_EQ(*reply->headers.find("x-reply"), "yes");
  EXPECT_THAT(reply->body, HasSubstr("GET /path?q=1\n"));
  EXPECT_THAT(reply->body, HasSubstr("X-Given: a b\n"));
  EXPECT_THAT(reply->body, HasSubstr("User-Agent: assay\n"));
  EXPECT_GT(reply->elapsed, 0ns);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_F(HttpClientTest, PostsExactlyWhatItIsGiven) {
  const auto server = start_server(echo);
  const std::string body("{\"a\":\"\0\"}", 9);
  const auto reply = send({.method = "POST",
                           .url = url_of(*server),
                           .headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}},
                           .body = body});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_THAT(reply->body, HasSubstr("Content-Type: application/json\n"));
  EXPECT_THAT(reply->body, HasSubstr("Content-Length: 9\n"));
  EXPECT_THAT(reply->body, HasSubstr("X-Empty: \n"));
  EXPECT_THAT(reply->body, Not(HasSubstr("Expect")));
  EXPECT_TRUE(reply->body.ends_with("\n\n" + body));
}

// One handle is used for all of them: nothing of a request may stay for the next.
TEST_F(HttpClientTest, KnowsEveryMethodAndMixesNone) {
  const auto server = start_server(echo);
  const std::string url = url_of(*server);
  const auto ask = [&](std::string method, std::string body) {
    const auto reply =
        send({.method = std::move(method), .url = url, .headers = {}, .body = std::move(body)});
    return reply ? reply->body : reply.error().message;
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(ask("PUT", "p"), AllOf(HasSubstr("PUT /"), HasSubstr("Content-Length: 1\n")));
    EXPECT_THAT(ask("GET", ""), AllOf(HasSubstr("GET /"), Not(HasSubstr("Content-Length"))));
    EXPECT_THAT(ask("POST", ""),
                AllOf(HasSubstr("POST /"), HasSubstr("Content-Length: 0\n"), Not(HasSubstr("Content-Type"))));
    EXPECT_THAT(ask("DELETE", ""), AllOf(HasSubstr("DELETE /"), Not(HasSubstr("Content-Length"))));
    EXPECT_EQ(ask("HEAD", ""), "");
    EXPECT_THAT(ask("PATCH", "xyz"), AllOf(HasSubstr("PATCH /"), testing::EndsWith("\n\nxyz")));
    EXPECT_THAT(ask("DELETE", "why"), AllOf(HasSubstr("DELETE /"), testing::EndsWith("\n\nwhy")));
    EXPECT_THAT(ask("OPTIONS", ""), HasSubstr("OPTIONS /"));
    EXPECT_THAT(ask("POST", "body"), AllOf(HasSubstr("POST /"), testing::EndsWith("\n\nbody")));
  }
  EXPECT_EQ(server->accepted(), 1U);
}

TEST_F(HttpClientTest, AnyStatusIsAResponse) {
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->send(std::stoi(request.path.substr(1)), {{"Location", "/elsewhere"}, {"Retry-After", "7"}},
                        "why");
      });
  for (const int status : {200, 201, 302, 400, 401, 404, 429, 500, 503, 529}) {
    const auto reply = send({.url = url_of(*server, fmt::format("/{}", status))});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(reply->body, "why");
    EXPECT_EQ(*reply->headers.find("RETRY-AFTER"), "7");
  }
  const auto empty = send({.url = url_of(*server, "/204")});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->body, "");
}

TEST_F(HttpClientTest, CarriesLargeBodiesBothWays) {
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->send(200, {}, request.body);
      });
  std::string body(12 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 131 >> 7);
  const auto reply = send({.method = "POST", .url = url_of(*server), .headers = {}, .body = body});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->body == body);
}

TEST_F(HttpClientTest, UsesOneConnectionForRequestsOneAfterTheOther) {
  const auto server = start_server(echo);
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(send({.method = "POST", .url = url_of(*server), .headers = {}, .body = "x"}));
  EXPECT_EQ(server->accepted(), 1U);
}

TEST_F(HttpClientTest, OpensNoMoreConnectionsThanRequestsAreInFlight) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->after(2ms, [responder] { responder->send(200, {}, "ok"); });
  });
  loop.run_until_done([](HttpClient& c, std::string url) -> Task<void> {
    std::vector<Task<void>> parts;
    parts.reserve(8);
    for (int i = 0; i < 8; ++i) {
      parts.push_back([](HttpClient& inner, std::string to) -> Task<void> {
        for (int n = 0; n < 20; ++n) {
          const auto reply = co_await inner.send({.url = to});
          EXPECT_TRUE(reply) << reply.error().message;
        }
      }(c, url));
    }
    co_await all(std::move(parts));
  }(client, url_of(*server)));
  EXPECT_LE(server->accepted(), 8U);
}

Task<int> count_good(HttpClient& client, std::string url, int requests) {
  std::vector<Task<Result<HttpResponse>>> parts;
  parts.reserve(static_cast<std::size_t>(requests));
  for (int i = 0; i < requests; ++i) {
    parts.push_back(client.send(
        {.method = "POST", .url = fmt::format("{}{}", url, i), .headers = {}, .body = std::to_string(i)}));
  }
  const auto replies = co_await all(std::move(parts));
  int good = 0;
  for (int i = 0; i < requests; ++i) {
    const auto& reply = replies[static_cast<std::size_t>(i)];
    EXPECT_TRUE(reply) << reply.error().message;
    if (reply && reply->body == fmt::format("/{} {}", i, i)) ++good;
  }
  co_return good;
}

TEST_F(HttpClientTest, HasAThousandRequestsInFlight) {
  // Nobody is answered before all of them are there.
  std::mutex mutex;
  std::vector<std::pair<std::shared_ptr<Responder>, std::string>> waiting;
  const auto server =
      start_server([&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        const std::lock_guard lock(mutex);
        waiting.emplace_back(responder, request.path + " " + request.body);
        if (waiting.size() < 1000) return;
        for (const auto& [one, text] : std::exchange(waiting, {})) one->send(200, {}, text);
      });
  EXPECT_EQ(loop.run_until_done(count_good(client, url_of(*server), 1000)), 1000);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_F(HttpClientTest, KeepsToItsLimitOfConnections) {
  HttpClient limited(loop, {.max_connections = 5});
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->send(200, {}, request.path + " " + request.body);
      });
  EXPECT_EQ(loop.run_until_done(count_good(limited, url_of(*server), 100)), 100);
  EXPECT_LE(server->accepted(), 5U);
}

TEST_F(HttpClientTest, StreamsTheBodyOfAGoodReply) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("one,");
    responder->after(10ms, [responder] {
      responder->write("two");
      responder->end_stream();
    });
  });
  std::vector<std::string> chunks;
  HttpRequest request{.url = url_of(*server)};
  request.on_data = [&](std::string_view chunk) {
    chunks.emplace_back(chunk);
    return true;
  };
  const auto reply = send(std::move(request));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(chunks, (std::vector<std::string>{"one,", "two"}));
  EXPECT_EQ(reply->body, "");
}

TEST_F(HttpClientTest, CollectsTheBodyOfABadReplyEvenIfAskedToStream) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(429, {}, "slow down");
  });
  HttpRequest request{.url = url_of(*server)};
  request.on_data = [](std::string_view) {
    ADD_FAILURE();
    return true;
  };
  const auto reply = send(std::move(request));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "slow down");
}

TEST_F(HttpClientTest, AStreamMayBeEndedEarly) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("enough");  // and never ends
  });
  HttpRequest request{.url = url_of(*server)};
  int calls = 0;
  request.on_data = [&](std::string_view) {
    ++calls;
    return false;
  };
  const auto reply = send(std::move(request));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(calls, 1);
}

TEST_F(HttpClientTest, AStreamThatIsCompleteByItsOwnWordEndsWell) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("all of it");  // and never ends
  });
  HttpRequest request{.url = url_of(*server), .idle_timeout = 30s};
  std::string got;
  request.on_data = [&](std::string_view data) {
    got += data;
    return true;
  };
  request.is_complete = [&] { return got == "all of it"; };
  const auto reply = send(std::move(request));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(got, "all of it");
}

TEST_F(HttpClientTest, RepliesThatArriveTogetherHoldNoMoreThanTheirBound) {
  constexpr std::size_t kReply = std::size_t{2} << 20;
  constexpr std::size_t kBound = std::size_t{3} << 20;
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {}, std::string(kReply, 'x'));
  });
  HttpClient bounded{loop, {.max_arriving = kBound}};
  int whole = 0;
  for (int i = 0; i < 12; ++i) {
    loop.spawn([](HttpClient& own, std::string url, int& count) -> Task<void> {
      const auto reply = co_await own.send({.url = std::move(url)});
      if (reply && reply->body.size() == kReply) ++count;
    }(bounded, url_of(*server), whole));
  }
  loop.run_until_done([](EventLoop& own, const int& count) -> Task<void> {
    while (count < 12) co_await own.sleep(1ms);
  }(loop, whole));
  EXPECT_EQ(whole, 12);
  EXPECT_GE(bounded.most_arriving(), kReply);
  EXPECT_LE(bounded.most_arriving(), kBound + kReply + 12 * (std::size_t{16} << 10));
}

TEST_F(HttpClientTest, UnpacksCompressedReplies) {
  // printf hello | gzip -n, as bytes.
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00",
      25);
  const auto server =
      start_server([&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        EXPECT_THAT(*request.headers.find("Accept-Encoding"), HasSubstr("gzip"));
        responder->send(200, {{"Content-Encoding", "gzip"}}, packed);
      });
  const auto reply = send({.url = url_of(*server)});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "hello");
}

TEST_F(HttpClientTest, GoesThroughAProxyIfTold) {
  const auto proxy =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->send(200, {}, "proxied " + *request.headers.find("Host") + request.path);
      });
  HttpClient proxied(loop, {.proxy = url_of(*proxy, "")});
  const auto reply = assay::send(loop, proxied, {.url = "http://far-away.invalid/x"});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "proxied far-away.invalid/x");
}

TEST_F(HttpClientTest, ReadsABodyThatEndsWithTheConnection) {
  const RawServer server([](RawSocket socket) {
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  });
  const auto reply = send({.url = server.url()});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "until the end");
}

TEST_F(HttpClientTest, SkipsInterimReplies) {
  const RawServer server([](RawSocket socket) {
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto reply = send({.url = server.url()});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->headers.find("Link"), nullptr);
}

TEST_F(HttpClientTest, KeepsTheLastValueOfAHeaderThatComesTwice) {
  const Headers headers{{"A", "1"}, {"b", "2"}, {"a", "3"}};
  EXPECT_EQ(*headers.find("A"), "3");
  EXPECT_EQ(headers.find("c"), nullptr);
}

TEST_F(HttpClientTest, OpensItsSocketsSoThatChildrenDoNotInheritThem) {
  const auto server = start_server(echo);
  ASSERT_TRUE(send({.url = url_of(*server)}));
  int sockets = 0;
  for (int fd = 3; fd < 200; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
        ntohs(peer.sin_port) != server->port())
      continue;
    ++sockets;
    EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_EQ(sockets, 1);
}

}  // namespace
}  // namespace assay
