#include "service/results/run_events.h"

#include <condition_variable>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A peer that takes what is written only when it is told to.
class SlowPeer final : public Responder {
 public:
  void send(int, Headers, std::string) override {}
  void begin_stream(int, Headers) override {}
  void write(std::string chunk) override {
    const std::lock_guard guard(mutex_);
    text_ += chunk;
    changed_.notify_all();
  }
  void end_stream() override {
    const std::lock_guard guard(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  void when_sent(std::function<void()> work) override {
    const std::lock_guard guard(mutex_);
    waiting_ = std::move(work);
    changed_.notify_all();
  }
  bool open() const override { return !gone_; }
  void drop() override {}
  void send_truncated(int, Headers, std::string, std::size_t) override {}
  void after(std::chrono::nanoseconds, std::function<void()>) override {}

  void take() {
    std::function<void()> work;
    {
      std::unique_lock guard(mutex_);
      changed_.wait_for(guard, std::chrono::seconds(20), [&] { return waiting_ != nullptr; });
      work = std::exchange(waiting_, nullptr);
    }
    if (work) work();
  }
  // What was written, once it holds that; all of it if that does not happen.
  std::string until(const std::string& text) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, std::chrono::seconds(20), [&] { return text_.find(text) != std::string::npos; });
    return text_;
  }
  // The connection ends: what waits for it is let go.
  void hang_up() {
    std::function<void()> work;
    const std::lock_guard guard(mutex_);
    work.swap(waiting_);
  }
  bool ended() {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, std::chrono::seconds(20), [&] { return ended_; });
  }

  std::atomic<bool> gone_ = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::function<void()> waiting_;
  bool ended_ = false;
};

struct RunEventsTest : testing::Test {
  std::string root = testing::TempDir() + "assay-events-" + std::to_string(::getpid());
  void SetUp() override { std::filesystem::create_directories(root); }
  void TearDown() override {
    for (const auto& one : peers) one->hang_up();
    std::filesystem::remove_all(root);
  }

  std::vector<std::shared_ptr<SlowPeer>> peers;
  std::shared_ptr<SlowPeer> connected() { return peers.emplace_back(std::make_shared<SlowPeer>()); }

  void write_run(const std::string& name, const std::string& what) const {
    const std::string directory = root + "/" + name;
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/results.jsonl") << "";
    std::ofstream(directory + "/summary.json.new") << R"({"assay":"0","evaluation":"e","what":")" + what +
                                                          R"(","run_id":"r","started":"2026-11-01T10:00:00Z",
"cases":{"total":1,"evaluated":1,"errored":0},"metrics":{},"usage":{"requests":0}})";
    std::filesystem::rename(directory + "/summary.json.new", directory + "/summary.json");
    std::ofstream(directory + "/config.yaml") << "evaluation: e\n";
  }
};

TEST_F(RunEventsTest, AListenerHearsWhatChangesAndASlowOneTheNewestOnly) {
  write_run("one", "first");
  RunCatalogue catalogue({root});
  RunEvents events(catalogue, std::chrono::milliseconds(5));
  const auto quick = connected();
  const auto slow = connected();
  ASSERT_TRUE(events.listen(slow, "one"));
  EXPECT_THAT(slow->until("first"), HasSubstr("event: run\ndata: {\"id\":\"one\"")) << "how the run is now";
  ASSERT_TRUE(events.listen(quick, "one"));
  (void)quick->until("first");
  quick->take();
  for (const char* what : {"second", "third"}) {
    write_run("one", what);
    EXPECT_THAT(quick->until(what), HasSubstr(what));
    quick->take();
  }
  slow->take();
  const std::string heard = slow->until("third");
  EXPECT_THAT(heard, HasSubstr("third"));
  EXPECT_THAT(heard, Not(HasSubstr("second"))) << "it was not the newest any more";
}

TEST_F(RunEventsTest, ARunThatGoesIsToldAndStoppingEndsTheStreams) {
  write_run("one", "first");
  RunCatalogue catalogue({root});
  RunEvents events(catalogue, std::chrono::milliseconds(5));
  const auto peer = connected();
  const auto leaving = connected();
  ASSERT_TRUE(events.listen(peer, "one"));
  ASSERT_TRUE(events.listen(leaving, ""));
  (void)peer->until("first");
  peer->take();
  std::filesystem::remove_all(root + "/one");
  EXPECT_THAT(peer->until("gone"), HasSubstr("event: gone\ndata: {\"id\":\"one\"}\n\n"));
  leaving->gone_ = true;
  for (int i = 0; i < 2000 && events.listeners() != 1; ++i) ::usleep(1000);
  EXPECT_EQ(events.listeners(), 1U) << "who has gone is forgotten";
  events.stop();
  EXPECT_TRUE(peer->ended());
  EXPECT_FALSE(events.listen(peer, "")) << "nobody new while stopping";
}

TEST_F(RunEventsTest, WhoMayNoLongerListenHearsNoMore) {
  write_run("one", "first");
  RunCatalogue catalogue({root});
  RunEvents events(catalogue, std::chrono::milliseconds(5));
  const auto peer = connected();
  std::atomic<bool> allowed = true;
  ASSERT_TRUE(events.listen(peer, "one", [&] { return allowed.load(); }));
  (void)peer->until("first");
  allowed = false;
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(events.listeners(), 0U);
}

}  // namespace
}  // namespace assay
