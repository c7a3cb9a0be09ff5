// Workers that come, go and divide a limit, with a board, clocks and requests that the test plays.
#include "worker/share_agreement.h"

#include <algorithm>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

// One worker that asks as much as it may.
struct Asking {
  explicit Asking(const std::string& name) : agreement(name) {}
  ShareAgreement agreement;
  int in_flight = 0;
  int cases = 0;  // begun and not ended

  int due(int limit) const { return agreement.in_force() ? agreement.in_force()->of(limit) : 0; }
  // As Sitting::sign() does.
  WorkerSign sign(const std::string& name, int limit) const {
    const LimitShare& wanted = agreement.wanted();
    const int of = wanted.of(limit);
    const bool fits = of > 0 ? in_flight <= of : cases == 0;
    return {.worker = name, .parts = fits ? wanted.parts : 0, .place = fits ? wanted.place : 0};
  }
  // Who is due none goes on with one for what was begun.
  void ask(int limit) {
    const int most = agreement.in_force() ? std::max(1, due(limit)) : 0;
    while (in_flight < most && (due(limit) > 0 || in_flight < cases)) {
      cases = std::max(cases, ++in_flight);
    }
  }
};

std::vector<WorkerSign> told(const std::map<std::string, WorkerSign>& board) {
  std::vector<WorkerSign> all;
  for (const auto& [name, sign] : board) all.push_back(sign);
  return all;
}

TEST(ShareAgreement, WhoIsAloneBeginsAtOnce) {
  ShareAgreement agreement("a");
  EXPECT_FALSE(agreement.in_force());
  agreement.hear({{.worker = "a", .parts = 1, .place = 0}});
  ASSERT_TRUE(agreement.in_force());
  EXPECT_EQ(agreement.in_force()->of(8), 8);
}

TEST(ShareAgreement, WhoJoinsWaitsUntilTheOtherKeepsToItsPart) {
  ShareAgreement joins("b");
  joins.hear({{.worker = "a", .parts = 1, .place = 0}, {.worker = "b", .parts = 1, .place = 0}});
  EXPECT_FALSE(joins.in_force());
  EXPECT_EQ(joins.wanted().parts, 2);
  EXPECT_EQ(joins.wanted().place, 1);
  joins.hear({{.worker = "a"}, {.worker = "b", .parts = 2, .place = 1}});
  EXPECT_FALSE(joins.in_force()) << "more than its part is in flight there";
  joins.hear({{.worker = "a", .parts = 2, .place = 0}, {.worker = "b", .parts = 2, .place = 1}});
  ASSERT_TRUE(joins.in_force());
  EXPECT_EQ(joins.in_force()->of(8), 4);
}

TEST(ShareAgreement, OneThatIsSilentIsNotWaitedForAndKeepsItsPart) {
  ShareAgreement joins("b");
  const WorkerSign killed{.worker = "a", .parts = 1, .place = 0, .silent = true};
  joins.hear({killed, {.worker = "b", .parts = 1, .place = 0}});
  joins.hear({killed, {.worker = "b", .parts = 2, .place = 1}});
  ASSERT_TRUE(joins.in_force());
  EXPECT_EQ(joins.in_force()->of(8), 4);
}

TEST(ShareAgreement, WhoLeavesARunToOthersHasNoPart) {
  ShareAgreement agreement("b");
  agreement.hear({{.worker = "a", .words = "no key"}, {.worker = "b", .parts = 1, .place = 0}});
  ASSERT_TRUE(agreement.in_force());
  EXPECT_EQ(agreement.in_force()->of(8), 8);
}

TEST(ShareAgreement, TogetherTheyNeverTakeMoreThanThereIsWhoeverComesAndGoes) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const int limit = 1 + draw(10);
    std::map<std::string, Asking> workers;
    std::map<std::string, WorkerSign> board;
    for (int step = 0; step < 600; ++step) {
      if (workers.empty() || (workers.size() < 6 && draw(40) == 0)) {
        const std::string name(1, static_cast<char>('a' + draw(26)));
        workers.try_emplace(name, name);
        continue;
      }
      const auto one = std::next(workers.begin(), draw(static_cast<int>(workers.size())));
      auto& [name, worker] = *one;
      switch (draw(4)) {
        case 0:
          board[name] = worker.sign(name, limit);
          worker.agreement.hear(told(board));
          worker.ask(limit);
          break;
        case 1:
          worker.in_flight = std::max(0, worker.in_flight - 1);
          worker.ask(limit);
          break;
        case 2:  // a case ends with its last request
          if (worker.in_flight > 0) --worker.in_flight, --worker.cases;
          worker.ask(limit);
          break;
        default:
          if (worker.in_flight == 0 && draw(20) == 0) {
            board.erase(name);
            workers.erase(one);
          }
      }
      int together = 0;
      for (const auto& [other, state] : workers) together += state.in_flight;
      ASSERT_LE(together, limit) << "seed " << seed << ", step " << step;
    }
    // Undisturbed, they come to use all of it.
    for (int round = 0; round < 8; ++round) {
      for (auto& [name, worker] : workers) {
        worker.in_flight = 0;
        worker.cases = 0;
        board[name] = worker.sign(name, limit);
        worker.agreement.hear(told(board));
      }
    }
    int due = 0;
    for (const auto& [name, worker] : workers) due += worker.due(limit);
    ASSERT_EQ(due, limit) << "seed " << seed;
  }
}

}  // namespace
}  // namespace assay
