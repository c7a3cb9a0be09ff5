// The coordinator with a queue and a board that the test plays.
#include "engine/distributed/coordinator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/queue/played_queue.h"
#include "tests/store/passed_on_store.h"
#include "tests/store/played_board.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

class Payloads final : public CaseSource {
 public:
  Payloads(std::int64_t count, std::size_t bytes) : count_(count), bytes_(bytes) {}
  Result<bool> next() override {
    if (next_ == count_) return false;
    current_ = {.index = next_, .id = std::to_string(next_), .payload = std::string(bytes_, 'x')};
    ++next_;
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace&) override { return fail(ErrorKind::internal, "nobody goes back"); }
  std::vector<Problem> take_problems() override { return {}; }
  std::int64_t lines() const override { return next_; }
  std::int64_t invalid() const override { return 0; }

 private:
  std::int64_t count_;
  std::size_t bytes_;
  std::int64_t next_ = 0;
  Case current_;
};

class PayloadWork final : public CaseWork {
 public:
  PayloadWork(std::int64_t count, std::size_t bytes) : count_(count), bytes_(bytes) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return std::make_unique<Payloads>(count_, bytes_);
  }
  bool asks_outside() const override { return true; }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }
  Task<Outcome> evaluate(const Case&, CaseContext&) const override {
    co_return Outcome{OutcomeKind::infra_failed, {}, "workers do that"};
  }

 private:
  std::int64_t count_;
  std::size_t bytes_;
};

// From the third sign of life on the right to the run is another process's.
class TakenOver final : public PassedOnStore {
 public:
  using PassedOnStore::PassedOnStore;
  Task<Status> note(std::string text) override {
    if (++notes_ > 2) co_return fail(ErrorKind::journal, "another assay process has taken the run over");
    co_return co_await PassedOnStore::note(std::move(text));
  }

 private:
  int notes_ = 0;
};

class CoordinatorTest : public testing::Test {
 protected:
  RunResult run(const CaseWork& work, RunStore& store, std::int64_t total) {
    CoordinatorOptions options;
    options.window = 300;
    Coordinator coordinator(loop_, queue_, board_, std::move(options));
    return loop_.run_until_done(coordinator.run(work, store, total));
  }

  ScratchDirectory directory_{"coordinator"};
  EventLoop loop_;
  std::unique_ptr<RunStore> store_ = *create_run(directory_.path());
  PlayedQueue queue_;
  PlayedBoard board_;
};

TEST_F(CoordinatorTest, LeavesARunThatAnotherProcessHasTakenOverAsItIs) {
  TakenOver store(*store_);
  const RunResult result = run(PayloadWork(3, 10), store, 3);
  EXPECT_EQ(result.end, RunEnd::stopped);
  ASSERT_TRUE(result.reason);
  EXPECT_TRUE(result.reason->message.contains("taken the run over")) << result.reason->text();
  EXPECT_TRUE(board_.open) << "its workers go on for the other one";
}

TEST_F(CoordinatorTest, HandsLargeCasesToTheQueueAFewAtATime) {
  board_.all_end = true;
  EXPECT_EQ(run(PayloadWork(40, 400'000), *store_, 40).end, RunEnd::complete);
  EXPECT_FALSE(board_.open);
  std::size_t cases = 0;
  for (const std::vector<WorkItem>& together : queue_.published) {
    std::size_t bytes = 0;
    for (const WorkItem& item : together) bytes += item.body.size();
    EXPECT_LE(bytes, 3'000'000U) << "a slow line needs long for that, and more at a time takes no answer";
    cases += together.size();
  }
  EXPECT_EQ(cases, 40U);
}

}  // namespace
}  // namespace assay
