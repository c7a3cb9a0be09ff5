// What coordinators and workers tell each other through a real server.
#include "store/work_board.h"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/lasting_connection.h"
#include "tests/core/mailbox.h"
#include "tests/store/postgres/fresh_database.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkBoardTest : public testing::Test {
 protected:
  WorkBoardTest() : board_(opened()) {}

  std::unique_ptr<WorkBoard> opened() {
    auto board = WorkBoard::open(database_.address());
    if (!board) throw std::runtime_error(board.error().text());
    return std::move(*board);
  }
  template <class T>
  T await(Task<Result<T>> task) {
    auto came = loop_.await(std::move(task));
    EXPECT_TRUE(came) << came.error().text();
    return std::move(*came);
  }
  std::vector<std::string> alive(const std::string& run) {
    std::vector<std::string> names;
    for (const WorkerSign& sign : await(board_->workers(run))) names.push_back(sign.worker);
    return names;
  }

  FreshDatabase database_;
  Mailbox loop_;
  Poster::AtWork at_work_{loop_};
  std::unique_ptr<WorkBoard> board_;
};

TEST_F(WorkBoardTest, ShowsOpenRunsTheOldestFirst) {
  EXPECT_EQ(await(board_->open_run({"run-b", "1.0", "{}", "tag-1"})), "tag-1");
  EXPECT_EQ(await(board_->open_run({"run-a", "1.0", "{\"x\":1}", "tag-2"})), "tag-2");
  const auto runs = await(opened()->open_runs());
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].run_id, "run-b");
  EXPECT_EQ(runs[1].about, "{\"x\":1}");
  EXPECT_EQ(runs[1].tag, "tag-2");
  ASSERT_TRUE(loop_.await(board_->close_run("run-b")));
  EXPECT_EQ(await(board_->open_runs()).size(), 1U);
}

TEST_F(WorkBoardTest, ARunThatWasNotClosedKeepsItsTag) {
  await(board_->open_run({"run", "1.0", "{}", "first"}));
  EXPECT_EQ(await(board_->open_run({"run", "1.0", "{}", "second"})), "first");
  ASSERT_TRUE(loop_.await(board_->close_run("run")));
  EXPECT_EQ(await(board_->open_run({"run", "1.0", "{}", "third"})), "third");
}

TEST_F(WorkBoardTest, TheFirstWishToStopCountsUntilTheRunIsOpenedAgain) {
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  EXPECT_EQ(await(board_->stop_wish("run")), std::nullopt);
  ASSERT_TRUE(loop_.await(board_->wish_stop("run", {"circuit_open", "a wrong key"})));
  ASSERT_TRUE(loop_.await(board_->wish_stop("run", {"budget", "too late"})));
  const auto wish = await(board_->stop_wish("run"));
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->kind, "circuit_open");
  EXPECT_EQ(wish->words, "a wrong key");
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  EXPECT_EQ(await(board_->stop_wish("run")), std::nullopt);
}

TEST_F(WorkBoardTest, KnowsWhoIsAliveAndWhatTheyHold) {
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  await(board_->alive("run", {"b", "", 7}));
  const RunWatch watch = await(board_->alive("run", {"a", "no key", 0}));
  EXPECT_TRUE(watch.open);
  EXPECT_THAT(watch.alive, ElementsAre(WorkerSign{"a", "no key", 0}, WorkerSign{"b", "", 7}));
  ASSERT_TRUE(loop_.await(board_->gone("run", "a")));
  EXPECT_THAT(alive("run"), ElementsAre("b"));
  // One that fell silent: what it held is free again.
  database_.sql("UPDATE assay_worker_signs SET seen = seen - interval '11 s'");
  EXPECT_THAT(alive("run"), IsEmpty());
  ASSERT_TRUE(loop_.await(board_->close_run("run")));
  EXPECT_FALSE(await(board_->alive("run", {"b", "", 0})).open);
}

TEST_F(WorkBoardTest, TellsWhatEachPromisesOfTheLimitsAndWhoIsSilent) {
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  await(board_->alive("run", {.worker = "b", .parts = 3, .place = 1}));
  database_.sql("UPDATE assay_worker_signs SET seen = seen - interval '4 s'");
  const RunWatch watch = await(board_->alive("run", {.worker = "a"}));
  EXPECT_THAT(watch.alive, ElementsAre(WorkerSign{.worker = "a"},
                                       WorkerSign{.worker = "b", .parts = 3, .place = 1, .silent = true}));
}

TEST(LastingConnection, TellsOnceOfABreakThatLasts) {
  postgres::LastingConnection connection(StoreAddress::read("postgres://ann@127.0.0.1:1/runs").value());
  std::vector<std::string> told;
  connection.set_warn([&](const std::string& words) { told.push_back(words); });
  connection.set_patience(std::chrono::milliseconds(4500));
  const auto asked = connection.ask([](postgres::Connection&) -> Result<int> { return 1; });
  ASSERT_FALSE(asked);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].contains("127.0.0.1:1") && told[0].contains("trying again")) << told[0];
}

TEST_F(WorkBoardTest, KnowsWhichCasesEndedAndTakesBackWhatIsTriedAgain) {
  const RunAddress address = RunAddress::in(database_.address(), "run-1");
  auto lock = RunStore::lock(address);
  ASSERT_TRUE(lock) << lock.error().text();
  auto store = RunStore::create(address, std::move(*lock), identity(), {});
  ASSERT_TRUE(store) << store.error().text();
  for (const auto& row :
       {OutcomeRow{1, "a", "scored", "{}", true}, OutcomeRow{2, "b", "infra_failed", "{}", false},
        OutcomeRow{4, "d", "target_failed", "{}", true}})
    ASSERT_TRUE(loop_.await((*store)->put(row)));
  auto ended = await(board_->ended("run-1", {1, 2, 3}));
  std::ranges::sort(ended, {}, &EndedCase::index);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].outcome, "scored");
  EXPECT_EQ(ended[1].outcome, "infra_failed");
  await(board_->open_run({"run-1", "1.0", "{}", "t"}));
  EXPECT_EQ(await(board_->ended("run-1", {1, 2, 3, 4})).size(), 2U) << "2 is to be tried again";
}

// Of two that sign at the same time one knows of the other, whatever the database does by default: each waits
// for the other's commit, and must see it then.
TEST_F(WorkBoardTest, SeesWhoSignedMeanwhileWhateverTheIsolationOfTheDatabase) {
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  database_.sql(fmt::format("ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'",
                            database_.sql("SELECT current_database()")));
  auto other = postgres::Connection::open(database_.address());
  ASSERT_TRUE(other);
  const auto mine = opened();
  ASSERT_TRUE(other->execute("BEGIN; SELECT FROM assay_open_runs FOR NO KEY UPDATE"));
  Task<Result<RunWatch>> signing = mine->alive("run", {.worker = "a"});
  std::thread later([&] {
    while (database_.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0") {
    }
    EXPECT_TRUE(other->execute(
        "INSERT INTO assay_worker_signs VALUES ('run', 'b', '', 7, clock_timestamp(), 0, 0); COMMIT"));
  });
  const auto watch = loop_.await(std::move(signing));
  later.join();
  ASSERT_TRUE(watch) << watch.error().text();
  EXPECT_EQ(watch->alive.size(), 2U);
}

TEST_F(WorkBoardTest, SaysOfWhatKindAPoolerHasToBe) {
  auto connection = postgres::Connection::open(database_.address());
  ASSERT_TRUE(connection);
  constexpr postgres::Statement one{"one", "SELECT 1"};
  ASSERT_TRUE(connection->run(one, {}));
  // As where another session does the rest.
  ASSERT_TRUE(connection->execute("DEALLOCATE ALL"));
  const auto again = connection->run(one, {});
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().message.contains("session mode")) << again.error().message;
}

TEST_F(WorkBoardTest, SurvivesABreakOfItsConnection) {
  await(board_->open_run({"run", "1.0", "{}", "t"}));
  database_.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
      "current_database()");
  EXPECT_EQ(await(board_->open_runs()).size(), 1U);
}

TEST(WorkBoard, NeedsAStoreThatMachinesShare) {
  const auto board = WorkBoard::open(StoreAddress::read("some/directory").value());
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().kind, ErrorKind::config);
  EXPECT_TRUE(board.error().message.contains("postgres://"));
}

}  // namespace
}  // namespace assay
