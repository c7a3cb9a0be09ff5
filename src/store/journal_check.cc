#include "store/journal_check.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "store/run_tables.h"

namespace assay {
namespace {

// How many characters of a text name it.
constexpr std::size_t kNamed = 60;

// One kind of rows.
struct RowKind {
  std::string sql;  // row_number and its columns, in the order of row_number
  void (*add)(JournalChain& chain, std::int64_t row, const Statement& values) = nullptr;
  std::string (*words)(const Statement& values) = nullptr;
};

std::vector<RowKind> row_kinds() {
  using namespace run_tables;
  return {
      {"SELECT row_number, text FROM words ORDER BY row_number",
       [](JournalChain& chain, std::int64_t row, const Statement& values) {
         chain.add_word(row, values.text(1));
       },
       [](const Statement& values) { return fmt::format("word {}", shorten(values.text(1), kNamed)); }},
      {fmt::format("SELECT row_number, {} FROM shared_texts ORDER BY row_number", kSharedTextColumns),
       [](JournalChain& chain, std::int64_t row, const Statement& values) {
         chain.add(row, shared_text_values(values, 1));
       },
       [](const Statement& values) {
         return fmt::format("shared text {}", shorten(values.text(2), kNamed));
       }},
      {fmt::format("SELECT row_number, {}, (SELECT w.text FROM words w WHERE w.row_number = step) FROM "
                   "effect_rows ORDER BY row_number",
                   kEffectRowColumns),
       [](JournalChain& chain, std::int64_t row, const Statement& values) {
         chain.add(row, effect_values(values, 1));
       },
       [](const Statement& values) {
         return fmt::format("case {}, step {}", values.integer(1), values.text(kEffectRowCount + 1));
       }},
      {fmt::format("SELECT row_number, {0} FROM outcomes UNION ALL SELECT row_number, {0} FROM "
                   "replaced_outcomes ORDER BY row_number",
                   kOutcomeColumns),
       [](JournalChain& chain, std::int64_t row, const Statement& values) {
         chain.add(row, outcome_values(values, 1));
       },
       [](const Statement& values) { return fmt::format("outcome of case {}", values.text(2)); }},
  };
}
constexpr std::size_t kEffects = 2;
constexpr std::size_t kOutcomes = 3;

// All rows in the order in which they were written, whichever table they stand in.
class RowsInOrder {
 public:
  static Result<RowsInOrder> open(Database& database) {
    RowsInOrder rows;
    for (RowKind& kind : row_kinds()) {
      auto query = database.prepare(kind.sql);
      if (!query) return fail(std::move(query.error()));
      Stream& stream = rows.streams_.emplace_back();
      stream.kind = std::move(kind);
      stream.rows = std::move(*query);
      if (auto read = stream.read(); !read) return fail(std::move(read.error()));
    }
    return rows;
  }

  // Adds every row up to this number to the chain.
  Status add_to(JournalChain& chain, std::int64_t last_row) {
    for (;;) {
      Stream& next = streams_[first()];
      if (next.row > last_row) return {};
      next.kind.add(chain, next.row, next.rows);
      ++next.count;
      if (auto read = next.read(); !read) return read;
    }
  }

  // The number of the next row; the largest there is at the end.
  std::int64_t next() const { return streams_[first()].row; }
  // What the next rows up to this number are about: "case 3, step judge/verdicts".
  std::string next_words(std::int64_t last_row) const {
    const Stream* next = &streams_[first()];
    // Words and shared texts are there for what refers to them.
    const Stream& about =
        streams_[kEffects].row <= streams_[kOutcomes].row ? streams_[kEffects] : streams_[kOutcomes];
    if (about.row <= last_row) next = &about;
    return next->row == kEnd ? "the end" : next->kind.words(next->rows);
  }
  std::int64_t effects_read() const { return streams_[kEffects].count; }
  std::int64_t outcomes_read() const { return streams_[kOutcomes].count; }

 private:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

  struct Stream {
    RowKind kind;
    Statement rows;
    std::int64_t row = kEnd;  // its number
    std::int64_t count = 0;

    Status read() {
      auto more = rows.step();
      if (!more) return fail(std::move(more.error()));
      row = *more ? rows.integer(0) : kEnd;
      return {};
    }
  };
  // The one whose row comes next.
  std::size_t first() const {
    std::size_t first = 0;
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      if (streams_[i].row < streams_[first].row) first = i;
    }
    return first;
  }

  std::vector<Stream> streams_;
};

// The first shared text of these rows that is not what its hash says, in words; empty: none.
Result<std::string> changed_shared_text(Database& database, std::int64_t first, std::int64_t last) {
  auto query = database.prepare(
      fmt::format("SELECT t.row_number, t.hash, {}, t.text FROM shared_texts t WHERE t.row_number BETWEEN {} "
                  "AND {} ORDER BY t.row_number",
                  run_tables::whole_text("t.row_number", "t.before", "t.text"), first, last));
  if (!query) return fail(std::move(query.error()));
  for (;;) {
    auto row = query->step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return std::string();
    const Digest whole = sha256(query->text(2));
    if (!std::ranges::equal(whole, query->blob(1))) {
      return fmt::format("shared text {} ({}) was changed afterwards", query->integer(0),
                         shorten(query->text(3), kNamed));
    }
  }
}

// What a commit that does not fit says; `first` is its first row.
Result<std::string> changed_rows(Database& database, std::int64_t first, const std::string& first_words,
                                 const JournalCommit& commit) {
  if (first > commit.last_row)
    return fmt::format("commit {} is not as it was written: run.db was changed", commit.number);
  auto shared = changed_shared_text(database, first, commit.last_row);
  if (!shared || !shared->empty()) return shared;
  return fmt::format("what was written from row {} ({}) to row {} was changed afterwards", first, first_words,
                     commit.last_row);
}

// What SQLite itself finds wrong: pages that are cut off, indices that do not fit their tables.
Status check_pages(Database& database) {
  auto query = database.prepare("PRAGMA integrity_check(1)");
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  if (*row && query->text(0) == "ok") return {};
  std::string found = *row ? std::string(query->text(0)) : "no answer";
  std::ranges::replace(found, '\n', ' ');
  return fail(ErrorKind::journal, fmt::format("the file is damaged ({})", found));
}

Error located(Error error, const Database& database) {
  error.kind = ErrorKind::journal;
  return std::move(error).with("file", database.path());
}

Result<std::optional<Digest>> head_of(Database& database, std::int64_t number) {
  auto query = database.prepare(
      fmt::format("SELECT {} FROM commits WHERE number = {}", run_tables::kCommitColumns, number));
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return std::nullopt;
  return run_tables::commit(*query).head;
}

// What run.db.head says against it; empty: nothing.
Result<std::string> held_against(const Result<JournalHead>& beside, Database& database,
                                 const JournalEnd& end) {
  if (!beside) return fmt::format("run.db.head cannot be relied on ({})", beside.error().message);
  if (beside->commit > end.commit.number) {
    return fmt::format(
        "the journal ends with commit {}, but commit {} was written: run.db-wal was removed, or an older "
        "run.db was put in its place; the answers since then are missing",
        end.commit.number, beside->commit);
  }
  auto there = head_of(database, beside->commit);
  if (!there) return fail(std::move(there.error()));
  if (*there && **there == beside->head) return std::string();
  return fmt::format("commit {} is not the one that run.db.head names: one of both was changed",
                     beside->commit);
}

Result<CheckedJournal> check_chain(Database& database, const Result<JournalHead>& beside) {
  CheckedJournal checked;
  auto identity = run_tables::identity(database);
  if (!identity) return fail(std::move(identity.error()));
  auto texts = run_tables::texts(database);
  if (!texts) return fail(std::move(texts.error()));
  auto commits = database.prepare(fmt::format(
      "SELECT {} FROM commits WHERE number >= (SELECT max(number) FROM commits WHERE anew) ORDER BY number",
      run_tables::kCommitColumns));
  if (!commits) return fail(std::move(commits.error()));
  auto rows = RowsInOrder::open(database);
  if (!rows) return fail(std::move(rows.error()));
  JournalChain chain(*identity, *texts);
  std::string& defect = checked.report.defect;
  bool begun = false;
  for (;;) {
    auto more = commits->step();
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    const run_tables::WrittenCommit written = run_tables::commit(*commits);
    const std::string first_words = rows->next_words(written.commit.last_row);
    const std::int64_t first = rows->next();
    if (auto added = rows->add_to(chain, written.commit.last_row); !added)
      return fail(std::move(added.error()));
    const bool follows = !begun || written.commit.number == checked.end.commit.number + 1;
    if (defect.empty() && (!follows || chain.commit(written.commit) != written.head)) {
      auto changed = changed_rows(database, first, first_words, written.commit);
      if (!changed) return fail(std::move(changed.error()));
      defect = std::move(*changed);
      // To the end, for what can still be counted.
    }
    checked.end = {written.commit, written.head};
    begun = true;
  }
  if (!begun)
    return fail(ErrorKind::journal, "the chain of its commits has no beginning: run.db was changed");
  if (defect.empty() && rows->next() != std::numeric_limits<std::int64_t>::max())
    defect =
        fmt::format("row {} ({}) was added by somebody else", rows->next(), rows->next_words(rows->next()));
  JournalChain unused(checked.end.head);
  if (auto left = rows->add_to(unused, std::numeric_limits<std::int64_t>::max() - 1); !left)
    return fail(std::move(left.error()));
  if (defect.empty()) {
    auto found = held_against(beside, database, checked.end);
    if (!found) return fail(std::move(found.error()));
    defect = std::move(*found);
  }
  checked.report.commits = checked.end.commit.number;
  checked.report.effects = rows->effects_read();
  checked.report.outcomes = rows->outcomes_read();
  checked.report.head = checked.end.head;
  auto notes = run_tables::notes(database);
  if (!notes) return fail(std::move(notes.error()));
  checked.report.notes = std::move(*notes);
  return checked;
}

}  // namespace

Result<CheckedJournal> check_journal(Database& database, const Result<JournalHead>& beside) {
  // One state of it, whatever is written meanwhile.
  if (auto begun = database.execute("BEGIN"); !begun)
    return fail(located(std::move(begun.error()), database));
  auto whole = check_pages(database);
  auto checked = whole ? check_chain(database, beside) : fail(std::move(whole.error()));
  if (auto ended = database.execute("ROLLBACK"); !ended && checked) checked = fail(std::move(ended.error()));
  if (!checked) return fail(located(std::move(checked.error()), database));
  return checked;
}

Result<JournalChain> chain_over_all(Database& database, std::int64_t last_row) {
  auto identity = run_tables::identity(database);
  if (!identity) return fail(std::move(identity.error()));
  auto texts = run_tables::texts(database);
  if (!texts) return fail(std::move(texts.error()));
  auto rows = RowsInOrder::open(database);
  if (!rows) return fail(std::move(rows.error()));
  JournalChain chain(*identity, *texts);
  if (auto added = rows->add_to(chain, last_row); !added) return fail(std::move(added.error()));
  return chain;
}

}  // namespace assay
