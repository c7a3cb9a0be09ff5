// Requests that nobody wants any more: at every stage of their way, and from inside libcurl's own callbacks.
#include <atomic>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_client.h"
#include "tests/net/fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using Reply = Result<HttpResponse>;

struct HttpClientCancel : testing::Test {
  EventLoop loop;
  std::optional<HttpClient> client{std::in_place, loop, HttpClientOptions{}};

  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
  // A request under way, to be cancelled by resetting it.
  using Pending = std::unique_ptr<Task<Reply>>;
  Pending begin(HttpRequest request) {
    auto task = std::make_unique<Task<Reply>>(client->send(std::move(request)));
    task->await_suspend(std::noop_coroutine()).resume();
    return task;
  }
  bool works(const HttpServer& server) {
    return loop.run_until_done(client->send({.url = url_of(server, "/fast")})).has_value();
  }
};

// "/fast" is answered at once, "/stream" streams for ever, everything else waits for ever.
std::unique_ptr<HttpServer> make_server() {
  return start_server([](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
    if (request.path == "/fast") return responder->send(200, {}, "fast");
    if (request.path == "/stream") {
      responder->begin_stream(200, {});
      for (int i = 0; i < 200; ++i) responder->after(i * 2ms, [responder] { responder->write("tick"); });
      return;
    }
    responder->after(1h, [responder] {});
  });
}

TEST_F(HttpClientCancel, DestroyingTheAwaitingCoroutineClosesTheConnection) {
  const auto server = make_server();
  auto pending = begin({.url = url_of(*server, "/stall")});
  run_for(20ms);
  EXPECT_EQ(client->in_flight(), 1U);
  EXPECT_EQ(server->connections(), 1U);
  pending.reset();
  EXPECT_EQ(client->in_flight(), 0U);
  for (int i = 0; i < 200 && server->connections() > 0; ++i) run_for(2ms);
  EXPECT_EQ(server->connections(), 0U);
  EXPECT_LE(loop.load().timers, 1U);  // libcurl's own, of which there is one
  EXPECT_TRUE(works(*server));
}

TEST_F(HttpClientCancel, CanHappenBeforeTheFirstRoundOfTheLoop) {
  const auto server = make_server();
  begin({.url = url_of(*server, "/stall")}).reset();
  EXPECT_EQ(client->in_flight(), 0U);
  EXPECT_TRUE(works(*server));
}

TEST_F(HttpClientCancel, CanHappenBeforeTheStart) {
  const auto server = make_server();
  {
    auto task = client->send({.url = url_of(*server, "/stall")});
  }
  EXPECT_EQ(client->in_flight(), 0U);
}

TEST_F(HttpClientCancel, OfTheFirstRequestToAHostLetsTheOthersGo) {
  const auto server = make_server();
  std::vector<Pending> pending;
  pending.reserve(5);
  for (int i = 0; i < 5; ++i) pending.push_back(begin({.url = url_of(*server, "/stall")}));
  pending.front().reset();
  run_for(30ms);
  EXPECT_EQ(server->connections(), 4U);
}

TEST_F(HttpClientCancel, OfWaitingRequestsLeavesTheOthersInOrder) {
  client.emplace(loop, HttpClientOptions{.max_connections = 1});
  const auto server = make_server();
  std::vector<Pending> pending;
  pending.reserve(5);
  for (int i = 0; i < 5; ++i) pending.push_back(begin({.url = url_of(*server, "/stall")}));
  run_for(10ms);
  EXPECT_EQ(client->in_flight(), 5U);
  EXPECT_EQ(server->connections(), 1U);
  pending[2].reset();  // waits
  pending[0].reset();  // is under way
  EXPECT_EQ(client->in_flight(), 3U);
  run_for(10ms);
  EXPECT_EQ(server->accepted(), 2U);  // the next has begun
  pending.clear();
  EXPECT_TRUE(works(*server));
}

TEST_F(HttpClientCancel, CanComeFromTheRequestsOwnData) {
  const auto server = make_server();
  Pending pending;
  int calls = 0;
  HttpRequest request{.url = url_of(*server, "/stream")};
  request.on_data = [&, text = std::string(100, 'x')](std::string_view) {
    ++calls;
    pending.reset();
    return text.size() == 100;  // the function itself is still alive
  };
  pending = begin(std::move(request));
  run_for(50ms);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(client->in_flight(), 0U);
  EXPECT_TRUE(works(*server));
}

TEST_F(HttpClientCancel, CanComeFromAnotherRequestsData) {
  const auto server = make_server();
  Pending victim;
  Pending killer;
  HttpRequest request{.url = url_of(*server, "/stream")};
  request.on_data = [&](std::string_view) {
    victim.reset();
    return true;
  };
  victim = begin({.url = url_of(*server, "/stream")});
  killer = begin(std::move(request));
  run_for(50ms);
  EXPECT_EQ(victim, nullptr);
  EXPECT_EQ(client->in_flight(), 1U);
  killer.reset();
  EXPECT_TRUE(works(*server));
}

TEST_F(HttpClientCancel, ARequestMayBeSentFromAnothersData) {
  const auto server = make_server();
  std::optional<Reply> inner;
  HttpRequest request{.url = url_of(*server, "/stream")};
  request.on_data = [&](std::string_view) {
    loop.spawn([](HttpClient& c, std::string url, std::optional<Reply>& slot) -> Task<void> {
      slot.emplace(co_await c.send({.url = std::move(url)}));
    }(*client, url_of(*server, "/fast"), inner));
    return false;
  };
  ASSERT_TRUE(loop.run_until_done(client->send(std::move(request))));
  run_for(30ms);
  ASSERT_TRUE(inner);
  EXPECT_TRUE(*inner);
}

// Both answers arrive together; whoever is resumed first destroys the other, whose result is already there.
TEST_F(HttpClientCancel, OfARequestThatIsAboutToBeResumed) {
  std::vector<std::shared_ptr<Responder>> kept;
  std::mutex mutex;
  const auto server = start_server([&](const ServerRequest&, const std::shared_ptr<Responder>& responder) {
    const std::scoped_lock lock(mutex);
    kept.push_back(responder);
    if (kept.size() == 8) {
      for (const auto& one : kept) one->send(200, {}, "x");
    }
  });
  std::vector<std::unique_ptr<Task<void>>> tasks(8);
  int resumed = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i] = std::make_unique<Task<void>>([](HttpClient& c, std::string url,
                                               std::vector<std::unique_ptr<Task<void>>>& all_tasks,
                                               std::size_t own, int& count) -> Task<void> {
      co_await c.send({.url = std::move(url)});
      ++count;
      for (std::size_t k = 0; k < all_tasks.size(); ++k) {
        if (k != own) all_tasks[k].reset();
      }
    }(*client, url_of(*server), tasks, i, resumed));
    tasks[i]->await_suspend(std::noop_coroutine()).resume();
  }
  run_for(100ms);
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(client->in_flight(), 0U);
}

TEST_F(HttpClientCancel, ClosingTheClientEndsItsRequestsAsCancelled) {
  const auto server = make_server();
  std::vector<std::optional<Reply>> replies(6);
  for (auto& slot : replies) {
    loop.spawn([](HttpClient& c, std::string url, std::optional<Reply>& out) -> Task<void> {
      out.emplace(co_await c.send({.url = std::move(url)}));
    }(*client, url_of(*server, "/stall"), slot));
  }
  run_for(20ms);
  client.reset();
  run_for(5ms);
  for (const auto& reply : replies) {
    ASSERT_TRUE(reply);
    ASSERT_FALSE(*reply);
    EXPECT_EQ(reply->error().kind, ErrorKind::cancelled);
  }
  EXPECT_EQ(loop.load().watches, 0U);
  EXPECT_EQ(loop.load().timers, 0U);
}

TEST_F(HttpClientCancel, CoroutinesMayBeDestroyedAfterTheirClient) {
  const auto server = make_server();
  auto pending = begin({.url = url_of(*server, "/stall")});
  run_for(10ms);
  client.reset();
  pending.reset();
  run_for(5ms);
}

TEST_F(HttpClientCancel, TheClientMayBeClosedByTheDataOfARequest) {
  const auto server = make_server();
  std::optional<Reply> reply;
  HttpRequest request{.url = url_of(*server, "/stream")};
  request.on_data = [&](std::string_view) {
    client.reset();
    return true;
  };
  loop.spawn([](HttpClient& c, HttpRequest r, std::optional<Reply>& out) -> Task<void> {
    out.emplace(co_await c.send(std::move(r)));
  }(*client, std::move(request), reply));
  run_for(50ms);
  ASSERT_TRUE(reply);
  ASSERT_FALSE(*reply);
  EXPECT_EQ(reply->error().kind, ErrorKind::cancelled);
  EXPECT_EQ(loop.load().watches, 0U);
}

TEST_F(HttpClientCancel, TheClientMayBeClosedByACoroutineThatItResumes) {
  const auto server = make_server();
  bool done = false;
  loop.spawn([](std::optional<HttpClient>& c, std::string url, bool& flag) -> Task<void> {
    const auto reply = co_await c->send({.url = std::move(url)});
    EXPECT_TRUE(reply);
    c.reset();
    flag = true;
  }(client, url_of(*server, "/fast"), done));
  run_for(30ms);
  EXPECT_TRUE(done);
  EXPECT_EQ(loop.load().watches, 0U);
}

TEST_F(HttpClientCancel, AThousandTimesLeavesNothingBehind) {
  const auto server = make_server();
  for (int round = 0; round < 20; ++round) {
    std::vector<Pending> pending;
    pending.reserve(50);
    for (int i = 0; i < 50; ++i)
      pending.push_back(begin({.url = url_of(*server, i % 3 == 0 ? "/fast" : "/stream")}));
    run_for(Duration(round * 300us));
    pending.clear();
    EXPECT_EQ(client->in_flight(), 0U);
  }
  EXPECT_TRUE(works(*server));
}

}  // namespace
}  // namespace assay
