#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/random.h"
#include "store/data/data_store.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// The store is opened by other processes, or after them.
class DataStoreCrashTest : public DataStoreTest {
 protected:
  void SetUp() override {
    DataStoreTest::SetUp();
    clear();
  }
};
class DataFileCrashTest : public DataStoreFixture {
 protected:
  void SetUp() override {
    DataStoreFixture::SetUp();
    clear();
  }
};

// Records results and tells the number of each through the pipe when it is acknowledged, until it is killed.
[[noreturn]] void record_until_killed(const StoreAddress& address, int round, int pipe_end) {
  auto store = DataStore::open(address);
  if (!store) ::_exit(1);
  for (std::int64_t i = 0;; ++i) {
    const std::string id = std::to_string(round) + "/" + std::to_string(i);
    (*store)->add_items({item(id, i, {"t"})}, {});
    (*store)->add_result(result(id, "trial", "kenton", "mode2"),
                         [pipe_end, i](const Result<ResultRecorded>& done) {
                           if (!done || ::write(pipe_end, &i, sizeof i) != sizeof i) ::_exit(2);
                         });
    if (i % 16 == 0) ::usleep(100);
  }
}

// Every number that was told until the child, killed after `patience` milliseconds, is gone.
std::vector<std::int64_t> told_until_killed(pid_t child, int pipe_end, int patience) {
  std::vector<std::int64_t> told;
  const auto read_one = [&] {
    std::int64_t number = 0;
    if (::read(pipe_end, &number, sizeof number) != sizeof number) return false;
    told.push_back(number);
    return true;
  };
  read_one();  // it has opened the store
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd ready{pipe_end, POLLIN, 0};
    if (::poll(&ready, 1, 1) == 1 && !read_one()) break;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  while (read_one()) continue;
  return told;
}

INSTANTIATE_TEST_SUITE_P(On, DataStoreCrashTest, kEveryPlace, place_name);

TEST_P(DataStoreCrashTest, NothingThatWasAcknowledgedIsLostWhenTheProcessIsKilled) {
  Random random = Random::keyed(1, "kill");
  for (int round = 0; round < 8; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      record_until_killed(address(), round, ends[1]);
    }
    ::close(ends[1]);
    const auto told = told_until_killed(child, ends[0], static_cast<int>(random.below(150)));
    ::close(ends[0]);
    ASSERT_FALSE(told.empty()) << "round " << round;

    auto store = DataStore::open(address());
    ASSERT_TRUE(store.has_value()) << store.error().text();
    for (const std::int64_t number : told) {
      const std::string id = std::to_string(round) + "/" + std::to_string(number);
      const auto found = (*store)->results({.tag = "trial", .item_id = id}).value();
      ASSERT_EQ(found.total, 1) << id;
      ASSERT_EQ(found.rows[0].verdict.text, "because");
    }
    // A result is there with all its parts: it keeps its item out, and recording it again finds it.
    const auto results = (*store)->results({.tag = "trial", .count = 0}).value();
    const auto items = (*store)->items({.tag = "t", .count = 0}).value();
    const auto left = (*store)->items({.tag = "t", .exclude_tag = "trial", .count = 0}).value();
    EXPECT_EQ(items.total - left.total, results.total);
    const std::string last = std::to_string(round) + "/" + std::to_string(told.back());
    EXPECT_TRUE(waited<ResultRecorded>([&](const auto& done) {
                  (*store)->add_result(result(last, "trial", "kenton", "mode2"), done);
                })
                    .value()
                    .known);
  }
}

// The file size limit of the process stands for a full disk: the writes of the group and all later ones fail,
// what was acknowledged before is there, and questions are still answered.
TEST_F(DataFileCrashTest, AfterAFailedCommitEveryWriteFails) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto store = DataStore::open(address());
    if (!store) ::_exit(10);
    const auto add = [&](const StoredItem& one) {
      return waited<ItemsAdded>([&](const auto& done) { (*store)->add_items({one}, done); });
    };
    if (!add(item("before", 1, {"t"}))) ::_exit(11);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    StoredItem big = item("big", 1, {"t"});
    big.json = std::string(1'000'000, 'x');
    if (add(big)) ::_exit(12);
    const auto after = add(item("after", 1, {"t"}));
    if (after) ::_exit(13);
    if (!after.error().text().contains("disk")) ::_exit(14);
    const auto seen = (*store)->items({.tag = "t"});
    if (!seen || seen->total != 1) ::_exit(15);
    store->reset();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto store = DataStore::open(address());
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const auto page = (*store)->items({.tag = "t"}).value();
  ASSERT_EQ(page.total, 1);
  EXPECT_EQ(page.items[0].item_id, "before");
}

TEST_F(DataFileCrashTest, AnotherProcessIsRefusedUntilTheFirstIsGone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = DataStore::open(address());
    if (!store || ::write(ends[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char opened = 0;
  ASSERT_EQ(::read(ends[0], &opened, 1), 1);
  const auto refused = DataStore::open(address());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("another assay process has this evaluation store open"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  EXPECT_TRUE(DataStore::open(address()).has_value());
}

}  // namespace
}  // namespace assay
