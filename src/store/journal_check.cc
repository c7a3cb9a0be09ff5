#include "store/journal_check.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "store/run_tables.h"

namespace assay {
namespace {

// All rows in the order in which they were written, whichever table they stand in.
class RowsInOrder {
 public:
  static Result<RowsInOrder> open(Database& database) {
    auto effects = database.prepare(
        fmt::format("SELECT row_number, {} FROM effects ORDER BY row_number", run_tables::kEffectColumns));
    if (!effects) return fail(std::move(effects.error()));
    auto outcomes = database.prepare(
        fmt::format("SELECT row_number, {0} FROM outcomes UNION ALL SELECT row_number, {0} FROM "
                    "replaced_outcomes ORDER BY row_number",
                    run_tables::kOutcomeColumns));
    if (!outcomes) return fail(std::move(outcomes.error()));
    RowsInOrder rows(std::move(*effects), std::move(*outcomes));
    if (auto read = rows.read_effect(); !read) return fail(std::move(read.error()));
    if (auto read = rows.read_outcome(); !read) return fail(std::move(read.error()));
    return rows;
  }

  // Adds every row up to this number to the chain.
  Status add_to(JournalChain& chain, std::int64_t last_row) {
    while (next() <= last_row) {
      if (effect_ <= outcome_) {
        chain.add(effect_, run_tables::effect_values(effects_, 1));
        ++effects_read_;
        if (auto read = read_effect(); !read) return read;
      } else {
        chain.add(outcome_, run_tables::outcome_values(outcomes_, 1));
        ++outcomes_read_;
        if (auto read = read_outcome(); !read) return read;
      }
    }
    return {};
  }

  // The number of the next row; the largest there is at the end.
  std::int64_t next() const { return std::min(effect_, outcome_); }
  // "case 3, step judge/verdicts"
  std::string next_words() const {
    if (next() == kEnd) return "the end";
    if (effect_ <= outcome_) return fmt::format("case {}, step {}", effects_.integer(1), effects_.text(2));
    return fmt::format("outcome of case {}", outcomes_.text(2));
  }
  std::int64_t effects_read() const { return effects_read_; }
  std::int64_t outcomes_read() const { return outcomes_read_; }

 private:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

  RowsInOrder(Statement effects, Statement outcomes)
      : effects_(std::move(effects)), outcomes_(std::move(outcomes)) {}

  Status read_effect() { return read(effects_, effect_); }
  Status read_outcome() { return read(outcomes_, outcome_); }
  static Status read(Statement& from, std::int64_t& number) {
    auto more = from.step();
    if (!more) return fail(std::move(more.error()));
    number = *more ? from.integer(0) : kEnd;
    return {};
  }

  Statement effects_;
  Statement outcomes_;
  std::int64_t effect_ = kEnd;
  std::int64_t outcome_ = kEnd;
  std::int64_t effects_read_ = 0;
  std::int64_t outcomes_read_ = 0;
};

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
    const std::string first_words = rows->next_words();
    const std::int64_t first = rows->next();
    if (auto added = rows->add_to(chain, written.commit.last_row); !added)
      return fail(std::move(added.error()));
    const bool follows = !begun || written.commit.number == checked.end.commit.number + 1;
    if (defect.empty() && (!follows || chain.commit(written.commit) != written.head)) {
      defect =
          first > written.commit.last_row
              ? fmt::format("commit {} is not as it was written: run.db was changed", written.commit.number)
              : fmt::format("what was written from row {} ({}) to row {} was changed afterwards", first,
                            first_words, written.commit.last_row);
      // To the end, for what can still be counted.
    }
    checked.end = {written.commit, written.head};
    begun = true;
  }
  if (!begun)
    return fail(ErrorKind::journal, "the chain of its commits has no beginning: run.db was changed");
  if (defect.empty() && rows->next() != std::numeric_limits<std::int64_t>::max())
    defect = fmt::format("row {} ({}) was added by somebody else", rows->next(), rows->next_words());
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
