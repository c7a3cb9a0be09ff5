// The journal against its chain of hashes: whatever is changed, removed or put back is noticed when the run
// is opened, whatever a kill leaves behind is not.
#include "store/journal_chain.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "store/run_store.h"
#include "store/sqlite.h"
#include "tests/core/mailbox.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class JournalChainTest : public ::testing::Test {
 protected:
  std::string folder() const { return directory_.path(); }
  std::string file(const std::string& name) const { return folder() + "/" + name; }

  void put(RunStore& store, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      ASSERT_TRUE(loop_.await(store.put(effect(i, "judge"))).has_value());
      ASSERT_TRUE(loop_.await(store.put(OutcomeRow{i, "c" + std::to_string(i), "scored", R"({"x":1})"})));
    }
  }
  // Two sittings; in the second, a case that had failed is tried again.
  void two_sittings() {
    {
      auto store = create_run(folder(), {{"prompt", "Judge."}});
      ASSERT_TRUE(store.has_value()) << store.error().text();
      put(**store, 0, 3);
      ASSERT_TRUE(loop_.await((*store)->put(OutcomeRow{7, "c7", "infra_failed", "{}"})));
    }
    auto store = resume_run(folder());
    ASSERT_TRUE(store.has_value()) << store.error().text();
    put(**store, 3, 4);
    ASSERT_TRUE(loop_.await((*store)->put(OutcomeRow{7, "c7", "scored", "{}"})));
  }
  // A process that writes rows is killed; what it had committed is in run.db-wal.
  void killed_run(std::int64_t rows) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Mailbox loop;
      auto store = create_run(folder());
      if (!store) ::_exit(1);
      for (std::int64_t i = 0; i < rows; ++i) (void)loop.await((*store)->put(effect(i, "judge")));
      if (::write(pipe_ends[1], "+", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char told = 0;
    ASSERT_EQ(::read(pipe_ends[0], &told, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    ASSERT_TRUE(fs::exists(file("run.db-wal")));
  }
  void sql(const std::string& statement) {
    auto database = Database::open(file("run.db"), Database::Mode::read_write);
    const Status done = database->execute(statement);
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  // Why the run cannot be gone on with; empty: it can.
  std::string refusal(Damage damage = Damage::refuse) {
    auto lock = RunStore::lock(folder());
    auto store = RunStore::open(folder(), std::move(*lock), damage);
    return store ? "" : store.error().text();
  }
  std::string defect() { return defect_of(folder()); }
  // Everything as it was.
  class Copy {
   public:
    explicit Copy(const std::string& folder) : folder_(folder), copy_(folder + ".copy") {
      fs::remove_all(copy_);
      fs::copy(folder, copy_);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy() { fs::remove_all(copy_); }
    void put_back() const {
      fs::remove_all(folder_);
      fs::copy(copy_, folder_);
    }
    void put_back(const std::string& name) const {
      fs::copy_file(copy_ + "/" + name, folder_ + "/" + name, fs::copy_options::overwrite_existing);
    }

   private:
    std::string folder_;
    std::string copy_;
  };

  ScratchDirectory directory_{"journal_chain"};
  Mailbox loop_;
};

TEST_F(JournalChainTest, FitsWhatWasWrittenOverSittingsAndRetries) {
  two_sittings();
  const auto report = check_journal(folder());
  ASSERT_TRUE(report.has_value()) << report.error().text();
  EXPECT_EQ(report->defect, "");
  EXPECT_EQ(report->effects, 4);
  EXPECT_EQ(report->outcomes, 6) << "the one that was replaced is kept";
  EXPECT_THAT(report->notes, IsEmpty());
  EXPECT_EQ(refusal(), "");
}

TEST_F(JournalChainTest, NoticesEveryKindOfEdit) {
  two_sittings();
  const Copy copy(folder());
  for (const char* edit : {
           R"(UPDATE effect_rows SET reply = '{"a":2}' WHERE case_index = 1)",
           R"(UPDATE effect_rows SET request = '{}' WHERE case_index = 1)",
           "UPDATE effect_rows SET request_hash = zeroblob(32) WHERE case_index = 1",
           "UPDATE effect_rows SET step = kind WHERE case_index = 1",
           "UPDATE effect_rows SET request_before = 1 WHERE case_index = 1",
           "UPDATE effect_rows SET reply_before = 1 WHERE case_index = 1",
           "UPDATE words SET text = 'other' WHERE text = 'judge'",
           "INSERT INTO words VALUES(99, 'another')",
           "DELETE FROM words WHERE text = 'm'",
           "UPDATE effect_rows SET case_index = 90 WHERE case_index = 1",
           "UPDATE effect_rows SET cost_picousd = NULL WHERE case_index = 1",
           "UPDATE effect_rows SET reused = 2 WHERE case_index = 1",
           "UPDATE effect_rows SET tries = tries + 4294967296 WHERE case_index = 1",
           "UPDATE effect_rows SET finished = '' WHERE case_index = 1",
           "DELETE FROM effect_rows WHERE case_index = 1",
           "DELETE FROM effect_rows WHERE case_index = 3",
           R"(UPDATE outcomes SET result = '{"x":2}' WHERE case_index = 2)",
           "UPDATE outcomes SET case_id = 'c9' WHERE case_index = 2",
           "UPDATE outcomes SET outcome = 'refused' WHERE case_index = 7",
           "DELETE FROM outcomes WHERE case_index = 0",
           "UPDATE replaced_outcomes SET outcome = 'scored'",
           "DELETE FROM replaced_outcomes",
           "INSERT INTO outcomes VALUES(99, 99, 'c99', 'scored', '{}')",
           "UPDATE run SET value = '{}' WHERE key = 'config'",
           "UPDATE run SET value = 'later' WHERE key = 'started'",
           "UPDATE texts SET text = 'Judge kindly.'",
           "INSERT INTO texts VALUES('another', 'x')",
           "UPDATE commits SET worked_ms = worked_ms + 1 WHERE number = 2",
           "UPDATE commits SET note = 'all is well' WHERE number = 2",
           "DELETE FROM commits WHERE number = 2",
           "UPDATE commits SET head = zeroblob(32) WHERE number = (SELECT max(number) FROM commits)",
           "DELETE FROM commits WHERE number = (SELECT max(number) FROM commits)",
           "DELETE FROM commits WHERE anew",
       }) {
    SCOPED_TRACE(edit);
    sql(edit);
    EXPECT_NE(defect(), "");
    EXPECT_THAT(refusal(), HasSubstr("Nothing was asked or written"));
    copy.put_back();
  }
  EXPECT_EQ(defect(), "") << "it was the edits";
}

TEST_F(JournalChainTest, NamesWhatWasChangedAndTheChoices) {
  two_sittings();
  sql(R"(UPDATE effect_rows SET reply = '{"a":2}' WHERE case_index = 1)");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("(case 1, step judge) to row"), HasSubstr("was changed afterwards"),
                               HasSubstr("back from a copy"), HasSubstr("--accept-changes")));
}

TEST_F(JournalChainTest, WhatWasAcceptedIsGoneOnWithAndNotedForEver) {
  two_sittings();
  sql(R"(UPDATE effect_rows SET reply = '{"a":2}' WHERE case_index = 1)");
  EXPECT_EQ(refusal(Damage::accept), "");
  EXPECT_EQ(refusal(), "") << "once";
  {
    auto store = resume_run(folder());
    ASSERT_TRUE(store.has_value()) << store.error().text();
    put(**store, 10, 12);
    EXPECT_THAT(loop_.await((*store)->notes()).value(), ElementsAre(HasSubstr("case 1, step judge")));
  }
  const auto report = check_journal(folder());
  ASSERT_TRUE(report.has_value()) << report.error().text();
  EXPECT_EQ(report->defect, "");
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("accepted as it was found")));
  sql("UPDATE effect_rows SET reply = '3' WHERE case_index = 0");
  EXPECT_NE(defect(), "") << "what was there when it was accepted is in the chain";
}

TEST_F(JournalChainTest, AJournalThatWasCutShortAnywhereIsNoticed) {
  two_sittings();
  const Copy copy(folder());
  const auto size = static_cast<std::int64_t>(fs::file_size(file("run.db")));
  const auto bytes = read_file(file("run.db")).value();
  for (std::int64_t cut = 1; cut < 6000; cut += cut < 32 ? 1 : 97) {
    // A cut that takes away nothing but zeros leaves what SQLite reads anyway.
    const auto left = static_cast<std::size_t>(size - cut);
    const bool nothing_lost = bytes.find_first_not_of('\0', left) == std::string::npos && cut < 4096;
    fs::resize_file(file("run.db"), left);
    EXPECT_TRUE(nothing_lost || !refusal().empty()) << cut << " bytes";
    copy.put_back();
  }
}

// What a cut takes away decides who notices: SQLite sees a page that is no page any more, the chain a row
// whose bytes are zeros now. Which of both stands at the end of the file is chance, that it is told of is
// not.
TEST_F(JournalChainTest, WhateverACutHasTakenAwayItsFileIsNamed) {
  {
    auto store = create_run(folder());
    ASSERT_TRUE(store.has_value()) << store.error().text();
    put(**store, 0, 1);
    EffectRow long_one = effect(1, "judge");
    long_one.reply = '"' + std::string(40'000, 'x') + '"';  // pages that hold nothing but its bytes
    ASSERT_TRUE(loop_.await((*store)->put(std::move(long_one))).has_value());
  }
  fs::resize_file(file("run.db"), fs::file_size(file("run.db")) - 3500);
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("run.db: what was written from row"), HasSubstr("was changed afterwards")));
  fs::resize_file(file("run.db"), 4096 * 3 + 100);
  EXPECT_THAT(refusal(), HasSubstr("run.db: the database is damaged"));
}

TEST_F(JournalChainTest, ARunThatWasKilledIsGoneOnWithWhateverStandsAtTheEndOfItsLog) {
  killed_run(20);
  const Copy copy(folder());
  // The log may end in what was being written.
  std::ofstream(file("run.db-wal"), std::ios::app | std::ios::binary) << std::string(3000, '\x5a');
  EXPECT_EQ(defect(), "");
  EXPECT_EQ(refusal(), "");
  copy.put_back();
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(check_journal(folder())->effects, 20);
}

TEST_F(JournalChainTest, ARemovedOrShortenedLogIsNoticed) {
  killed_run(20);
  const Copy copy(folder());
  fs::remove(file("run.db-wal"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("ends with commit 0, but commit 20 was written"),
                               HasSubstr("run.db-wal was removed"), HasSubstr("--accept-changes")));
  EXPECT_EQ(refusal(Damage::accept), "");
  EXPECT_EQ(check_journal(folder())->effects, 0);
  EXPECT_THAT(check_journal(folder())->notes, ElementsAre(HasSubstr("run.db-wal was removed")));
  copy.put_back();
  fs::resize_file(file("run.db-wal"), fs::file_size(file("run.db-wal")) - 100);
  EXPECT_THAT(refusal(), HasSubstr("but commit 20 was written"));
  copy.put_back();
  fs::remove(file("run.db-wal"));
  fs::remove(file("run.db-shm"));
  EXPECT_THAT(refusal(), HasSubstr("but commit 20 was written"));
}

TEST_F(JournalChainTest, AnOlderJournalPutInItsPlaceIsNoticed) {
  {
    auto store = create_run(folder());
    put(**store, 0, 2);
  }
  const Copy copy(folder());
  {
    auto store = resume_run(folder());
    put(**store, 2, 4);
  }
  copy.put_back("run.db");
  EXPECT_THAT(refusal(), HasSubstr("an older run.db was put in its place"));
}

TEST_F(JournalChainTest, ItsHeadMayBeBehindAsAfterAPowerCutButNotGoneOrAnother) {
  {
    auto store = create_run(folder());
    put(**store, 0, 2);
  }
  const Copy copy(folder());
  {
    auto store = resume_run(folder());
    put(**store, 2, 4);
  }
  copy.put_back("run.db.head");
  EXPECT_EQ(refusal(), "");
  const std::string head = read_file(file("run.db.head")).value();
  for (std::size_t i = 0; i < head.size(); ++i) {
    std::string changed = head;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    ASSERT_TRUE(write_file(file("run.db.head"), changed).has_value());
    EXPECT_NE(defect(), "") << i;
  }
  fs::remove(file("run.db.head"));
  EXPECT_THAT(refusal(), HasSubstr("run.db.head cannot be relied on"));
  EXPECT_EQ(refusal(Damage::accept), "");
  EXPECT_EQ(refusal(), "");
}

TEST_F(JournalChainTest, OpeningChangesNoByteBeforeSomethingIsWritten) {
  two_sittings();
  const std::string before = read_file(file("run.db")).value();
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(read_file(file("run.db")).value(), before);
}

TEST_F(JournalChainTest, ADirectoryThatIsDeletedOrMovedWhileItIsWrittenIsNoticedAtOnce) {
  const std::string gone = folder() + "/run";
  for (const bool moved : {false, true}) {
    fs::create_directories(gone);
    auto store = create_run(gone);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    put(**store, 0, 1);
    if (moved) {
      fs::rename(gone, folder() + "/elsewhere");
    } else {
      fs::remove_all(gone);
    }
    const auto lost = loop_.await((*store)->put(effect(1, "judge")));
    ASSERT_FALSE(lost.has_value());
    EXPECT_THAT(lost.error().text(), HasSubstr("was deleted or moved while the run was under way"));
  }
}

TEST_F(JournalChainTest, TimeOfWorkIsThatOfAllSittings) {
  two_sittings();
  sql("UPDATE commits SET worked_ms = CASE sitting WHEN 1 THEN number WHEN 2 THEN 10 ELSE 0 END");
  auto store = RunStore::open(folder(), nullptr);
  const RunTotals totals = loop_.await((*store)->totals()).value();
  EXPECT_DOUBLE_EQ(totals.worked_seconds, 0.007 + 0.010) << "of each sitting its last commit";
}

// The encoding is injective: what stands in one field cannot be read as standing in another.
TEST(JournalChain, FieldsCannotBeMovedIntoOneAnother) {
  const auto head = [](const OutcomeValues& values) {
    JournalChain chain{Digest{}};
    chain.add(1, values);
    return chain.commit({.number = 1, .last_row = 1});
  };
  EXPECT_EQ(head({1, "ab", "c", "d"}), head({1, "ab", "c", "d"}));
  EXPECT_NE(head({1, "ab", "c", "d"}), head({1, "a", "bc", "d"}));
  EXPECT_NE(head({1, "ab", "c", "d"}), head({2, "ab", "c", "d"}));
  // Gathered or hashed in place: the same.
  for (const std::size_t size : {1023U, 1024U, 1025U, 5000U}) {
    const std::string text(size, 'x');
    EXPECT_NE(head({1, text, "", ""}), head({1, "", text, ""})) << size;
  }
}

}  // namespace
}  // namespace assay
