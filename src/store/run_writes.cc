#include "store/run_writes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "store/run_tables.h"

namespace assay {

RunWrites::RunWrites(Database database, JournalHeadFile head_file, const std::string& directory,
                     JournalEnd end)
    : database_(std::move(database)),
      head_file_(std::move(head_file)),
      journal_place_(directory + "/" + kJournalFile),
      head_place_(JournalHeadFile::path_in(directory)),
      end_(std::move(end)),
      chain_(end_.head) {
  next_.sitting = end_.commit.sitting + 1;
}

Status RunWrites::commit(std::span<const Row* const> rows) {
  // SQLite would go on writing into a file that has no name any more.
  if (auto there = still_there(); !there) return there;
  if (auto ready = get_ready(); !ready) return ready;
  Status done = write(rows);
  if (!done) {
    // What the failed transaction has written is undone by SQLite's own recovery if this fails as well.
    (void)database_.execute("ROLLBACK");
    return done;
  }
  // Only now: what this file says is on the disk.
  return head_file_.write({end_.commit.number, end_.head});
}

Status RunWrites::accept_all(const std::string& why) {
  if (auto ready = get_ready(); !ready) return ready;
  auto last = database_.prepare(
      "SELECT max((SELECT coalesce(max(row_number), 0) FROM effects), "
      "(SELECT coalesce(max(row_number), 0) FROM outcomes), "
      "(SELECT coalesce(max(row_number), 0) FROM replaced_outcomes), (SELECT max(last_row) FROM commits))");
  if (!last) return fail(std::move(last.error()));
  auto row = last->step();
  if (!row) return fail(std::move(row.error()));
  end_.commit.last_row = last->integer(0);
  last->reset();
  auto chain = chain_over_all(database_, end_.commit.last_row);
  if (!chain) return fail(std::move(chain.error()));
  chain_ = std::move(*chain);
  next_.anew = true;
  const std::array<Row, 1> note{Note{why}};
  const std::array<const Row*, 1> rows{note.data()};
  return commit(rows);
}

void RunWrites::close() {
  if (!insert_commit_) return;
  for (auto* statement :
       {&insert_effect_, &insert_outcome_, &replace_outcome_, &drop_outcome_, &insert_commit_})
    statement->reset();
  // A connection that has read nothing since it was opened does not know the log, and would leave it.
  (void)database_.execute("SELECT count(*) FROM run; PRAGMA journal_mode=DELETE");
}

Status RunWrites::still_there() const {
  if (journal_place_.kept() && head_place_.kept()) return {};
  return fail(Error{ErrorKind::journal,
                    "is gone: the run's directory was deleted or moved while the run was under way",
                    {{"file", database_.path()}}});
}

Status RunWrites::get_ready() {
  if (insert_commit_) return {};
  // FULL: a commit is on the disk when it returns, also after a power cut.
  if (auto set = database_.execute(
          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000; "
          "PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY;");
      !set)
    return set;
  const auto prepare = [this](std::optional<Statement>& statement, const std::string& sql) -> Status {
    auto prepared = database_.prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    statement = std::move(*prepared);
    return {};
  };
  // `commits` last: it is the mark that all are there.
  const std::string outcome_columns = fmt::format("{}, row_number", run_tables::kOutcomeColumns);
  const std::array<std::pair<std::optional<Statement>*, std::string>, 5> all = {
      {{&insert_effect_,
        fmt::format("INSERT INTO effects({}, row_number) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    run_tables::kEffectColumns)},
       {&insert_outcome_,
        fmt::format("INSERT INTO outcomes({}) VALUES(?,?,?,?,?) ON CONFLICT(case_index) DO NOTHING",
                    outcome_columns)},
       {&replace_outcome_,
        fmt::format("INSERT INTO replaced_outcomes({0}) SELECT {0} FROM outcomes WHERE case_index = ?",
                    outcome_columns)},
       {&drop_outcome_, "DELETE FROM outcomes WHERE case_index = ?"},
       {&insert_commit_, run_tables::kInsertCommit}}};
  for (const auto& [statement, sql] : all) {
    if (auto done = prepare(*statement, sql); !done) return done;
  }
  return {};
}

Status RunWrites::insert(const EffectRow& row) {
  run_tables::bind(*insert_effect_, next_.last_row, row);
  auto stepped = insert_effect_->step();
  if (!stepped) return fail(std::move(stepped.error()));
  chain_.add(next_.last_row, values_of(row));
  return {};
}

Status RunWrites::insert(const OutcomeRow& row) {
  for (int tries = 0;; ++tries) {
    run_tables::bind(*insert_outcome_, next_.last_row, row);
    auto stepped = insert_outcome_->step();
    if (!stepped) return fail(std::move(stepped.error()));
    if (database_.changes() == 1) break;
    if (tries > 0) return fail(ErrorKind::internal, "the outcome of a case cannot be replaced");
    // A case that is tried again has its outcome of before.
    for (Statement* statement : {&*replace_outcome_, &*drop_outcome_}) {
      statement->bind(1, row.case_index);
      auto moved = statement->step();
      if (!moved) return fail(std::move(moved.error()));
    }
  }
  chain_.add(next_.last_row, values_of(row));
  return {};
}

Status RunWrites::insert(const Note& note) {
  if (!note.text.empty()) next_.note += (next_.note.empty() ? "" : "; ") + note.text;
  return {};
}

Status RunWrites::write(std::span<const Row* const> rows) {
  if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
  next_.number = end_.commit.number + 1;
  next_.last_row = end_.commit.last_row;
  for (const Row* row : rows) {
    if (!std::holds_alternative<Note>(*row)) ++next_.last_row;
    auto inserted = std::visit([&](const auto& one) { return insert(one); }, *row);
    if (!inserted) return fail(std::move(inserted.error()).with("file", database_.path()));
  }
  const auto worked = std::chrono::steady_clock::now() - began_;
  next_.worked_ms = std::chrono::duration_cast<std::chrono::milliseconds>(worked).count();
  const Digest head = chain_.commit(next_);
  if (auto inserted = run_tables::insert_commit(*insert_commit_, next_, head); !inserted)
    return fail(std::move(inserted.error()).with("file", database_.path()));
  if (auto done = database_.execute("COMMIT"); !done) return done;
  end_ = {next_, head};
  next_.note.clear();
  next_.anew = false;
  return {};
}

}  // namespace assay
