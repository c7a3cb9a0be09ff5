#include "net/http/http_server.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/assert.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

// Answers with what it has understood of the request.
void echo(const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
  responder->send(200, {{"X-Path", request.path}, {"X-Query", request.query}},
                  request.method + " " + request.path + " " + request.body);
}

std::string talk(const HttpServer& server, std::string_view text, std::string_view until) {
  const auto socket = RawSocket::connect(server.port());
  socket.send(text);
  return socket.read_until(until);
}

TEST(HttpServer, AnswersARequest) {
  const auto server = start_server(echo);
  const auto reply =
      talk(*server, "POST /a%20b?c=%20d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", "body");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(reply, HasSubstr("X-Query: c=%20d\r\n"));
  EXPECT_THAT(reply, HasSubstr("Content-Length: 14\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nPOST /a b body"));
}

TEST(HttpServer, KeepsAConnectionForTheNextRequest) {
  const auto server = start_server(echo);
  const auto socket = RawSocket::connect(server->port());
  for (int i = 0; i < 3; ++i) {
    socket.send(fmt::format("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", i));
    EXPECT_THAT(socket.read_until(fmt::format("GET /{} ", i)), Not(HasSubstr("[")));
  }
  EXPECT_EQ(server->accepted(), 1U);
  EXPECT_EQ(server->connections(), 1U);
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  // The first answer takes longer than the second would.
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->after(request.path == "/1" ? 30ms : 0ms, [responder, path = request.path] {
          responder->send(200, {}, "answer " + path + ";");
        });
      });
  const auto reply = talk(*server,
                          "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n"
                          "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n",
                          "/3;");
  EXPECT_LT(reply.find("answer /1;"), reply.find("answer /2;"));
  EXPECT_LT(reply.find("answer /2;"), reply.find("answer /3;"));
}

TEST(HttpServer, TakesARequestByteByByte) {
  const auto server = start_server(echo);
  const auto socket = RawSocket::connect(server->port());
  for (const char c : std::string("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                                  "chunked\r\n\r\n3\r\nabc\r\n2;e=1\r\nde\r\n0\r\n\r\n")) {
    socket.send({&c, 1});
  }
  EXPECT_THAT(socket.read_until("abcde"), EndsWith("POST /x abcde"));
}

TEST(HttpServer, ClosesAfterAnHttp10Request) {
  const auto server = start_server(echo);
  const auto reply = talk(*server, "GET / HTTP/1.0\r\n\r\n", "");
  EXPECT_THAT(reply, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(reply, EndsWith("GET / [end]"));
}

TEST(HttpServer, KeepsAnHttp10ConnectionIfAsked) {
  const auto server = start_server(echo);
  const auto socket = RawSocket::connect(server->port());
  for (int i = 0; i < 2; ++i) {
    socket.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(socket.read_until("GET / "), HasSubstr("Connection: keep-alive\r\n"));
  }
}

TEST(HttpServer, SendsOnlyTheHeadToHead) {
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        if (request.path == "/stream") {
          responder->begin_stream(200, {});
          responder->write("body");
          responder->end_stream();
        } else {
          responder->send(200, {}, "body");
        }
      });
  const auto socket = RawSocket::connect(server->port());
  socket.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = socket.read_until("\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\n"));
  socket.send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  socket.send("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(socket.read_all(), StartsWith("HTTP/1.1 200"));  // no body in between
}

TEST(HttpServer, SendsNoBodyWith204) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(204, {{"Connection", "close"}}, "must not be sent");
  });
  const auto reply = talk(*server, kGet, "");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(reply, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(reply, EndsWith("\r\n\r\n[end]"));
}

TEST(HttpServer, SaysContinueToAClientThatWaitsForIt) {
  const auto server = start_server(echo);
  const auto socket = RawSocket::connect(server->port());
  socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(socket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue\r\n"));
  socket.send("body");
  EXPECT_THAT(socket.read_until("body"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpServer, RefusesWhatIsNotHttp) {
  const auto server = start_server(echo);
  for (const std::string_view text : {
           "hello\r\n\r\n",
           "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",                                    // no Host
           "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",                      // not a percent encoding
           "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",                      // a zero byte
           "GET / HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n",             //
           "GET / HTTP/1.1\r\nHost : x\r\n\r\n",                        // a space in the name
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",   //
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",  //
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
       }) {
    const auto reply = talk(*server, text, "");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 400 Bad Request\r\n")) << text;
    EXPECT_THAT(reply, HasSubstr("Connection: close\r\n")) << text;
  }
}

TEST(HttpServer, RefusesATooLargeBodyWithoutReadingIt) {
  std::atomic<int> calls = 0;
  const auto server = start_server(
      [&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
        ++calls;
        responder->send(200, {}, "");
      },
      {.max_body = 1000});
  EXPECT_THAT(talk(*server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", ""),
              StartsWith("HTTP/1.1 413"));
  // The reason arrives although the client goes on sending.
  const std::string body(1 << 20, 'x');
  EXPECT_THAT(
      talk(*server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n" + body, "\r\n\r\n"),
      StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(talk(*server,
                   "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                       std::string(1001, 'x') + "\r\n0\r\n\r\n",
                   ""),
              StartsWith("HTTP/1.1 413"));
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(
      talk(*server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x'),
           "\r\n\r\n"),
      StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, RefusesATooLargeHeader) {
  const auto server = start_server(echo);
  EXPECT_THAT(talk(*server, "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(200'000, 'x'), "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
}

TEST(HttpServer, CutsOffASlowRequest) {
  const auto server = start_server(echo, {.header_timeout = 100ms, .keep_alive_timeout = 10s});
  const auto socket = RawSocket::connect(server->port());
  std::string reply;
  for (int i = 0; i < 10000 && reply.empty(); ++i) {
    socket.send(i == 0 ? "GET / HTTP/1.1\r\n" : "X");  // a byte now and then, for ever
    reply = socket.read_until("\r\n", 20ms);
    if (reply == "[nothing more came]") reply.clear();
  }
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
}

TEST(HttpServer, ClosesAnIdleConnection) {
  const auto server = start_server(echo, {.header_timeout = 10s, .keep_alive_timeout = 100ms});
  const auto socket = RawSocket::connect(server->port());
  socket.send(kGet);
  EXPECT_THAT(socket.read_all(), EndsWith("GET / [end]"));
  EXPECT_EQ(server->connections(), 0U);
}

TEST(HttpServer, WaitsForASlowHandlerWithoutATimeout) {
  const auto server = start_server(
      [](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
        responder->after(400ms, [responder] { responder->send(200, {}, "late"); });
      },
      {.header_timeout = 100ms, .keep_alive_timeout = 100ms});
  EXPECT_THAT(talk(*server, kGet, "late"), EndsWith("late"));
}

TEST(HttpServer, DropResetsTheConnection) {
  const auto server =
      start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        if (request.path == "/stream") {
          responder->begin_stream(200, {});
          responder->write("some");
          responder->after(20ms, [responder] { responder->drop(); });
        } else {
          responder->drop();
        }
      });
  EXPECT_EQ(talk(*server, kGet, ""), "[reset]");
  const auto reply = talk(*server, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "");
  EXPECT_THAT(reply, HasSubstr("4\r\nsome\r\n"));
  EXPECT_THAT(reply, EndsWith("[reset]"));
}

TEST(HttpServer, SendsLessThanItAnnouncedIfToldTo) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send_truncated(200, {}, "half", 8);
  });
  const auto reply = talk(*server, kGet, "");
  EXPECT_THAT(reply, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nhalf[end]"));
}

TEST(HttpServer, ClosesTheConnectionOfAForgottenRequest) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>&) {});
  EXPECT_EQ(talk(*server, kGet, ""), "[end]");
  EXPECT_EQ(server->connections(), 0U);
}

TEST(HttpServer, TakesOnlyTheFirstAnswer) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {}, "first;");
    responder->send(500, {}, "second;");
    responder->begin_stream(200, {});
    responder->drop();
  });
  const auto socket = RawSocket::connect(server->port());
  for (int i = 0; i < 3; ++i) {
    socket.send(kGet);
    EXPECT_THAT(socket.read_until("first;"), StartsWith("HTTP/1.1 200"));
  }
}

// A responder kept from an earlier request must not answer a later one of the same connection.
TEST(HttpServer, AnOldResponderHasNoPowerOverTheNextRequest) {
  std::mutex mutex;
  std::shared_ptr<Responder> old;
  const auto server =
      start_server([&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        const std::scoped_lock lock(mutex);
        if (request.path == "/1") {
          old = responder;
          responder->begin_stream(200, {});
          responder->end_stream();
        } else {
          old->write("stale");
          old->drop();
          old.reset();
          responder->send(200, {}, "fresh");
        }
      });
  const auto socket = RawSocket::connect(server->port());
  socket.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.read_until("0\r\n\r\n");
  socket.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_until("fresh"), AllOf(EndsWith("\r\n\r\nfresh"), Not(HasSubstr("stale"))));
}

TEST(HttpServer, AnswersFromAnyThread) {
  std::mutex mutex;
  std::vector<std::thread> threads;
  auto server = start_server([&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
    const std::scoped_lock lock(mutex);
    threads.emplace_back([responder, path = request.path] {
      if (path == "/stream") {
        responder->begin_stream(200, {});
        for (int i = 0; i < 100; ++i) responder->write(fmt::format("{:03}", i));
        responder->end_stream();
      } else {
        responder->send(200, {}, "from a thread");
      }
    });
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(talk(*server, kGet, "thread"), EndsWith("from a thread"));
    EXPECT_THAT(talk(*server, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "0\r\n\r\n"),
                HasSubstr("098\r\n3\r\n099"));
  }
  server.reset();
  for (auto& thread : threads) thread.join();
}

TEST(HttpServer, TurnsAHandlersExceptionInto500) {
  const auto server = start_server(
      [](const ServerRequest&, const std::shared_ptr<Responder>&) { throw std::runtime_error("secret"); });
  EXPECT_THAT(talk(*server, kGet, "error\n"), AllOf(StartsWith("HTTP/1.1 500"), Not(HasSubstr("secret"))));
}

TEST(HttpServer, AnAssertionOfALibraryCostsOneAnswer) {
  HttpServerOptions options;
  options.admit = [](ServerRequest& head) -> std::optional<Refusal> {
    BOOST_ASSERT(head.path != "/admitted");
    return std::nullopt;
  };
  auto server = HttpServer::start(
      options, [](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        BOOST_ASSERT(request.path != "/handled");
        responder->send(200, {}, "fine");
      });
  ASSERT_TRUE(server.has_value());
  for (const char* path : {"/admitted", "/handled"}) {
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", path);
    EXPECT_THAT(talk(**server, request, "error"), StartsWith("HTTP/1.1 500")) << path;
  }
  EXPECT_THAT(talk(**server, kGet, "fine"), StartsWith("HTTP/1.1 200")) << "the others go on";
}

TEST(HttpServer, AHeaderValueCannotAddHeaders) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {{"X-A", "1\r\nX-Evil: 2"}, {"X B", "3"}, {"Content-Length", "99"}}, "ok");
  });
  const auto reply = talk(*server, kGet, "ok");
  EXPECT_THAT(reply, HasSubstr("X-A: 1  X-Evil: 2\r\n"));
  EXPECT_THAT(reply, Not(HasSubstr("X B")));
  EXPECT_THAT(reply, AllOf(HasSubstr("Content-Length: 2\r\n"), Not(HasSubstr("99"))));
}

TEST(HttpServer, NoticesThatAPeerHasGoneWhileItsAnswerIsPending) {
  std::promise<std::shared_ptr<Responder>> kept;
  const auto server = start_server(
      [&](const ServerRequest&, const std::shared_ptr<Responder>& responder) { kept.set_value(responder); });
  auto socket = RawSocket::connect(server->port());
  socket.send(kGet);
  const auto responder = kept.get_future().get();
  EXPECT_EQ(server->connections(), 1U);
  socket.close();
  for (int i = 0; i < 500 && server->connections() > 0; ++i) std::this_thread::sleep_for(2ms);
  EXPECT_EQ(server->connections(), 0U);
  responder->send(200, {}, "to nobody");
}

TEST(HttpServer, EndsInOrderWithAnswersPending) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Responder>> kept;
  auto server = start_server([&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    const std::scoped_lock lock(mutex);
    kept.push_back(responder);
    if (kept.size() % 2 == 0) responder->begin_stream(200, {});
    responder->after(1h, [responder] { responder->send(200, {}, "never"); });
  });
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 10; ++i) {
    sockets.push_back(RawSocket::connect(server->port()));
    sockets.back().send(kGet);
  }
  const auto count = [&] {
    const std::scoped_lock lock(mutex);
    return kept.size();
  };
  while (count() < 10) std::this_thread::sleep_for(1ms);
  server.reset();
  for (const auto& socket : sockets) EXPECT_THAT(socket.read_all(), Not(HasSubstr("[nothing")));
  for (const auto& responder : kept) {
    responder->send(200, {}, "too late");
    responder->write("too late");
    responder->drop();
    responder->after(0ms, [] { FAIL(); });
  }
}

TEST(HttpServer, SendsLargeBodiesWhole) {
  const std::string body(20 << 20, 'b');
  const auto server = start_server([&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->send(200, {{"Connection", "close"}}, body);
  });
  const auto reply = talk(*server, kGet, "");
  const auto start = reply.find("\r\n\r\n") + 4;
  EXPECT_EQ(reply.size() - start, body.size() + std::string_view("[end]").size());
  EXPECT_EQ(reply.compare(start, body.size(), body), 0);
}

TEST(HttpServer, UsesSeveralThreads) {
  std::mutex mutex;
  std::vector<std::thread::id> seen;
  const auto server = start_server(
      [&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
        {
          const std::scoped_lock lock(mutex);
          if (std::find(seen.begin(), seen.end(), std::this_thread::get_id()) == seen.end())
            seen.push_back(std::this_thread::get_id());
        }
        responder->send(200, {}, "ok");
      },
      {.threads = 3});
  for (int i = 0; i < 9; ++i) talk(*server, kGet, "ok");
  EXPECT_EQ(seen.size(), 3U);
}

TEST(HttpServer, SaysWhyItCannotListen) {
  const auto server = start_server(echo);
  const auto second = HttpServer::start({.port = server->port()}, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::io);
  EXPECT_EQ(second.error().message,
            fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", server->port()));
  const auto nowhere = HttpServer::start({.host = "192.0.2.1"}, echo);  // TEST-NET-1 is nobody's
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("cannot listen on 192.0.2.1:0: "));
}

TEST(HttpServer, AdmitsByTheHeadBeforeItReadsTheBody) {
  std::atomic<int> calls = 0;
  HttpServerOptions options;
  options.admit = [](ServerRequest& head) -> std::optional<Refusal> {
    if (head.path != "/secret") return std::nullopt;
    if (head.headers.find("X-Key") == nullptr)
      return Refusal{401, {{"WWW-Authenticate", "Bearer"}}, "who are you?"};
    head.client = "kim";
    return std::nullopt;
  };
  const auto server = start_server(
      [&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        ++calls;
        responder->send(200, {}, request.client + ":" + request.body);
      },
      options);
  // Nothing of the body was sent yet.
  const auto refused =
      talk(*server, "POST /secret HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n", "you?");
  EXPECT_THAT(refused, AllOf(StartsWith("HTTP/1.1 401"), HasSubstr("WWW-Authenticate: Bearer\r\n"),
                             HasSubstr("Connection: close\r\n")));
  EXPECT_EQ(calls, 0);
  const auto socket = RawSocket::connect(server->port());
  socket.send(
      "POST /secret HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\nX-Key: 1\r\n\r\n");
  EXPECT_THAT(socket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  socket.send("abc");
  EXPECT_THAT(socket.read_until("abc"), EndsWith("kim:abc"));
  socket.send("GET /secret HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_until("you?"), StartsWith("HTTP/1.1 401"));
  socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_until("\r\n\r\n:"), StartsWith("HTTP/1.1 200"))
      << "without a body the connection stays";
}

TEST(HttpServer, HoldsABoundedNumberOfBytesOfBodies) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Responder>> kept;
  const auto server = start_server(
      [&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
        const std::scoped_lock lock(mutex);
        kept.push_back(responder);
      },
      {.max_buffered = 100'000});
  const std::string post =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + std::string(60'000, 'x');
  const auto first = RawSocket::connect(server->port());
  first.send(post);
  const auto answered = [&] {
    const std::scoped_lock lock(mutex);
    return !kept.empty();
  };
  while (!answered()) std::this_thread::yield();
  EXPECT_THAT(talk(*server, post, "\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1\r\n")))
      << "the first one is still being answered";
  kept.front()->send(200, {}, "done");
  EXPECT_THAT(first.read_until("done"), StartsWith("HTTP/1.1 200"));
  kept.clear();
  const auto second = RawSocket::connect(server->port());
  second.send(post);
  while (!answered()) std::this_thread::yield();
  kept.front()->send(200, {}, "done");
  EXPECT_THAT(second.read_until("done"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, HoldsABoundedNumberOfBytesForPeersThatDoNotRead) {
  // More than the sockets of a machine take.
  constexpr std::size_t kLong = std::size_t{32} << 20;
  const auto server = start_server(
      [](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        responder->send(200, {}, request.path == "/long" ? std::string(kLong, 'x') + "end" : "short");
      },
      {.max_buffered = kLong + kLong / 2});
  constexpr std::string_view kAsk = "GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const auto slow = RawSocket::connect(server->port());
  slow.send(kAsk);
  EXPECT_THAT(slow.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(talk(*server, kAsk, "\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_THAT(talk(*server, kGet, "short"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(slow.read_all().ends_with("end[end]"));
  EXPECT_THAT(talk(*server, kAsk, "\r\n\r\n"), StartsWith("HTTP/1.1 200")) << "what was read is held no more";
}

TEST(HttpServer, WhoComesBeyondTheMostConnectionsWaitsUntilOneEnds) {
  const auto server = start_server(echo, {.max_connections = 2});
  auto first = RawSocket::connect(server->port());
  const auto second = RawSocket::connect(server->port());
  const auto ask = [](const RawSocket& socket) {
    socket.send(kGet);
    return socket.read_until("GET / ");
  };
  EXPECT_THAT(ask(first), HasSubstr(" 200 "));
  EXPECT_THAT(ask(second), HasSubstr(" 200 "));
  const auto third = RawSocket::connect(server->port());
  third.send(kGet);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(ask(first), HasSubstr(" 200 "));
  EXPECT_EQ(server->accepted(), 2U);
  first.close();
  EXPECT_THAT(third.read_until("GET / "), HasSubstr(" 200 "));
  EXPECT_EQ(server->accepted(), 3U);
}

TEST(HttpServer, DrainsWithAnAnswerToEveryRequest) {
  std::promise<std::shared_ptr<Responder>> kept;
  auto server = start_server(
      [&](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
        if (request.path == "/slow") return kept.set_value(responder);
        responder->send(200, {}, "ok");
      },
      {.threads = 2});
  const auto idle = RawSocket::connect(server->port());
  idle.send(kGet);
  idle.read_until("ok");
  const auto half = RawSocket::connect(server->port());
  half.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(half.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  half.send("12345");
  const auto slow = RawSocket::connect(server->port());
  slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto responder = kept.get_future().get();
  std::promise<bool> drained;
  std::thread draining([&] { drained.set_value(server->drain(10s)); });
  EXPECT_EQ(idle.read_all(), "[end]");
  EXPECT_THAT(half.read_all(),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("the service is stopping"), EndsWith("[end]")));
  half.end_sending();
  responder->send(200, {}, "finished");
  EXPECT_THAT(slow.read_all(), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("finished"), HasSubstr("[end]")));
  EXPECT_TRUE(drained.get_future().get());
  draining.join();
  EXPECT_EQ(server->connections(), 0U);
  server.reset();
}

TEST(RequestTarget, IsSplitIntoPathAndQuery) {
  EXPECT_EQ(split_target("/a%2Fb%c3%A9?q=%20&r")->path, "/a/b\xC3\xA9");
  EXPECT_EQ(split_target("/a?q=%20&r?s")->query, "q=%20&r?s");
  EXPECT_EQ(split_target("http://host:80/p?q")->path, "/p");
  EXPECT_EQ(split_target("http://host")->path, "/");
  EXPECT_EQ(split_target("http://host?q")->query, "q");
  EXPECT_EQ(split_target("/redirect?to=http://x/")->path, "/redirect");
  EXPECT_EQ(split_target("*")->path, "*");
  for (const auto* bad : {"/%", "/%4", "/%4g", "/%00"}) EXPECT_FALSE(split_target(bad)) << bad;
}

}  // namespace
}  // namespace assay
