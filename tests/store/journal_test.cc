#include "store/journal.h"

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Collects what the writer's thread reports.
class Commits {
 public:
  Journal::Committed callback() {
    return [this](std::vector<Journal::Ticket> tickets, Status status) {
      const std::lock_guard guard(mutex_);
      tickets_ += tickets.size();
      if (!status) error_ = status.error().text();
      changed_.notify_all();
    };
  }
  void wait_for(std::size_t count) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return tickets_ >= count; });
  }
  std::string error() {
    const std::lock_guard guard(mutex_);
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t tickets_ = 0;
  std::string error_;
};

EffectRow effect(std::int64_t index, const std::string& step, int attempt = 1) {
  EffectRow row;
  row.key = {index, step, attempt};
  row.kind = "model";
  row.request = R"({"q":")" + std::to_string(index) + step + "\"}";
  row.request_hash = sha256(row.request);
  row.reply = R"({"a":1})";
  row.model = "m";
  row.prompt_tokens = 10;
  row.completion_tokens = 5;
  row.cost_picousd = 7;
  row.tries = 2;
  row.finished = "2026-01-01T00:00:00.000Z";
  return row;
}

class JournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay_journal_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder() const { return folder_.string(); }
  RunIdentity identity() const {
    return {"run-1", "question_router", "0.1.0", "now", "{}", "data.jsonl", "hash"};
  }
  int mark_ = 0;
  Journal::Ticket ticket() { return &mark_; }
  Commits commits_;
  fs::path folder_;
};

TEST_F(JournalTest, GivesBackWhatWasCommitted) {
  {
    auto journal = Journal::create(folder(), identity(), commits_.callback());
    ASSERT_TRUE(journal.has_value()) << journal.error().text();
    (*journal)->append(effect(3, "judge/a"), ticket());
    (*journal)->append(effect(3, "judge/b", 2), ticket());
    (*journal)->append(effect(5, "judge/a"), ticket());
    (*journal)->append(OutcomeRow{3, "three", "scored", "{}"}, ticket());
    (*journal)->append(OutcomeRow{4, "four", "infra_failed", "{}"}, ticket());
    commits_.wait_for(5);
    const auto rows = (*journal)->effects_of(3);
    ASSERT_TRUE(rows.has_value());
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[1].key.attempt, 2);
    EXPECT_EQ((*rows)[0].request_hash, sha256((*rows)[0].request));
    EXPECT_THAT((*journal)->begun({}).value(), ElementsAre(5));
    EXPECT_THAT((*journal)->finished({"infra_failed"}).value(), ElementsAre(3));
    EXPECT_THAT((*journal)->finished({}).value(), ElementsAre(3, 4));
    const auto totals = (*journal)->totals().value();
    EXPECT_EQ(totals.requests, 6);
    EXPECT_EQ(totals.prompt_tokens, 30);
    EXPECT_EQ(totals.cost_picousd, 21);
    EXPECT_TRUE(totals.cost_known);
  }
  auto again = Journal::open(folder(), commits_.callback());
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_EQ((*again)->identity().run_id, "run-1");
  EXPECT_EQ((*again)->effects_of(5)->size(), 1U);
  auto outcomes = OutcomeReader::open(folder());
  EXPECT_EQ((*outcomes)->next().value()->case_id, "three");
  EXPECT_EQ((*outcomes)->next().value()->case_index, 4);
  EXPECT_FALSE((*outcomes)->next().value().has_value());
}

TEST_F(JournalTest, ACaseTriedAgainHasItsLastOutcome) {
  auto journal = Journal::create(folder(), identity(), commits_.callback());
  (*journal)->append(OutcomeRow{0, "a", "infra_failed", "{}"}, ticket());
  (*journal)->append(OutcomeRow{0, "a", "scored", "{}"}, ticket());
  commits_.wait_for(2);
  EXPECT_THAT((*journal)->finished({"infra_failed"}).value(), ElementsAre(0));
}

TEST_F(JournalTest, OnlyOneProcessMayWriteARun) {
  auto journal = Journal::create(folder(), identity(), commits_.callback());
  ASSERT_TRUE(journal.has_value());
  const auto second = Journal::open(folder(), commits_.callback());
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text(), HasSubstr("another assay process"));
}

TEST_F(JournalTest, ADirectoryThatHoldsARunIsNotStartedAgain) {
  {
    ASSERT_TRUE(Journal::create(folder(), identity(), commits_.callback()).has_value());
  }
  const auto second = Journal::create(folder(), identity(), commits_.callback());
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text(), HasSubstr("holds a run already"));
}

TEST_F(JournalTest, SaysWhatIsWrongWithADirectoryThatIsNoRun) {
  EXPECT_THAT(Journal::open(folder(), commits_.callback()).error().text(), HasSubstr("there is no run.db"));
  EXPECT_THAT(Journal::open(folder() + "/none", commits_.callback()).error().text(),
              HasSubstr("no such file"));
  std::ofstream(folder_ / "run.db") << "this is no database, and long enough to be looked at as one, surely";
  EXPECT_THAT(Journal::open(folder(), commits_.callback()).error().text(),
              HasSubstr("not an SQLite database"));
}

TEST_F(JournalTest, FindsEarlierAnswersByRequestStepAndAttempt) {
  {
    auto journal = Journal::create(folder(), identity(), commits_.callback());
    (*journal)->append(effect(1, "judge"), ticket());
    commits_.wait_for(1);
  }
  auto earlier = EarlierAnswers::open(folder());
  ASSERT_TRUE(earlier.has_value());
  const EffectRow known = effect(1, "judge");
  EXPECT_TRUE((*earlier)->find(known.request_hash, "judge", 1).value().has_value());
  EXPECT_FALSE((*earlier)->find(known.request_hash, "other", 1).value().has_value());
  EXPECT_FALSE((*earlier)->find(known.request_hash, "judge", 2).value().has_value());
  EXPECT_FALSE((*earlier)->find(sha256("else"), "judge", 1).value().has_value());
}

// A child writes rows, telling each commit through a pipe, until it is killed: every row that was told is
// there.
TEST_F(JournalTest, NothingThatWasReportedIsLostWhenTheProcessIsKilled) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal =
        Journal::create(folder(), identity(), [&](std::vector<Journal::Ticket> tickets, Status status) {
          const auto count = static_cast<unsigned char>(status ? tickets.size() : 0);
          if (::write(pipe_ends[1], &count, 1) != 1) ::_exit(1);
        });
    if (!journal) ::_exit(1);
    for (std::int64_t i = 0;; ++i) {
      (*journal)->append(effect(i, "s"), &mark_);
      ::usleep(200);
    }
  }
  std::int64_t told = 0;
  while (told < 300) {
    unsigned char count = 0;
    ASSERT_EQ(::read(pipe_ends[0], &count, 1), 1);
    told += count;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  auto journal = Journal::open(folder(), commits_.callback());
  ASSERT_TRUE(journal.has_value()) << journal.error().text();
  const auto unfinished = (*journal)->begun({}).value();
  ASSERT_GE(static_cast<std::int64_t>(unfinished.size()), told);
  for (std::int64_t i = 0; i < told; ++i) EXPECT_EQ(unfinished[static_cast<std::size_t>(i)], i);
}

// The file size limit of the process stands for a full disk: the write fails, the error says so, and what was
// committed before is intact.
TEST_F(JournalTest, AFailedWriteIsToldAndNothingIsAcceptedAfterIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::create(folder(), identity(), commits_.callback());
    if (!journal) ::_exit(10);
    (*journal)->append(effect(0, "small"), &mark_);
    commits_.wait_for(1);
    if (!commits_.error().empty()) ::_exit(11);
    const rlimit limit{200'000, 200'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EffectRow big = effect(1, "big");
    big.reply = std::string(1'000'000, 'x');
    (*journal)->append(std::move(big), &mark_);
    commits_.wait_for(2);
    if (commits_.error().empty()) ::_exit(12);
    (*journal)->append(effect(2, "after"), &mark_);
    commits_.wait_for(3);
    journal->reset();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto journal = Journal::open(folder(), commits_.callback());
  ASSERT_TRUE(journal.has_value()) << journal.error().text();
  EXPECT_THAT((*journal)->begun({}).value(), ElementsAre(0));
}

}  // namespace
}  // namespace assay
