#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "store/awaited_rows.h"
#include "store/file_lock.h"
#include "store/journal_check.h"
#include "store/journal_head.h"
#include "store/run_reads.h"
#include "store/run_store.h"
#include "store/run_tables.h"
#include "store/run_writes.h"
#include "store/sqlite.h"
#include "store/sqlite_runs.h"
#include "store/work_thread.h"

namespace assay {
namespace {

using Standing = std::optional<EffectRow>;

std::string journal_path(const std::string& directory) {
  return directory + "/" + kJournalFile;
}

class DirectoryLock final : public RunLock {
 public:
  explicit DirectoryLock(FileLock lock) : lock_(std::move(lock)) {}

 private:
  FileLock lock_;
};

class SqliteRunStore final : public RunStore {
 public:
  SqliteRunStore(std::string directory, RunIdentity identity, RunReads reads)
      : directory_(std::move(directory)),
        identity_(std::move(identity)),
        reads_(std::in_place, std::move(reads)),
        reading_(std::in_place) {}

  void write_with(std::unique_ptr<RunLock> lock, RunWrites writes) {
    lock_ = std::move(lock);
    writes_.emplace(std::move(writes));
    writer_.emplace([this](std::span<const RunWrites::Row* const> rows) -> Result<std::vector<Standing>> {
      if (auto done = writes_->commit(rows); !done) return fail(std::move(done.error()));
      // Nobody else writes: what was put stands.
      return std::vector<Standing>(rows.size());
    });
  }

  ~SqliteRunStore() override { end(); }

  std::unique_ptr<RunLock> close() override {
    end();
    return std::move(lock_);
  }

  const RunIdentity& identity() const override { return identity_; }

  Task<Result<Standing>> put(EffectRow row) override { return put_row(std::move(row)); }
  Task<Status> put(OutcomeRow row) override { return done(put_row(std::move(row))); }
  Task<Status> note(std::string text) override { return done(put_row(RunWrites::Note{std::move(text)})); }

  Task<Status> keep_file(std::string name, std::string text) override {
    // The work owns what it writes: this coroutine may be gone by then.
    co_return co_await files_.run<Status>(
        [path = directory_ + "/" + name, text = std::move(text)] { return write_file(path, text); });
  }
  Task<Status> share_file(std::string /*name*/, std::string /*text*/) override { co_return Status(); }
  Task<Result<std::optional<std::string>>> file(std::string name) override {
    using Found = Result<std::optional<std::string>>;
    co_return co_await files_.run<Found>([path = directory_ + "/" + name]() -> Found {
      if (!file_exists(path)) return std::nullopt;
      return read_file(path);
    });
  }

  Status bring_home() override { return {}; }

  Task<Result<std::vector<std::string>>> notes() override {
    return read([](RunReads& reads) { return reads.notes(); });
  }
  Task<Result<std::vector<PlanText>>> texts() override {
    return read([](RunReads& reads) { return reads.texts(); });
  }
  Task<Result<std::vector<EffectRow>>> effects_of(std::int64_t case_index, Requests requests) override {
    return read([=](RunReads& reads) { return reads.effects_of(case_index, requests); });
  }
  Task<Result<CaseStates>> states(std::vector<std::string> outcomes_to_retry) override {
    return read([again = std::move(outcomes_to_retry)](RunReads& reads) { return reads.states(again); });
  }
  Task<Result<std::vector<OutcomeRow>>> outcomes(std::int64_t first, std::size_t most) override {
    return read([first, most](RunReads& reads) { return reads.outcomes(first, most); });
  }
  Task<Result<RunTotals>> totals() override {
    if (writes_) co_return writes_->totals().now();
    co_return co_await read([](RunReads& reads) { return reads.totals(); });
  }
  Task<Result<std::optional<EffectRow>>> find_answer(Digest request_hash, std::string step,
                                                     int attempt) override {
    return read([request_hash, step = std::move(step), attempt](RunReads& reads) {
      return reads.find_answer(request_hash, step, attempt);
    });
  }

 private:
  void end() {
    writer_.reset();
    reading_.reset();
    reads_.reset();
    if (writes_) writes_->close();
    writes_.reset();
  }

  Task<Result<Standing>> put_row(RunWrites::Row row) {
    if (!writer_) co_return fail(ErrorKind::internal, "the run is open for reading only");
    co_return co_await writer_->put(std::move(row));
  }
  static Task<Status> done(Task<Result<Standing>> putting) {
    auto put = co_await putting;
    co_return put ? Status() : fail(std::move(put.error()));
  }

  template <class Ask>
  auto read(Ask ask) -> Task<decltype(ask(std::declval<RunReads&>()))> {
    using T = decltype(ask(std::declval<RunReads&>()));
    co_return co_await reading_->run<T>([this, ask = std::move(ask)] { return ask(*reads_); });
  }

  std::string directory_;
  RunIdentity identity_;
  std::unique_ptr<RunLock> lock_;
  std::optional<RunReads> reads_;
  std::optional<RunWrites> writes_;
  std::optional<WorkThread> reading_;
  WorkThread files_;
  std::optional<AwaitedRows<RunWrites::Row, Standing>> writer_;
};

Result<Database> open_existing(const std::string& directory, Database::Mode mode) {
  const std::string path = journal_path(directory);
  if (!directory_exists(directory)) return fail(file_error(directory, "open the run", ENOENT));
  if (!file_exists(path)) {
    return fail(Error{ErrorKind::journal,
                      "there is no run.db: this is not the directory of a run, or of one that asked no model",
                      {{"directory", directory}}});
  }
  auto database = Database::open(path, mode);
  if (!database) return database;
  if (auto known = run_tables::check_format(*database); !known)
    return fail(std::move(known.error()).with("file", path));
  return database;
}

// The tables appear under the final name in one step: a kill during creation leaves no half-made journal. Its
// head is there before it.
Status make_file(const std::string& directory, const RunIdentity& identity,
                 const std::vector<PlanText>& texts) {
  const std::string path = journal_path(directory);
  const std::string temporary = path + ".new";
  // What a process that was killed here has left.
  for (const char* part : {"", "-journal"}) ::unlink((temporary + part).c_str());
  {
    auto database = Database::open(temporary, Database::Mode::create);
    if (!database) return fail(std::move(database.error()));
    auto head = run_tables::make(*database, identity, texts);
    if (!head) return fail(std::move(head.error()).with("file", path));
    if (auto kept = JournalHeadFile::create(directory, {0, *head}); !kept) return kept;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(file_error(path, "create", errno));
  return {};
}

Error not_as_written(Error found, std::string_view choice) {
  found.message += fmt::format(
      ". Nothing was asked or written. Put run.db, run.db-wal and run.db.head back from a copy, or {}",
      choice);
  return found;
}

// Everything that was written is looked at before anything is added to it.
Result<RunWrites> open_writes(const std::string& directory, Damage damage) {
  auto beside = JournalHeadFile::read(directory);
  auto database = open_existing(directory, Database::Mode::read_write);
  if (!database) return fail(std::move(database.error()));
  auto checked = check_journal(*database, beside);
  if (!checked) return fail(not_as_written(std::move(checked.error()), "start a new run"));
  const std::string& defect = checked->report.defect;
  if (!defect.empty() && damage == Damage::refuse) {
    return fail(not_as_written(
        Error{ErrorKind::journal, defect, {{"file", journal_path(directory)}}},
        fmt::format("go on with what is there, which is noted in the run: assay resume {} --accept-changes",
                    directory)));
  }
  if (!beside) {
    if (auto made = JournalHeadFile::create(directory, {checked->end.commit.number, checked->end.head});
        !made)
      return fail(std::move(made.error()));
  }
  auto head_file = JournalHeadFile::open(directory);
  if (!head_file) return fail(std::move(head_file.error()));
  RunWrites writes(std::move(*database), std::move(*head_file), directory, checked->end);
  if (!defect.empty()) {
    if (auto accepted = writes.accept_all("accepted as it was found: " + defect); !accepted)
      return fail(std::move(accepted.error()));
  }
  return writes;
}

Result<std::unique_ptr<RunStore>> open_store(const std::string& directory, std::unique_ptr<RunLock> lock,
                                             Damage damage) {
  std::optional<RunWrites> writes;
  if (lock) {
    auto opened = open_writes(directory, damage);
    if (!opened) return fail(std::move(opened.error()));
    writes.emplace(std::move(*opened));
  }
  auto reader = open_existing(directory, Database::Mode::read_only);
  if (!reader) return fail(std::move(reader.error()));
  auto identity = run_tables::identity(*reader);
  if (!identity) return fail(std::move(identity.error()).with("file", journal_path(directory)));
  RunReads reads(std::move(*reader));
  if (writes) {
    auto earlier = reads.totals();
    if (!earlier) return fail(std::move(earlier.error()).with("file", journal_path(directory)));
    writes->totals().begin(*earlier);
  }
  auto store = std::make_unique<SqliteRunStore>(directory, std::move(*identity), std::move(reads));
  if (writes) store->write_with(std::move(lock), std::move(*writes));
  return store;
}

}  // namespace

namespace sqlite_runs {

bool holds_run(const std::string& directory) {
  return file_exists(journal_path(directory));
}

Result<std::unique_ptr<RunLock>> lock(const std::string& directory) {
  auto taken = FileLock::take(
      journal_path(directory) + ".lock",
      Error{ErrorKind::journal,
            "another assay process is working on this run; wait for it or choose another --output-dir",
            {{"directory", directory}}});
  if (!taken) return fail(std::move(taken.error()));
  return std::make_unique<DirectoryLock>(std::move(*taken));
}

bool is_locked(const std::string& directory) {
  return FileLock::held(journal_path(directory) + ".lock");
}

Result<std::unique_ptr<RunStore>> create(const std::string& directory, std::unique_ptr<RunLock> lock,
                                         const RunIdentity& identity, const std::vector<PlanText>& texts) {
  if (holds_run(directory)) {
    return fail(Error{ErrorKind::journal,
                      "holds a run already; finish it with `assay resume`, or choose another --output-dir",
                      {{"directory", directory}}});
  }
  if (auto made = make_file(directory, identity, texts); !made) return fail(std::move(made.error()));
  return open_store(directory, std::move(lock), Damage::refuse);
}

Result<std::unique_ptr<RunStore>> open(const std::string& directory, std::unique_ptr<RunLock> lock,
                                       Damage damage) {
  return open_store(directory, std::move(lock), damage);
}

Result<RunGlance> glance_at(const std::string& directory) {
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  RunGlance glance;
  auto identity = run_tables::identity(*database);
  if (!identity) return fail(std::move(identity.error()));
  glance.identity = std::move(*identity);
  {
    auto count = database->prepare("SELECT count(*), coalesce(sum(outcome != 'scored'), 0) FROM outcomes");
    if (!count) return fail(std::move(count.error()));
    auto row = count->step();
    if (!row) return fail(std::move(row.error()));
    glance.outcomes = count->integer(0);
    glance.errored = count->integer(1);
  }
  auto totals = RunReads(std::move(*database)).totals();
  if (!totals) return fail(std::move(totals.error()));
  glance.totals = *totals;
  return glance;
}

Result<JournalReport> check_journal(const std::string& directory) {
  auto beside = JournalHeadFile::read(directory);
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  auto checked = assay::check_journal(*database, beside);
  if (!checked) return fail(std::move(checked.error()));
  return std::move(checked->report);
}

Result<RunIdentity> read_identity(const std::string& directory) {
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  auto identity = run_tables::identity(*database);
  if (!identity) return fail(std::move(identity.error()).with("file", journal_path(directory)));
  return identity;
}

}  // namespace sqlite_runs
}  // namespace assay
