// Records that repeat themselves and one another: what is kept of them, and that they are given back byte for
// byte.
#include "store/pieced_texts.h"

#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "core/text.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Words that do not repeat themselves.
std::string prose(std::uint64_t seed, std::size_t size) {
  Random random = Random::keyed(seed, "prose", "words");
  std::string text;
  while (text.size() < size) {
    const std::uint64_t drawn = random.bits64();
    for (int i = 0; i < 7; ++i) text += static_cast<char>('a' + (drawn >> (5 * i)) % 26);
    text += drawn % 11 == 0 ? " \xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82 " : " ";
  }
  return text;
}

std::string together(const std::vector<std::string_view>& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

TEST(Pieces, AreTheTextAndAreCutBetweenCharacters) {
  for (const std::string& text : {std::string(), std::string("a"), prose(1, 20'000), std::string(10'000, 'x'),
                                  std::string(3000, '\x80'), prose(2, 63)}) {
    const auto pieces = pieces_of(text);
    EXPECT_EQ(together(pieces), text);
    if (valid_utf8(text)) {
      for (const std::string_view piece : pieces) EXPECT_TRUE(valid_utf8(piece));
    }
  }
  const auto pieces = pieces_of(prose(1, 20'000));
  EXPECT_GT(pieces.size(), 60U);
  EXPECT_LT(pieces.size(), 200U);
  EXPECT_THAT(pieces_of(std::string(10'000, 'x')), SizeIs(::testing::Le(160))) << "no piece is tiny";
}

TEST(Pieces, OfAPassageAreTheSameWhereverItStands) {
  const std::string passage = prose(3, 8000);
  const auto alone = pieces_of(passage);
  for (std::uint64_t before = 10; before < 20; ++before) {
    const std::string text = prose(before, 100 * (before - 9) + before) + passage + prose(before + 50, 500);
    const auto pieces = pieces_of(text);
    const std::set<std::string_view> there(pieces.begin(), pieces.end());
    std::size_t same = 0;
    for (const std::string_view piece : alone) same += there.count(piece);
    EXPECT_GE(same + 5, alone.size()) << "all but some at its ends";
  }
}

// A table in memory.
class PieceTable final : public SharedTextTable {
 public:
  Result<std::optional<std::int64_t>> find(const Digest& hash) override {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (hashes[i] == hash) return static_cast<std::int64_t>(i);
    }
    return std::nullopt;
  }
  Result<std::int64_t> add(const SharedText& text) override {
    hashes.push_back(text.hash);
    return static_cast<std::int64_t>(hashes.size()) - 1;
  }
  std::vector<Digest> hashes;
};

TEST(PiecedTexts, WhatWasTakenBackIsNotReferredTo) {
  PiecedTexts texts(true);
  PieceTable table;
  const std::string text = prose(4, 5000);
  EXPECT_EQ(texts.split(text, table)->list, "") << "nothing came before";
  EXPECT_EQ(texts.split(text, table)->own, "");
  const std::size_t kept = table.hashes.size();
  EXPECT_GT(kept, 10U);
  EXPECT_EQ(texts.split(text, table)->list, fmt::format("[[1,0,{}]]", kept));
  EXPECT_THAT(table.hashes, SizeIs(kept));
  table.hashes.clear();
  texts.forget_numbers();
  EXPECT_EQ(texts.split(text, table)->own, "");
  EXPECT_THAT(table.hashes, SizeIs(kept)) << "kept anew";
}

TEST(PiecedTexts, WhatATextRepeatsItKeepsOnce) {
  PiecedTexts texts(true);
  PieceTable table;
  const std::string passage = prose(5, 4000);
  const auto parts = texts.split(passage + prose(6, 300) + passage + prose(7, 300) + passage, table).value();
  EXPECT_LT(parts.own.size(), 4000 + 600 + 6 * 300U);
  EXPECT_THAT(table.hashes, SizeIs(0)) << "nobody else has it";
}

class RecordTextsTest : public DataStoreFixture {
 protected:
  // Says its prompt three times and its item twice, as records of the persona evaluation do.
  static std::string record_text(int number) {
    static const std::string prompt = prose(7, 9000);
    const std::string item = prose(1000 + static_cast<std::uint64_t>(number), 700);
    return fmt::format(R"({{"promptText":"{0} {1}","messages":["{0}","{1}"],"again":["{0}","{1}"],"n":{2}}})",
                       prompt, item, number);
  }
  void add_record(int number) {
    ResultRecord one = result(fmt::format("item{}", number), "t", "kenton", "mode2");
    one.context_id = fmt::format("context{}", number);
    one.json = record_text(number);
    const auto recorded = record(one);
    ASSERT_TRUE(recorded.has_value()) << recorded.error().text();
  }
  std::int64_t add_failure(int number) {
    return record_failure(
        {"judge/1", fmt::format("f{}", number), "kenton", "mode2", {"x"}, {}, record_text(number)});
  }
  std::vector<std::string> texts(const std::string& sql) {
    auto database = Database::open(path(), Database::Mode::read_only).value();
    auto query = database.prepare(sql).value();
    std::vector<std::string> list;
    while (query.step().value()) list.emplace_back(query.text(0));
    return list;
  }
};

TEST_F(RecordTextsTest, AreGivenBackByteForByteAlsoAfterReopening) {
  for (int i = 0; i < 12; ++i) {
    if (i == 6) reopen();
    add_record(i);
    add_failure(100 + i);
  }
  const auto records = texts("SELECT json FROM records ORDER BY record");
  const auto failures = store_->failures({.count = 0}).value();
  ASSERT_THAT(records, SizeIs(12));
  ASSERT_THAT(failures.rows, SizeIs(12));
  for (int i = 0; i < 12; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(records[at], record_text(i));
    EXPECT_EQ(failures.rows[at].json, record_text(100 + i));
  }
}

TEST_F(RecordTextsTest, KeepAPromptOnceAndOfARecordWhatIsItsOwn) {
  for (int i = 0; i < 100; ++i) add_record(i);
  EXPECT_GT(record_text(0).size(), 28'000U);
  // Of the first it is all there; of the others the item, and what hangs on it to the next cut.
  EXPECT_LT(number("SELECT avg(length(json) + length(parts)) FROM record_rows WHERE record > 2"), 2500);
  EXPECT_LT(number("SELECT sum(length(text)) FROM shared_texts"), 15'000);
}

TEST_F(RecordTextsTest, ShortOnesAreKeptAsTheyCome) {
  record_failure({"judge/1", "short", "kenton", "mode2", {"x"}, {}, R"({"a":1})"});
  EXPECT_EQ(number("SELECT count(*) FROM failure_rows WHERE parts IS NULL AND json = '{\"a\":1}'"), 1);
}

TEST_F(RecordTextsTest, TheSameFailureAgainKeepsNothing) {
  const std::int64_t first = add_failure(1);
  EXPECT_EQ(add_failure(1), first);
  EXPECT_EQ(number("SELECT count(*) FROM shared_texts"), 0);
  EXPECT_EQ(store_->failures({}).value().total, 1);
}

TEST_F(RecordTextsTest, AStoreOfTheSecondFormatGivesItsRecordsAsTheyWere) {
  add_record(1);
  add_failure(2);
  store_.reset();
  {
    auto database = Database::open(path(), Database::Mode::read_write).value();
    ASSERT_TRUE(database.execute(
        "CREATE TEMP TABLE whole AS SELECT record, json FROM records; "
        "CREATE TEMP TABLE failed AS SELECT failure, json FROM failures; " +
        std::string(kBackToFormat4) + kBackToFormat3 +
        "DROP TABLE shared_texts; "
        "ALTER TABLE record_rows RENAME TO records; ALTER TABLE records DROP COLUMN parts; "
        "ALTER TABLE failure_rows RENAME TO failures; ALTER TABLE failures DROP COLUMN parts; "
        "UPDATE records SET json = (SELECT json FROM whole w WHERE w.record = records.record); "
        "UPDATE failures SET json = (SELECT json FROM failed f WHERE f.failure = failures.failure); "
        "PRAGMA user_version=2;"));
  }
  open();
  for (int i = 3; i < 6; ++i) add_record(i);
  EXPECT_THAT(texts("SELECT json FROM records ORDER BY record"),
              ElementsAre(record_text(1), record_text(3), record_text(4), record_text(5)));
  EXPECT_EQ(store_->failures({}).value().rows.at(0).json, record_text(2));
}

TEST_F(RecordTextsTest, AStoreOfTheThirdFormatCountsWhoSharesWhat) {
  for (int i = 1; i < 5; ++i) add_record(i);
  add_failure(9);
  const std::string uses = "SELECT sum(uses * number) FROM shared_uses";
  const std::int64_t counted = number(uses);
  EXPECT_GT(counted, 0);
  store_.reset();
  {
    auto database = Database::open(path(), Database::Mode::read_write).value();
    ASSERT_TRUE(database.execute(std::string(kBackToFormat4) + kBackToFormat3 +
                                 "CREATE VIEW records AS SELECT 1; CREATE VIEW failures AS SELECT 1; "
                                 "INSERT INTO shared_texts(text, hash) VALUES('of a pruned record', x'00'); "
                                 "PRAGMA user_version=3;"));
  }
  open();
  EXPECT_EQ(number(uses), counted) << "as if each had been counted when it was recorded";
  EXPECT_EQ(number("SELECT count(*) FROM shared_texts WHERE text = 'of a pruned record'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM shared_texts"), number("SELECT count(*) FROM shared_uses"));
  EXPECT_EQ(store_->record(2).value().value().json, record_text(2));
}

TEST_F(RecordTextsTest, GoWithTheLastRecordThatSharesThem) {
  for (int i = 1; i < 5; ++i) add_record(i);
  const std::int64_t failure = add_failure(9);
  const std::int64_t shared = number("SELECT count(*) FROM shared_texts");
  ASSERT_GT(shared, 0);
  for (const std::int64_t record : {4, 1, 3}) {
    EXPECT_EQ(remove({.kind = Removal::Kind::record, .number = record}).records, 1);
    EXPECT_EQ(store_->record(2).value().value().json, record_text(2));
    EXPECT_EQ(store_->failures({}).value().rows.at(0).json, record_text(9));
  }
  EXPECT_GT(number("SELECT count(*) FROM shared_texts"), 0);
  EXPECT_EQ(remove({.kind = Removal::Kind::failure, .number = failure}).failures, 1);
  EXPECT_EQ(store_->record(2).value().value().json, record_text(2));
  EXPECT_EQ(remove({.kind = Removal::Kind::record, .number = 2}).records, 1);
  EXPECT_EQ(number("SELECT count(*) FROM shared_texts"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM shared_uses"), 0);
  // What the writer remembers of texts that have gone must not lead anybody to them.
  for (int i = 5; i < 8; ++i) add_record(i);
  EXPECT_THAT(texts("SELECT json FROM records ORDER BY record"),
              ElementsAre(record_text(5), record_text(6), record_text(7)));
}

TEST_F(RecordTextsTest, GoWithPrunedRecordsToo) {
  for (int i = 1; i < 5; ++i) add_record(i);
  const std::int64_t before = number("SELECT sum(uses) FROM shared_uses");
  const auto pruned = waited<Pruned>([&](const auto& done) {
    store_->prune({.records_ms = std::numeric_limits<std::int64_t>::max()}, 100, done);
  });
  EXPECT_EQ(pruned.value().records, 3);
  EXPECT_LT(number("SELECT sum(uses) FROM shared_uses"), before);
  EXPECT_EQ(store_->record(4).value().value().json, record_text(4));
  remove({.kind = Removal::Kind::record, .number = 4});
  EXPECT_EQ(number("SELECT count(*) FROM shared_texts"), 0);
}

}  // namespace
}  // namespace assay
