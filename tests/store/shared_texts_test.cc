// Texts that many rows share are kept once: which of them, and that what is put together again is what was
// asked, byte for byte.
#include "store/shared_texts.h"

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
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
using ::testing::SizeIs;
namespace fs = std::filesystem;

// A table in memory.
class TableInMemory final : public SharedTextTable {
 public:
  Result<std::optional<std::int64_t>> find(const Digest& hash) override {
    const auto found = numbers.find(hex(hash));
    if (found == numbers.end()) return std::nullopt;
    return found->second;
  }
  Result<std::int64_t> add(const SharedText& text) override {
    const auto number = static_cast<std::int64_t>(texts.size()) + 1;
    EXPECT_TRUE(numbers.emplace(hex(text.hash), number).second) << "kept twice";
    texts.emplace_back(text.text);
    before.push_back(text.before);
    EXPECT_EQ(sha256(whole(number)), text.hash);
    return number;
  }
  std::string whole(std::optional<std::int64_t> number) const {
    if (!number) return "";
    const auto at = static_cast<std::size_t>(*number) - 1;
    return whole(before[at]) + texts[at];
  }

  std::map<std::string, std::int64_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::optional<std::int64_t>> before;
};

class SharedTextsTest : public ::testing::Test {
 protected:
  // What the row keeps for itself of a text that is made of these parts; prefixes end after each but the
  // last.
  std::string own(const std::vector<std::string>& parts) {
    PrefixedText text;
    for (const std::string& part : parts) {
      text.ends.push_back(text.text.size());
      text.text += part;
    }
    text.ends.erase(text.ends.begin());
    const auto split = shared_.split(text.text, text.ends, table_);
    EXPECT_TRUE(split.has_value());
    EXPECT_EQ(table_.whole(split->before) + std::string(split->own), text.text);
    return std::string(split->own);
  }
  static std::string part(char letter, std::size_t size = 200) { return std::string(size, letter); }

  TableInMemory table_;
  SharedTexts shared_{true};
};

TEST_F(SharedTextsTest, APrefixIsKeptWhenItComesForTheSecondTime) {
  EXPECT_EQ(own({part('h'), part('s'), "one"}), part('h') + part('s') + "one");
  EXPECT_THAT(table_.texts, IsEmpty());
  EXPECT_EQ(own({part('h'), part('s'), "two"}), "two");
  EXPECT_EQ(own({part('h'), part('s'), "three"}), "three");
  EXPECT_EQ(own({part('h'), part('t'), "four"}), part('t') + "four");
  EXPECT_THAT(table_.texts, ElementsAre(part('h'), part('s')));
}

TEST_F(SharedTextsTest, WhatIsShortIsKeptWithWhatFollowsIt) {
  for (int i = 0; i < 3; ++i) (void)own({part('h', 60), part('s', 60), part('t', 60), "own"});
  EXPECT_THAT(table_.texts, ElementsAre(part('h', 60) + part('s', 60)));
  EXPECT_EQ(own({part('h', 60), part('s', 60), part('t', 60), "own"}), part('t', 60) + "own");
}

TEST_F(SharedTextsTest, AConversationIsKeptAsItGoesOn) {
  EXPECT_EQ(own({part('s'), part('1'), "]"}), part('s') + part('1') + "]");
  // The second request goes on from the first as a whole: there will be a third.
  EXPECT_EQ(own({part('s'), part('1'), part('a'), part('2'), "]"}), "]");
  EXPECT_EQ(own({part('s'), part('1'), part('a'), part('2'), part('b'), part('3'), "]"}), "]");
  EXPECT_THAT(table_.texts, ElementsAre(part('s'), part('1'), part('a'), part('2'), part('b'), part('3')));
}

TEST_F(SharedTextsTest, AnotherWriterFindsWhatTheTableHolds) {
  for (int i = 0; i < 2; ++i) (void)own({part('h'), part('s'), "own"});
  shared_ = SharedTexts(false);
  EXPECT_EQ(own({part('h'), part('s'), "other"}), "other");
  EXPECT_THAT(table_.texts, SizeIs(2));
}

TEST_F(SharedTextsTest, WhatIsRememberedHasABound) {
  // More texts than are remembered, each twice: the second finds the first by the table.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 60'000; ++i) {
      const std::string text = part('h', 100) + std::to_string(i);
      for (int twice = 0; twice < 2; ++twice) {
        const auto split = shared_.split(text, {text.size()}, table_);
        ASSERT_TRUE(split.has_value());
        if (round == 1) ASSERT_EQ(split->own, "");
      }
    }
  }
  EXPECT_THAT(table_.texts, SizeIs(60'000));
}

// Over the store and its tables.
class SharedRowsTest : public ::testing::Test {
 protected:
  std::string folder() const { return directory_.path(); }
  std::string journal() const { return folder() + "/run.db"; }

  // Asks as a conversation does: every turn repeats all that was said.
  static EffectRow turn(std::int64_t case_index, int number, std::size_t said) {
    PrefixedText asked{R"({"model":"m","messages":[)", {}};
    asked.text += std::string(500, 's');
    asked.ends.push_back(asked.text.size());
    for (int i = 0; i < number; ++i) {
      asked.text += fmt::format("user {} {} {}", case_index, i, std::string(said, 'u'));
      asked.ends.push_back(asked.text.size());
      if (i + 1 == number) break;
      asked.text += fmt::format("assistant {} {} {}", case_index, i, std::string(said, 'a'));
      asked.ends.push_back(asked.text.size());
    }
    asked.text += fmt::format(R"(],"seed":{}}})", number);
    EffectRow row = effect(case_index, fmt::format("turn{}", number));
    row.request = asked.text;
    row.request_hash = sha256(row.request);
    row.request_prefixes = asked.ends;
    row.reply = fmt::format("assistant {} {}", number, std::string(said, 'a'));
    return row;
  }
  void put(RunStore& store, EffectRow row) {
    const auto done = loop_.await(store.put(std::move(row)));
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  // Bytes of a journal with one conversation of so many turns.
  std::uintmax_t size_of(int turns) {
    fs::remove_all(folder());
    fs::create_directories(folder());
    {
      auto store = create_run(folder());
      for (int i = 1; i <= turns; ++i) put(**store, turn(0, i, 1000));
    }
    return fs::file_size(journal());
  }
  std::vector<std::string> column(const std::string& sql) {
    auto database = Database::open(journal(), Database::Mode::read_only);
    auto query = database->prepare(sql);
    EXPECT_TRUE(query.has_value()) << query.error().text();
    std::vector<std::string> values;
    while (query->step().value()) values.emplace_back(query->text(0));
    return values;
  }
  void sql(const std::string& statement) {
    auto database = Database::open(journal(), Database::Mode::read_write);
    const Status done = database->execute(statement);
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }

  ScratchDirectory directory_{"shared_texts"};
  Mailbox loop_;
};

TEST_F(SharedRowsTest, AConversationGrowsByWhatIsSaidNotByItsSquare) {
  const auto ten = size_of(10);
  const auto thirty = size_of(30);
  const auto fifty = size_of(50);
  // A turn says 2 × 1,000 bytes and has them once in shared texts, the answer once more in its row.
  EXPECT_LT(fifty - thirty, 20 * 4200U);
  EXPECT_LT(thirty - ten, 20 * 4200U);
  EXPECT_LT(fifty, 300'000U) << "whole requests would take 2.5 MB";
}

TEST_F(SharedRowsTest, TheViewAndTheStoreGiveExactlyTheAskedBytes) {
  std::vector<EffectRow> rows;
  {
    auto store = create_run(folder());
    for (const std::int64_t one : {0, 1}) {
      for (int i = 1; i <= 20; ++i) rows.push_back(turn(one, i, i % 2 == 0 ? 10 : 300));
    }
    EffectRow odd = effect(2, "judge");
    odd.request = "\xC3\xA9\xE2\x82\xAC \"quoted\" \\n" + std::string(200, 'x');
    odd.request_hash = sha256(odd.request);
    odd.request_prefixes = {2, 5, odd.request.size()};
    odd.reply = std::string(150, 'r') + "!";
    odd.reply_prefixes = {150};
    for (int i = 0; i < 3; ++i) {
      odd.key.attempt = i + 1;
      rows.push_back(odd);
    }
    for (const EffectRow& row : rows) put(**store, row);
    std::size_t at = 0;
    for (const std::int64_t one : {0, 1, 2}) {
      const auto all = loop_.await((*store)->effects_of(one, Requests::whole)).value();
      for (const EffectRow& read : all) {
        EXPECT_EQ(read.key, rows[at].key);
        EXPECT_EQ(read.request, rows[at].request);
        EXPECT_EQ(read.reply, rows[at].reply);
        ++at;
      }
    }
    EXPECT_EQ(at, rows.size());
  }
  const auto requests = column("SELECT request FROM effects ORDER BY row_number");
  const auto replies = column("SELECT reply FROM effects ORDER BY row_number");
  ASSERT_THAT(requests, SizeIs(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(requests[i], rows[i].request);
    EXPECT_EQ(replies[i], rows[i].reply);
  }
  EXPECT_THAT(column("SELECT count(*) FROM shared_texts").front(), ::testing::Not("0"));
  EXPECT_EQ(defect_of(folder()), "");
}

// Killed at any moment: what is committed refers to nothing that is not.
TEST_F(SharedRowsTest, AKillLeavesNoReferenceToNothing) {
  for (int kill = 0; kill < 8; ++kill) {
    fs::remove_all(folder());
    fs::create_directories(folder());
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Mailbox loop;
      auto store = create_run(folder());
      if (!store || ::write(pipe_ends[1], "+", 1) != 1) ::_exit(1);
      for (int i = 1;; ++i) {
        for (std::int64_t one = 0; one < 5; ++one) Mailbox::give_up((*store)->put(turn(one, i, 100)));
        (void)loop.await((*store)->put(turn(5, i, 100)));
      }
    }
    char told = 0;
    ASSERT_EQ(::read(pipe_ends[0], &told, 1), 1);
    ::usleep(static_cast<useconds_t>(5000 + 7000 * kill));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    EXPECT_EQ(defect_of(folder()), "");
    {
      auto store = resume_run(folder());
      ASSERT_TRUE(store.has_value()) << store.error().text();
      put(**store, turn(6, 1, 100));
    }
    EXPECT_THAT(column("SELECT request FROM effects WHERE request IS NULL OR step IS NULL"), IsEmpty());
    for (const auto& request : column("SELECT hex(request_hash) || request FROM effects"))
      EXPECT_EQ(hex(sha256(request.substr(64))), lower_ascii(request.substr(0, 64)));
  }
}

TEST_F(SharedRowsTest, ASharedTextThatWasChangedIsNoticedAndNamed) {
  {
    auto store = create_run(folder());
    for (int i = 1; i <= 5; ++i) put(**store, turn(0, i, 300));
  }
  EXPECT_EQ(defect_of(folder()), "");
  const std::string row =
      column("SELECT row_number FROM shared_texts ORDER BY row_number LIMIT 1 OFFSET 1").front();
  sql("UPDATE shared_texts SET text = replace(text, 'user', 'User') WHERE row_number = " + row);
  EXPECT_THAT(defect_of(folder()), AllOf(HasSubstr("shared text " + row), HasSubstr("User 0 0"),
                                         HasSubstr("was changed afterwards")));
  sql("UPDATE shared_texts SET text = replace(text, 'User', 'user') WHERE row_number = " + row);
  EXPECT_EQ(defect_of(folder()), "");
  for (const char* edit : {"UPDATE shared_texts SET hash = zeroblob(32) WHERE row_number = ",
                           "UPDATE shared_texts SET before = NULL WHERE row_number = ",
                           "UPDATE shared_texts SET before = row_number WHERE row_number = ",
                           "DELETE FROM shared_texts WHERE row_number = "}) {
    SCOPED_TRACE(edit);
    fs::copy_file(journal(), journal() + ".copy", fs::copy_options::overwrite_existing);
    sql(edit + row);
    EXPECT_NE(defect_of(folder()), "");
    fs::rename(journal() + ".copy", journal());
  }
  sql("INSERT INTO shared_texts VALUES(1000, NULL, 'x', x'00')");
  EXPECT_THAT(defect_of(folder()), HasSubstr("was added by somebody else"));
}

TEST_F(SharedRowsTest, WhatRefersToARemovedTextIsAskedAgainIfThatIsAccepted) {
  {
    auto store = create_run(folder());
    for (int i = 1; i <= 5; ++i) put(**store, turn(0, i, 300));
    for (int i = 1; i <= 2; ++i) put(**store, effect(1, "alone", i));
  }
  sql("DELETE FROM shared_texts WHERE row_number = (SELECT max(row_number) FROM shared_texts)");
  auto lock = RunStore::lock(folder());
  auto store = RunStore::open(folder(), std::move(*lock), Damage::accept);
  ASSERT_TRUE(store.has_value()) << store.error().text();
  EXPECT_THAT(loop_.await((*store)->effects_of(0, Requests::left_out)).value(), SizeIs(4));
  EXPECT_THAT(loop_.await((*store)->effects_of(1, Requests::left_out)).value(), SizeIs(2));
  put(**store, turn(0, 5, 300));
  EXPECT_EQ(loop_.await((*store)->effects_of(0, Requests::whole)).value().back().request,
            turn(0, 5, 300).request);
  store->reset();
  EXPECT_EQ(defect_of(folder()), "");
}

}  // namespace
}  // namespace assay
