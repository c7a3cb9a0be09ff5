// Answers of the HTTP server that come in pieces.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_server.h"
#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(HttpStream, StreamsToHttp10WithoutChunks) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    responder->write("one");
    responder->write("two");
    responder->end_stream();
  });
  const auto old = RawSocket::connect(server->port());
  old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto reply = old.read_all();
  EXPECT_THAT(reply, Not(HasSubstr("chunked")));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nonetwo[end]"));
}

TEST(HttpStream, StreamsInChunks) {
  const auto server = start_server([](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder->after(5ms, [responder] {
      responder->write("one");
      responder->write("");  // would end the stream
      responder->after(5ms, [responder] {
        responder->write(std::string(20, 'x'));
        responder->end_stream();
        responder->write("too late");
      });
    });
  });
  const auto socket = RawSocket::connect(server->port());
  for (int i = 0; i < 2; ++i) {
    socket.send(kGet);
    const auto reply = socket.read_until("0\r\n\r\n");
    EXPECT_THAT(reply, HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(reply, Not(HasSubstr("Content-Length")));
    EXPECT_THAT(reply, EndsWith("\r\n\r\n3\r\none\r\n14\r\n" + std::string(20, 'x') + "\r\n0\r\n\r\n"));
  }
}

// Makes one piece after the other, each when the one before is sent, and counts them.
struct Pieces : std::enable_shared_from_this<Pieces> {
  Pieces(std::shared_ptr<Responder> to, std::atomic<int>& counter, std::atomic<int>& living, int most)
      : responder(std::move(to)), made(counter), alive(living), left(most) {
    ++alive;
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { --alive; }
  void go_on() {
    if (left-- == 0) return responder->end_stream();
    ++made;
    responder->write(std::string(std::size_t{1} << 20, 'x'));
    responder->when_sent([self = shared_from_this()] { self->go_on(); });
  }
  std::shared_ptr<Responder> responder;
  std::atomic<int>& made;
  std::atomic<int>& alive;
  int left;
};

TEST(HttpStream, AStreamMakesItsNextPieceWhenThePeerHasTakenTheOneBefore) {
  std::atomic<int> made = 0;
  std::atomic<int> alive = 0;
  const auto server = start_server([&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {});
    std::make_shared<Pieces>(responder, made, alive, 100)->go_on();
  });
  {
    const auto socket = RawSocket::connect(server->port());
    socket.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(socket.read_until("xxx"), HasSubstr("chunked"));
    // The kernel's own buffers take some megabytes; the rest of the hundred waits for a reader.
    for (int before = -1; before != made;) {
      before = made;
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_GE(made, 1);
    EXPECT_LT(made, 50);
    EXPECT_THAT(socket.read_all(), EndsWith("xxx\r\n0\r\n\r\n[end]"));
    EXPECT_EQ(made, 100);
    const auto impatient = RawSocket::connect(server->port());
    impatient.send(kGet);
    EXPECT_THAT(impatient.read_until("xxx"), HasSubstr("chunked"));
  }
  // The peer has gone in the middle of the second one: nobody holds it any more.
  while (alive > 0) std::this_thread::sleep_for(1ms);
  EXPECT_LT(made, 200);
}

}  // namespace
}  // namespace assay
