#include "service/http/readers.h"

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/http/route_parts.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

// A client that may go away before it is answered.
class Client final : public Responder {
 public:
  void send(int status, Headers, std::string) override { answered.set_value(status); }
  void begin_stream(int, Headers) override {}
  void write(std::string) override {}
  void end_stream() override {}
  void when_sent(std::function<void()>) override {}
  bool open() const override { return here; }
  void drop() override {}
  void send_truncated(int, Headers, std::string, std::size_t) override {}
  void after(std::chrono::nanoseconds, std::function<void()>) override {}

  std::atomic<bool> here = true;
  std::promise<int> answered;
};

ExchangePointer exchange(const char* method, const std::shared_ptr<Client>& client) {
  return std::make_shared<Exchange>(ServerRequest{.method = method}, client);
}

TEST(Readers, WhatThrowsEndsItselfAlone) {
  Readers readers(1);
  ASSERT_TRUE(readers.post([] { throw std::runtime_error("a disk that fails"); }));
  std::promise<void> next;
  ASSERT_TRUE(readers.post([&] { next.set_value(); }));
  next.get_future().wait();
  const auto client = std::make_shared<Client>();
  work_on(readers, exchange("GET", client), [] { throw std::runtime_error("another"); });
  EXPECT_EQ(client->answered.get_future().get(), 500);
}

TEST(Readers, NobodyReadsForAClientThatHasGoneButWhatItSentIsDone) {
  Readers readers(1);
  std::promise<void> go_on;
  ASSERT_TRUE(readers.post([&] { go_on.get_future().wait(); }));
  const auto gone = std::make_shared<Client>();
  const auto here = std::make_shared<Client>();
  std::vector<std::string> done;
  work_on(readers, exchange("GET", gone), [&] { done.emplace_back("question of who has gone"); });
  work_on(readers, exchange("POST", gone), [&] { done.emplace_back("answer of who has gone"); });
  const auto last = exchange("GET", here);
  work_on(readers, last, [&] {
    done.emplace_back("question of who is here");
    last->send(200, JsonObject());
  });
  gone->here = false;
  go_on.set_value();
  EXPECT_EQ(here->answered.get_future().get(), 200);
  EXPECT_THAT(done, ElementsAre("answer of who has gone", "question of who is here"));
}

}  // namespace
}  // namespace assay
