#include "store/group_commit.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Group = std::vector<int>;

// Keeps every group that the writer was given, and what was told of it; the writer's thread is held inside of
// a commit until the test lets it go.
class Ledger {
 public:
  GroupCommit<int>::Commit commit() {
    return [this](std::span<int> group) -> Status {
      std::unique_lock guard(mutex_);
      committed_.emplace_back(group.begin(), group.end());
      came_.notify_all();
      came_.wait(guard, [this] { return !held_; });
      const bool broken = std::ranges::find(group, broken_) != group.end();
      return broken ? Status(fail(ErrorKind::journal, "the disk is full")) : Status();
    };
  }
  GroupCommit<int>::Told told() {
    return [this](std::span<int> group, const Status& status) {
      const std::lock_guard guard(mutex_);
      for (const int entry : group) (status ? good_ : bad_).push_back(entry);
      came_.notify_all();
    };
  }
  void hold() {
    const std::lock_guard guard(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard guard(mutex_);
    held_ = false;
    came_.notify_all();
  }
  void break_at(int entry) {
    const std::lock_guard guard(mutex_);
    broken_ = entry;
  }
  void wait_for_commits(std::size_t count) {
    std::unique_lock guard(mutex_);
    came_.wait(guard, [&] { return committed_.size() >= count; });
  }
  void wait_for_told(std::size_t count) {
    std::unique_lock guard(mutex_);
    came_.wait(guard, [&] { return good_.size() + bad_.size() >= count; });
  }
  // After the writer has gone.
  const std::vector<Group>& committed() const { return committed_; }
  const Group& good() const { return good_; }
  const Group& bad() const { return bad_; }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool held_ = false;
  int broken_ = -1;
  std::vector<Group> committed_;
  Group good_;
  Group bad_;
};

TEST(GroupCommit, WhatComesDuringACommitGoesIntoTheNextOneTogether) {
  Ledger ledger;
  ledger.hold();
  {
    GroupCommit<int> writer(100, ledger.commit(), ledger.told());
    writer.add(1);
    ledger.wait_for_commits(1);
    for (const int entry : {2, 3, 4}) writer.add(entry);
    ledger.let_go();
    ledger.wait_for_told(4);
  }
  EXPECT_THAT(ledger.committed(), ElementsAre(Group{1}, Group{2, 3, 4}));
  EXPECT_THAT(ledger.good(), ElementsAre(1, 2, 3, 4));
}

TEST(GroupCommit, AfterALargeGroupItWaitsForMoreAndAfterASmallOneItDoesNot) {
  using namespace std::chrono_literals;
  Ledger ledger;
  {
    GroupCommit<int> writer(100, {.busy = 2, .wait = 1h}, ledger.commit(), ledger.told());
    for (const int entry : {1, 2}) {
      writer.add(entry);
      ledger.wait_for_told(static_cast<std::size_t>(entry));
    }
    ledger.hold();
    writer.add(3);
    ledger.wait_for_commits(3);
    for (const int entry : {4, 5}) writer.add(entry);
    ledger.let_go();
    ledger.wait_for_told(5);
    for (const int entry : {6, 7, 8}) writer.add(entry);
    // Whoever ends it need not wait for the hour.
  }
  EXPECT_THAT(ledger.committed(), ElementsAre(Group{1}, Group{2}, Group{3}, Group{4, 5}, Group{6, 7, 8}));
}

TEST(GroupCommit, AGroupHasNoMoreEntriesThanItMay) {
  Ledger ledger;
  ledger.hold();
  {
    GroupCommit<int> writer(2, ledger.commit(), ledger.told());
    writer.add(1);
    ledger.wait_for_commits(1);
    for (const int entry : {2, 3, 4, 5, 6}) writer.add(entry);
    ledger.let_go();
  }
  EXPECT_THAT(ledger.committed(), ElementsAre(Group{1}, Group{2, 3}, Group{4, 5}, Group{6}));
}

TEST(GroupCommit, AfterAFailureNothingIsTriedAndEverybodyHearsOfIt) {
  Ledger ledger;
  ledger.break_at(2);
  {
    GroupCommit<int> writer(1, ledger.commit(), ledger.told());
    for (const int entry : {1, 2, 3, 4}) writer.add(entry);
  }
  EXPECT_THAT(ledger.committed(), ElementsAre(Group{1}, Group{2}));
  EXPECT_THAT(ledger.good(), ElementsAre(1));
  EXPECT_THAT(ledger.bad(), ElementsAre(2, 3, 4));
}

TEST(GroupCommit, CommitsWhatWasAddedBeforeItGoes) {
  Ledger ledger;
  ledger.hold();
  {
    GroupCommit<int> writer(100, ledger.commit(), ledger.told());
    for (int entry = 0; entry < 1000; ++entry) writer.add(entry);
    ledger.let_go();
  }
  EXPECT_EQ(ledger.good().size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(ledger.good()));
  EXPECT_THAT(ledger.bad(), IsEmpty());
}

}  // namespace
}  // namespace assay
