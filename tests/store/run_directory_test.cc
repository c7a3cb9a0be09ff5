// A run's directory as a RunStore: what it says of directories that are no run, what disks do to it, and that
// a kill loses nothing.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "store/run_store.h"
#include "store/sqlite.h"
#include "tests/core/mailbox.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RunDirectoryTest : public ::testing::Test {
 protected:
  std::string folder() const { return directory_.path(); }
  std::string why_not_opened(const std::string& path) {
    const auto opened = RunStore::open(path, nullptr);
    EXPECT_FALSE(opened.has_value());
    return opened ? "" : opened.error().text();
  }
  void begin_run() {
    const auto made = create_run(folder());
    ASSERT_TRUE(made.has_value()) << made.error().text();
  }
  void set_format(int format) {
    auto database = Database::open(folder() + "/run.db", Database::Mode::read_write);
    ASSERT_TRUE(database->execute("PRAGMA user_version=" + std::to_string(format)).has_value());
  }

  ScratchDirectory directory_{"run_directory"};
  Mailbox loop_;
};

TEST_F(RunDirectoryTest, SaysWhatIsWrongWithADirectoryThatIsNoRun) {
  EXPECT_THAT(why_not_opened(folder()), HasSubstr("there is no run.db"));
  EXPECT_THAT(why_not_opened(folder() + "/none"), HasSubstr("no such file"));
  std::ofstream(folder() + "/run.db")
      << "this is no database, and long enough to be looked at as one, surely";
  EXPECT_THAT(why_not_opened(folder()), HasSubstr("not an SQLite database"));
  EXPECT_FALSE(read_identity(folder()).has_value());
}

TEST_F(RunDirectoryTest, AJournalOfAnotherVersionIsRefusedWithASentence) {
  begin_run();
  set_format(99);
  EXPECT_THAT(why_not_opened(folder()),
              HasSubstr("found journal format 99, expected 3: it was written by another version of assay"));
  EXPECT_THAT(read_identity(folder()).error().text(), HasSubstr("found journal format 99"));
  EXPECT_THAT(resume_run(folder()).error().text(), HasSubstr("found journal format 99"));
}

TEST_F(RunDirectoryTest, TheFirstFormatIsRefusedSinceItKnewModelsByTheirAliasOnly) {
  begin_run();
  set_format(1);
  EXPECT_THAT(why_not_opened(folder()), HasSubstr("knew models by their alias only; finish it with that "
                                                  "version, or start a new run"));
}

TEST_F(RunDirectoryTest, TheSecondFormatIsRefusedSinceItsRowsAreNotChained) {
  begin_run();
  set_format(2);
  EXPECT_THAT(why_not_opened(folder()),
              HasSubstr("its rows are not chained; finish it with that version, or start a new run"));
}

TEST_F(RunDirectoryTest, LeavesOnePlainFileThatCanBeCopiedAndReadWhereNothingMayBeWritten) {
  {
    auto store = create_run(folder());
    ASSERT_TRUE(store.has_value()) << store.error().text();
    ASSERT_TRUE(loop_.await((*store)->put(effect(0, "a"))).has_value());
  }
  EXPECT_FALSE(fs::exists(folder() + "/run.db-wal"));
  fs::permissions(folder() + "/run.db", fs::perms(0444));
  fs::permissions(folder(), fs::perms(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    // Root may write anywhere.
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(10);
    const auto another = create_run(folder() + "/another");
    if (another || another.error().kind != ErrorKind::io) ::_exit(11);
    Mailbox loop;
    auto store = RunStore::open(folder(), nullptr);
    if (!store) ::_exit(12);
    const auto rows = loop.await((*store)->effects_of(0, Requests::left_out));
    ::_exit(rows && rows->size() == 1 ? 0 : 13);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Between WAL and a plain file SQLite keeps the pages that it changes beside them.
TEST_F(RunDirectoryTest, IsReadThoughItsWriterWasKilledWithinATransaction) {
  begin_run();
  const std::string before = read_file(folder() + "/run.db").value();
  const pid_t child = ::fork();
  if (child == 0) {
    auto database = Database::open(folder() + "/run.db", Database::Mode::read_write);
    const auto changed = database->execute(
        "PRAGMA cache_size=1; BEGIN; CREATE TABLE other (text); INSERT INTO other VALUES (zeroblob(99999)); "
        "DELETE FROM run");
    ::_exit(changed ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  ASSERT_NE(read_file(folder() + "/run.db").value(), before);
  EXPECT_EQ(defect_of(folder()), "");
  EXPECT_EQ(read_identity(folder()).value().run_id, identity().run_id);
}

TEST_F(RunDirectoryTest, FilesAreWrittenWholeAndInTheOrderOfTheCalls) {
  auto store = create_run(folder());
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const std::string path = folder() + "/task.yaml";
  // Another thread looks at the file all the time: it is never there in part.
  std::atomic<bool> over = false;
  std::atomic<int> torn = 0;
  std::thread reader([&] {
    while (!over) {
      const auto text = read_file(path);
      if (text && (text->size() != 300'000 || text->find_first_not_of(text->front()) != std::string::npos))
        ++torn;
    }
  });
  for (int i = 0; i < 20; ++i)
    Mailbox::give_up((*store)->keep_file("task.yaml", std::string(300'000, static_cast<char>('a' + i))));
  const Status last = loop_.await((*store)->keep_file("task.yaml", std::string(300'000, 'z')));
  over = true;
  reader.join();
  EXPECT_TRUE(last.has_value());
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(read_file(path).value(), std::string(300'000, 'z'));
  const Status nowhere = loop_.await((*store)->keep_file("none/task.yaml", "x"));
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(nowhere.error().text(), HasSubstr("none/task.yaml"));
}

TEST_F(RunDirectoryTest, AFileIsKeptWholeThoughTheCoroutineThatWantedItIsGone) {
  auto store = create_run(folder());
  ASSERT_TRUE(store.has_value()) << store.error().text();
  for (int i = 0; i < 8; ++i) {
    Mailbox::give_up((*store)->keep_file("file" + std::to_string(i), std::string(200'000, 'x')));
  }
  ASSERT_TRUE(loop_.await((*store)->keep_file("last", "x")).has_value());
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(read_file(folder() + "/file" + std::to_string(i)).value(), std::string(200'000, 'x'));
}

Task<void> put_and_tell(RunStore& store, std::int64_t index, int pipe) {
  const auto done = co_await store.put(effect(index, "s"));
  if (done && ::write(pipe, "+", 1) != 1) ::_exit(1);
}

// A child writes rows, telling each commit through a pipe, until it is killed: every row that was told is
// there.
TEST_F(RunDirectoryTest, NothingThatWasReportedIsLostWhenTheProcessIsKilled) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Mailbox loop;
    auto store = create_run(folder());
    if (!store) ::_exit(1);
    for (std::int64_t i = 0;; i += 4) {
      (void)loop.await(all(put_and_tell(**store, i, pipe_ends[1]), put_and_tell(**store, i + 1, pipe_ends[1]),
                           put_and_tell(**store, i + 2, pipe_ends[1]),
                           put_and_tell(**store, i + 3, pipe_ends[1])));
    }
  }
  std::int64_t told = 0;
  while (told < 300) {
    char buffer[64];
    const auto count = ::read(pipe_ends[0], buffer, sizeof buffer);
    ASSERT_GT(count, 0);
    told += count;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  auto store = resume_run(folder());
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const auto begun = loop_.await((*store)->states({})).value().begun;
  ASSERT_GE(static_cast<std::int64_t>(begun.size()), told);
  for (std::int64_t i = 0; i < told; ++i) EXPECT_EQ(begun[static_cast<std::size_t>(i)], i);
}

// The file size limit of the process stands for a full disk: the write fails, the error says so, nothing is
// accepted after it, and what was committed before is intact.
TEST_F(RunDirectoryTest, AfterAFailedCommitNothingIsAcceptedAndWhatWasCommittedIsThere) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    Mailbox loop;
    auto store = create_run(folder());
    if (!store) ::_exit(10);
    if (!loop.await((*store)->put(effect(0, "small")))) ::_exit(11);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 200'000;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EffectRow big = effect(1, "big");
    big.reply = std::string(1'000'000, 'x');
    const auto failed = loop.await((*store)->put(std::move(big)));
    if (failed || failed.error().kind != ErrorKind::journal) ::_exit(12);
    // There is room again, but a store that may have a hole is not gone on with.
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto after = loop.await((*store)->put(effect(2, "after")));
    if (after || after.error().text() != failed.error().text()) ::_exit(13);
    store->reset();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto store = resume_run(folder());
  ASSERT_TRUE(store.has_value()) << store.error().text();
  EXPECT_THAT(loop_.await((*store)->states({})).value().begun, ElementsAre(0));
}

}  // namespace
}  // namespace assay
