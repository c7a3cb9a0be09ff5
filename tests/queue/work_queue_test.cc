// The queue against a real server: what it promises holds through redelivery, duplicates and restarts.
#include "queue/work_queue.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "tests/core/mailbox.h"
#include "tests/queue/nats_server.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock;

class WorkQueueTest : public testing::Test {
 protected:
  WorkQueueTest() : queue_(connected(server_)) {}

  static std::unique_ptr<WorkQueue> connected(const NatsServer& server) {
    auto queue = WorkQueue::connect({.servers = server.url()});
    if (!queue) throw std::runtime_error(queue.error().text());
    return std::move(*queue);
  }

  void open(LaneOptions options = {}) {
    const auto opened = loop_.await(queue_->open_lane("run-1", options));
    ASSERT_TRUE(opened) << opened.error().text();
  }
  void publish(const std::vector<std::string>& bodies) {
    std::vector<WorkItem> items;
    for (const std::string& body : bodies) items.push_back({"run-1/" + body, body});
    const auto published = loop_.await(queue_->publish("run-1", std::move(items)));
    ASSERT_TRUE(published) << published.error().text();
  }
  std::vector<Delivery> fetch(int most, std::chrono::milliseconds wait = 300ms) {
    auto work = loop_.await(queue_->fetch("run-1", most, wait));
    EXPECT_TRUE(work) << work.error().text();
    return work ? std::move(*work) : std::vector<Delivery>();
  }
  void done(const std::vector<Delivery>& work) {
    std::vector<WorkTicket> tickets;
    for (const Delivery& one : work) tickets.push_back(one.ticket);
    EXPECT_TRUE(loop_.await(queue_->done(std::move(tickets))));
  }
  LaneDepth depth() {
    const auto found = loop_.await(queue_->depth("run-1"));
    EXPECT_TRUE(found) << found.error().text();
    return found && *found ? **found : LaneDepth{-1, -1};
  }
  // Tries again for as long as a server needs to come back.
  template <class Ask>
  bool in_time(Ask ask) {
    const auto end = Time::now() + 10s;
    while (Time::now() < end) {
      if (ask()) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  NatsServer server_;
  Mailbox loop_;
  Poster::AtWork at_work_{loop_};
  std::unique_ptr<WorkQueue> queue_;
};

std::vector<std::string> bodies(const std::vector<Delivery>& work) {
  std::vector<std::string> all;
  for (const Delivery& one : work) all.push_back(one.body);
  std::ranges::sort(all);
  return all;
}

TEST_F(WorkQueueTest, GivesOutWhatWasPublishedOnce) {
  open();
  publish({"a", "b", "c"});
  EXPECT_EQ(depth().waiting, 3);
  const auto work = fetch(10);
  EXPECT_EQ(bodies(work), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(work[0].times, 1);
  EXPECT_EQ(depth().taken, 3);
  done(work);
  EXPECT_TRUE(fetch(10).empty());
  EXPECT_EQ(depth().taken, 0);
}

TEST_F(WorkQueueTest, GivesSilentWorkToAnotherWhenItsLeaseEndsAndNotBefore) {
  open({.lease = 1000ms});
  publish({"a"});
  const auto taken = Time::now();
  ASSERT_EQ(fetch(1).size(), 1U);
  const auto other = connected(server_);
  std::vector<Delivery> again;
  while (again.empty() && Time::now() - taken < 5s) again = *loop_.await(other->fetch("run-1", 1, 200ms));
  const auto after = Time::now() - taken;
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].times, 2);
  EXPECT_GE(after, 950ms);
  EXPECT_LE(after, 2500ms);
}

TEST_F(WorkQueueTest, KeepsWorkWhoseLeaseIsExtended) {
  open({.lease = 800ms});
  publish({"a"});
  const auto work = fetch(1);
  ASSERT_EQ(work.size(), 1U);
  const auto other = connected(server_);
  for (const auto end = Time::now() + 2s; Time::now() < end;) {
    ASSERT_TRUE(loop_.await(queue_->extend({work[0].ticket})));
    EXPECT_TRUE(loop_.await(other->fetch("run-1", 1, 200ms))->empty());
  }
}

// The server answers when nobody listens any more; much later that work may be with somebody else.
TEST_F(WorkQueueTest, WhatCameTooLateForAQuestionIsNotTakenLongAfterwards) {
  open();
  publish({"a", "b"});
  const auto first = fetch(1);
  EXPECT_EQ(first.size(), 1U);
  server_.signal(SIGSTOP);
  EXPECT_TRUE(fetch(1, 100ms).empty());
  server_.signal(SIGCONT);
  ASSERT_TRUE(in_time([&] { return depth().taken == 2; }));
  std::this_thread::sleep_for(1200ms);
  EXPECT_TRUE(fetch(1, 100ms).empty()) << "it was given out more than a second ago";
  EXPECT_EQ(depth().taken, 2);
  done(first);
  EXPECT_EQ(depth().taken, 1) << "what is still at work is spoken of as before";
}

TEST_F(WorkQueueTest, GivesBackAfterAWhile) {
  open();
  publish({"a"});
  const auto work = fetch(1);
  ASSERT_EQ(work.size(), 1U);
  const auto given = Time::now();
  ASSERT_TRUE(loop_.await(queue_->give_back({work[0].ticket}, 600ms)));
  std::vector<Delivery> again;
  while (again.empty() && Time::now() - given < 5s) again = fetch(1, 100ms);
  EXPECT_EQ(bodies(again), std::vector<std::string>{"a"});
  EXPECT_GE(Time::now() - given, 550ms);
}

TEST_F(WorkQueueTest, DropsASecondPublicationOfTheSameId) {
  open();
  publish({"a", "b"});
  publish({"a", "b", "c"});
  EXPECT_EQ(bodies(fetch(10)), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(WorkQueueTest, BoundsWhatIsTakenOverAllWorkers) {
  open({.most_taken = 3});
  publish({"a", "b", "c", "d", "e"});
  const auto other = connected(server_);
  const auto mine = fetch(2);
  const auto theirs = *loop_.await(other->fetch("run-1", 10, 300ms));
  EXPECT_EQ(mine.size() + theirs.size(), 3U);
  EXPECT_TRUE(fetch(10).empty());
  done(mine);
  EXPECT_EQ(fetch(10).size(), 2U);
}

TEST_F(WorkQueueTest, PublishesManyAtATimeAndFetchesInBatches) {
  open({.most_taken = 5000});
  std::vector<std::string> many;
  for (int i = 0; i < 5000; ++i) many.push_back(fmt::format("{:05}", i));
  publish(many);
  std::set<std::string> seen;
  while (seen.size() < many.size()) {
    const auto work = fetch(512);
    ASSERT_FALSE(work.empty());
    for (const Delivery& one : work) seen.insert(one.body);
    done(work);
  }
}

TEST_F(WorkQueueTest, RemembersItsWorkOverARestart) {
  open();
  publish({"a", "b"});
  server_.kill();
  server_.begin();
  std::vector<Delivery> work;
  ASSERT_TRUE(in_time([&] {
    auto some = loop_.await(queue_->fetch("run-1", 10, 300ms));
    if (some) std::ranges::move(*some, std::back_inserter(work));
    return work.size() == 2;
  }));
  EXPECT_EQ(bodies(work), (std::vector<std::string>{"a", "b"}));
}

TEST_F(WorkQueueTest, SaysThatALaneIsGoneAndTakesItAnew) {
  open();
  publish({"a"});
  ASSERT_EQ(fetch(1).size(), 1U);
  server_.kill();
  server_.forget();
  server_.begin();
  ASSERT_TRUE(in_time([&] {
    const auto found = loop_.await(queue_->depth("run-1"));
    return found && !*found;
  }));
  EXPECT_FALSE(loop_.await(queue_->publish("run-1", {{"run-1/a", "a"}})));
  open();
  publish({"a"});
  ASSERT_TRUE(in_time([&] { return fetch(1).size() == 1; }));
}

TEST_F(WorkQueueTest, ClosesALaneWithAllThatIsInIt) {
  open();
  publish({"a", "b"});
  ASSERT_TRUE(loop_.await(queue_->close_lane("run-1")));
  ASSERT_TRUE(loop_.await(queue_->close_lane("run-1")));
  EXPECT_EQ(*loop_.await(queue_->depth("run-1")), std::nullopt);
  open();
  EXPECT_EQ(depth().waiting, 0);
}

TEST_F(WorkQueueTest, ALaneThatStartsOverLeavesTheOthersAlone) {
  open();
  publish({"a", "b"});
  ASSERT_TRUE(loop_.await(queue_->open_lane("run-2", {})));
  ASSERT_TRUE(loop_.await(queue_->start_over("run-2", StartOver::lane)));
  EXPECT_EQ(*loop_.await(queue_->depth("run-2")), std::nullopt);
  EXPECT_EQ(depth().waiting, 2);
  ASSERT_TRUE(loop_.await(queue_->start_over("run-2", StartOver::everything)));
  EXPECT_EQ(*loop_.await(queue_->depth("run-1")), std::nullopt);
}

TEST_F(WorkQueueTest, RefusesMoreReplicasThanOneServerKeepsAndLeavesTheOthersAlone) {
  for (const bool stream_is_there : {false, true}) {
    if (stream_is_there) {
      open();
      publish({"a"});
    }
    const auto refused = loop_.await(queue_->open_lane("run-2", {.replicas = 3}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::config) << refused.error().text();
    EXPECT_TRUE(refused.error().message.contains("replicas")) << refused.error().text();
  }
  EXPECT_EQ(depth().waiting, 1);
}

TEST(QueueOfAServer, SaysWhatIsTooLargeForIt) {
  const ScratchDirectory directory("payload");
  ASSERT_TRUE(write_file(directory.path() + "/nats.conf", "max_payload: 8192\n"));
  const NatsServer server({"-c", directory.path() + "/nats.conf"});
  Mailbox loop;
  const Poster::AtWork at_work(loop);
  const auto queue = WorkQueue::connect({.servers = server.url()});
  ASSERT_TRUE(queue) << queue.error().text();
  ASSERT_TRUE(loop.await((*queue)->open_lane("run-1", {})));
  const std::size_t most = (*queue)->most_bytes();
  EXPECT_LT(most, 8192U);
  EXPECT_TRUE(loop.await((*queue)->publish("run-1", {{"id", std::string(most, 'x')}})));
  const auto refused = loop.await((*queue)->publish("run-1", {{"id-2", std::string(9000, 'x')}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::config) << refused.error().text();
  EXPECT_TRUE(refused.error().message.contains("max_payload") && refused.error().message.contains("8192"))
      << refused.error().text();
}

TEST(QueueOfAServer, SaysWhatAUserMayNotDo) {
  const ScratchDirectory directory("rights");
  ASSERT_TRUE(write_file(
      directory.path() + "/nats.conf",
      R"(authorization { users: [{user: ann, password: word, permissions: {publish: "other.>"}}] })"));
  const NatsServer server({"-c", directory.path() + "/nats.conf"});
  Mailbox loop;
  const Poster::AtWork at_work(loop);
  const auto queue =
      WorkQueue::connect({.servers = fmt::format("nats://ann:word@127.0.0.1:{}", server.port())});
  ASSERT_TRUE(queue) << queue.error().text();
  const auto refused = loop.await((*queue)->open_lane("run-1", {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::auth) << refused.error().text();
  EXPECT_TRUE(refused.error().message.contains("ermissions")) << refused.error().text();
}

TEST_F(WorkQueueTest, FailsWithinItsPatienceWhileTheServerIsAway) {
  open();
  server_.kill();
  const auto published = loop_.await(queue_->publish("run-1", {{"run-1/a", "a"}}));
  ASSERT_FALSE(published);
  EXPECT_TRUE(
      published.error().message.contains(fmt::format("the queue at nats://127.0.0.1:{}", server_.port())))
      << published.error().text();
}

TEST(QueueAddress, ShowsNoPasswords) {
  EXPECT_EQ((QueueAddress{.servers = "nats://ann:s3cret@one:4222, tls://two:4222"}).shown(),
            "nats://one:4222,tls://two:4222");
  EXPECT_EQ((QueueAddress{.servers = "token@one"}).shown(), "one");
}

TEST(QueueAddress, IsReadWithItsSchemeInAnyCase) {
  const auto read = QueueAddress::read("NATS://ann:s3cret@one, Tls://[::1]:4222,");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->servers, "nats://ann:s3cret@one,tls://[::1]:4222");
}

// libnats takes all of these, and connects without TLS.
TEST(QueueAddress, WhatSaysNeitherNatsNorTlsIsRefusedWithoutItsPassword) {
  for (const char* address : {"natss://h:4222", "wss://h", "ws://h:80", "http://h:4222", "h:4222", "h",
                              "kafka://ann:s3cret@h", "nats:/h", "nats://h:4222,ann:s3cret@h:4222", ""}) {
    const auto read = QueueAddress::read(address);
    ASSERT_FALSE(read) << address;
    EXPECT_EQ(read.error().kind, ErrorKind::config);
    EXPECT_TRUE(read.error().message.contains("expected nats://HOST:PORT, or tls://"))
        << read.error().message;
    EXPECT_FALSE(read.error().message.contains("s3cret")) << read.error().message;
  }
  for (const char* address : {"nats://h:99999", "tls://h:0", "nats://h:", "nats://h:42x", "nats://[::1]:"})
    EXPECT_TRUE(QueueAddress::read(address).error().message.contains("expected a port")) << address;
  for (const char* address : {"nats://", "nats://:4222", "tls://h/x", "nats://[::1", "nats://[::1]x"})
    EXPECT_TRUE(QueueAddress::read(address).error().message.contains("expected a host")) << address;
}

TEST(QueueConnection, SaysWhyThereIsNone) {
  const auto nobody = WorkQueue::connect({.servers = "nats://ann:s3cret@127.0.0.1:1"});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().kind, ErrorKind::network);
  EXPECT_TRUE(nobody.error().message.contains("nats://127.0.0.1:1")) << nobody.error().message;
  EXPECT_FALSE(nobody.error().message.contains("s3cret")) << nobody.error().message;
  EXPECT_FALSE(WorkQueue::connect({.servers = ""}));
  const auto no_file = WorkQueue::connect({.servers = "tls://127.0.0.1:1", .ca_file = "/nowhere/ca.pem"});
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().kind, ErrorKind::config);
  EXPECT_TRUE(no_file.error().message.contains("/nowhere/ca.pem")) << no_file.error().message;
}

TEST(QueueConnection, SaysThatJetStreamIsOff) {
  const NatsServer server({}, NatsServer::JetStream::off);
  Mailbox loop;
  const Poster::AtWork at_work(loop);
  const auto queue = WorkQueue::connect({.servers = server.url()});
  ASSERT_TRUE(queue) << queue.error().text();
  const auto opened = loop.await((*queue)->open_lane("run-1", {}));
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().message.contains("-js")) << opened.error().message;
}

TEST(QueueConnection, TakesAUserAndPasswordFromTheAddress) {
  const NatsServer server({"--user", "ann", "--pass", "s3cret-word"});
  const std::string host = server.url().substr(server.url().find("://") + 3);
  EXPECT_TRUE(WorkQueue::connect({.servers = "nats://ann:s3cret-word@" + host}));
  const auto refused = WorkQueue::connect({.servers = "nats://ann:wr0ng-word@" + host});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::auth) << refused.error().text();
  EXPECT_FALSE(refused.error().message.contains("wr0ng-word")) << refused.error().message;
}

}  // namespace
}  // namespace assay
