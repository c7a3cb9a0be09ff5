#include "store/run_writes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "store/run_tables.h"

namespace assay {
namespace {

// The first column of the first row; none if there is no row.
Result<std::optional<std::int64_t>> first_number(Statement& query) {
  auto row = query.step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return std::nullopt;
  const std::int64_t number = query.integer(0);
  query.reset();
  return number;
}

}  // namespace

// Shared texts are rows among the others: numbered with them, and in the chain.
class RunWrites::SharedTextRows final : public SharedTextTable {
 public:
  explicit SharedTextRows(RunWrites& writes) : writes_(writes) {}

  Result<std::optional<std::int64_t>> find(const Digest& hash) override {
    writes_.find_shared_text_->bind_blob(1, hash);
    return first_number(*writes_.find_shared_text_);
  }
  Result<std::int64_t> add(const SharedText& text) override {
    const std::int64_t row = ++writes_.next_.last_row;
    const SharedTextValues values{text.before, text.text, bytes_of(text.hash)};
    run_tables::bind(*writes_.insert_shared_text_, row, values);
    auto stepped = writes_.insert_shared_text_->step();
    if (!stepped) return fail(std::move(stepped.error()));
    writes_.chain_.add(row, values);
    return row;
  }

 private:
  RunWrites& writes_;
};

RunWrites::RunWrites(Database database, JournalHeadFile head_file, const std::string& directory,
                     JournalEnd end)
    : database_(std::move(database)),
      head_file_(std::move(head_file)),
      journal_place_(directory + "/" + kJournalFile),
      head_place_(JournalHeadFile::path_in(directory)),
      end_(std::move(end)),
      chain_(end_.head),
      shared_texts_(end_.commit.last_row == 0) {
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
  {
    RunningTotals::Adding sums(*totals_);
    for (const Row* row : rows) {
      if (const auto* effect = std::get_if<EffectRow>(row)) sums.add(*effect);
    }
    sums.worked(end_.commit.worked_ms);
  }
  // Only now: what this file says is on the disk.
  return head_file_.write({end_.commit.number, end_.head});
}

Status RunWrites::accept_all(const std::string& why) {
  if (auto ready = get_ready(); !ready) return ready;
  if (auto dropped = drop_what_refers_to_nothing(); !dropped) return dropped;
  auto last = database_.prepare(
      "SELECT max((SELECT coalesce(max(row_number), 0) FROM words), "
      "(SELECT coalesce(max(row_number), 0) FROM shared_texts), "
      "(SELECT coalesce(max(row_number), 0) FROM effect_rows), "
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

Status RunWrites::drop_what_refers_to_nothing() {
  return database_.execute(
      "BEGIN IMMEDIATE;"
      "WITH RECURSIVE whole(row_number) AS (SELECT row_number FROM shared_texts WHERE before IS NULL UNION "
      "SELECT s.row_number FROM whole JOIN shared_texts s ON s.before = whole.row_number AND "
      "s.before < s.row_number) "
      "DELETE FROM shared_texts WHERE row_number NOT IN whole;"
      "DELETE FROM effect_rows WHERE step NOT IN (SELECT row_number FROM words) "
      "OR kind NOT IN (SELECT row_number FROM words) OR model NOT IN (SELECT row_number FROM words) "
      "OR (request_before IS NOT NULL AND request_before NOT IN (SELECT row_number FROM shared_texts)) "
      "OR (reply_before IS NOT NULL AND reply_before NOT IN (SELECT row_number FROM shared_texts)) "
      "OR request_before > row_number OR reply_before > row_number;"
      "COMMIT");
}

void RunWrites::close() {
  if (!insert_commit_) return;
  for (auto* statement :
       {&find_word_, &insert_word_, &find_shared_text_, &insert_shared_text_, &insert_effect_,
        &insert_outcome_, &replace_outcome_, &drop_outcome_, &insert_commit_})
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
  const std::array<std::pair<std::optional<Statement>*, std::string>, 9> all = {
      {{&find_word_, "SELECT row_number FROM words WHERE text = ?"},
       {&insert_word_, "INSERT INTO words(text, row_number) VALUES(?,?)"},
       {&find_shared_text_, "SELECT row_number FROM shared_texts WHERE hash = ?"},
       {&insert_shared_text_, fmt::format("INSERT INTO shared_texts({}, row_number) VALUES(?,?,?,?)",
                                          run_tables::kSharedTextColumns)},
       {&insert_effect_,
        fmt::format("INSERT INTO effect_rows({}, row_number) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    run_tables::kEffectRowColumns)},
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

Result<std::int64_t> RunWrites::word(const std::string& text) {
  constexpr std::size_t kKept = 10'000;
  if (const auto found = words_.find(text); found != words_.end()) return found->second;
  find_word_->bind(1, std::string_view(text));
  auto known = first_number(*find_word_);
  if (!known) return fail(std::move(known.error()));
  if (!*known) {
    known = ++next_.last_row;
    insert_word_->bind(1, std::string_view(text));
    insert_word_->bind(2, next_.last_row);
    auto stepped = insert_word_->step();
    if (!stepped) return fail(std::move(stepped.error()));
    chain_.add_word(next_.last_row, text);
  }
  if (words_.size() >= kKept) words_.clear();
  words_.emplace(text, **known);
  return **known;
}

// What the row refers to comes before it.
Status RunWrites::insert(const EffectRow& row) {
  auto step = word(row.key.step);
  if (!step) return fail(std::move(step.error()));
  auto kind = word(row.kind);
  if (!kind) return fail(std::move(kind.error()));
  auto model = word(row.model);
  if (!model) return fail(std::move(model.error()));
  SharedTextRows table(*this);
  auto request = shared_texts_.split(row.request, row.request_prefixes, table);
  if (!request) return fail(std::move(request.error()));
  auto reply = shared_texts_.split(row.reply, row.reply_prefixes, table);
  if (!reply) return fail(std::move(reply.error()));
  const EffectValues values{.case_index = row.key.case_index,
                            .step = *step,
                            .attempt = row.key.attempt,
                            .kind = *kind,
                            .request_hash = bytes_of(row.request_hash),
                            .request_before = request->before,
                            .request = request->own,
                            .reply_before = reply->before,
                            .reply = reply->own,
                            .model = *model,
                            .prompt_tokens = row.prompt_tokens,
                            .completion_tokens = row.completion_tokens,
                            .cached_tokens = row.cached_tokens,
                            .reasoning_tokens = row.reasoning_tokens,
                            .cost_picousd = row.cost_picousd,
                            .latency_us = row.latency_us,
                            .tries = row.tries,
                            .finished = row.finished,
                            .reused = row.reused ? 1 : 0};
  run_tables::bind(*insert_effect_, ++next_.last_row, values);
  auto stepped = insert_effect_->step();
  if (!stepped) return fail(std::move(stepped.error()));
  chain_.add(next_.last_row, values);
  return {};
}

Status RunWrites::insert(const OutcomeRow& row) {
  ++next_.last_row;
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
    auto inserted = std::visit([&](const auto& one) { return insert(one); }, *row);
    if (!inserted) return fail(std::move(inserted.error()).with("file", database_.path()));
  }
  const auto worked = std::chrono::steady_clock::now() - began_;
  next_.worked_ms = elsewhere_ ? elsewhere_->worked_ms
                               : std::chrono::duration_cast<std::chrono::milliseconds>(worked).count();
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
