#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/file.h"
#include "store/file_lock.h"
#include "store/group_commit.h"
#include "store/run_store.h"
#include "store/run_tables.h"
#include "store/sqlite.h"
#include "store/work_thread.h"

namespace assay {
namespace {

constexpr std::size_t kGroup = 4096;  // rows of one commit

std::string journal_path(const std::string& directory) {
  return directory + "/" + kJournalFile;
}

class DirectoryLock final : public RunLock {
 public:
  explicit DirectoryLock(FileLock lock) : lock_(std::move(lock)) {}

 private:
  FileLock lock_;
};

Status configure_writer(Database& database) {
  // FULL: a commit is on the disk when it returns, also after a power cut.
  return database.execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000; "
      "PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY;");
}

// Names of outcomes, which are our own words and need no escaping.
std::string quoted_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += fmt::format("{}'{}'", list.empty() ? "" : ",", name);
  return list;
}

Result<std::vector<std::int64_t>> indices(Database& database, const std::string& sql) {
  auto query = database.prepare(sql);
  if (!query) return fail(std::move(query.error()));
  return run_tables::rows(*query, [](const Statement& row) { return row.integer(0); });
}

// The first 8 bytes of a digest are as good as random, so they are the hash.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t value = 0;
    std::memcpy(&value, digest.data(), sizeof value);
    return value;
  }
};

// What is asked of a run, on the thread that reads.
class RunReads {
 public:
  explicit RunReads(Database database) : database_(std::move(database)) {}

  Result<std::vector<PlanText>> texts() {
    auto query = database_.prepare("SELECT name, text FROM texts ORDER BY name");
    if (!query) return fail(std::move(query.error()));
    return run_tables::rows(*query, [](const Statement& row) {
      return PlanText{std::string(row.text(0)), std::string(row.text(1))};
    });
  }

  Result<std::vector<EffectRow>> effects_of(std::int64_t case_index) {
    if (!effects_of_) {
      auto query = database_.prepare(
          fmt::format("SELECT {} FROM effects WHERE case_index = ?", run_tables::kEffectColumns));
      if (!query) return fail(std::move(query.error()));
      effects_of_ = std::move(*query);
    }
    effects_of_->bind(1, case_index);
    return run_tables::rows(*effects_of_, run_tables::effect);
  }

  Result<CaseStates> states(const std::vector<std::string>& outcomes_to_retry) {
    const std::string again = quoted_list(outcomes_to_retry);
    auto ended = indices(database_, "SELECT case_index FROM outcomes ORDER BY case_index");
    if (!ended) return fail(std::move(ended.error()));
    auto finished = indices(
        database_,
        fmt::format("SELECT case_index FROM outcomes WHERE outcome NOT IN ({}) ORDER BY case_index", again));
    if (!finished) return fail(std::move(finished.error()));
    auto begun =
        indices(database_, fmt::format("SELECT DISTINCT case_index FROM effects WHERE case_index NOT IN "
                                       "(SELECT case_index FROM outcomes WHERE outcome NOT IN ({})) "
                                       "ORDER BY case_index",
                                       again));
    if (!begun) return fail(std::move(begun.error()));
    return CaseStates{std::move(*ended), std::move(*finished), std::move(*begun)};
  }

  Result<std::vector<OutcomeRow>> outcomes(std::int64_t first, std::size_t most) {
    if (!outcomes_) {
      auto query = database_.prepare(
          "SELECT case_index, case_id, outcome, result FROM outcomes WHERE case_index >= ? ORDER BY "
          "case_index LIMIT ?");
      if (!query) return fail(std::move(query.error()));
      outcomes_ = std::move(*query);
    }
    outcomes_->bind(1, first);
    outcomes_->bind(2, static_cast<std::int64_t>(most));
    return run_tables::rows(*outcomes_, run_tables::outcome);
  }

  Result<RunTotals> totals() {
    auto query = database_.prepare(
        "SELECT coalesce(sum(tries * (1 - reused)),0), coalesce(sum(prompt_tokens * (1 - reused)),0), "
        "coalesce(sum(completion_tokens * (1 - reused)),0), coalesce(sum(cached_tokens * (1 - reused)),0), "
        "coalesce(sum(reasoning_tokens * (1 - reused)),0), coalesce(sum(cost_picousd),0), "
        "coalesce(sum(kind IN ('model', 'promptql') AND cost_picousd IS NULL),0), coalesce(sum(reused),0) "
        "FROM effects");
    if (!query) return fail(std::move(query.error()));
    auto row = query->step();
    if (!row) return fail(std::move(row.error()));
    return RunTotals{query->integer(0), query->integer(1), query->integer(2),      query->integer(3),
                     query->integer(4), query->integer(5), query->integer(6) == 0, query->integer(7)};
  }

  Result<std::optional<EffectRow>> find_answer(const Digest& hash, const std::string& step, int attempt) {
    if (auto ready = index_answers(); !ready) return fail(std::move(ready.error()));
    const auto [first, last] = answers_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
      by_row_->bind(1, entry->second);
      auto row = by_row_->step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) continue;
      EffectRow effect = run_tables::effect(*by_row_);
      by_row_->reset();
      if (effect.key.step == step && effect.key.attempt == attempt) return effect;
    }
    return std::nullopt;
  }

 private:
  // By hash, when the first one is asked for: a run that is not reused needs no such index.
  Status index_answers() {
    if (by_row_) return {};
    auto all = database_.prepare("SELECT rowid, request_hash FROM effects");
    if (!all) return fail(std::move(all.error()));
    for (;;) {
      auto row = all->step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) break;
      Digest digest{};
      const auto bytes = all->blob(1);
      if (bytes.size() != digest.size()) continue;
      std::copy(bytes.begin(), bytes.end(), digest.begin());
      answers_.emplace(digest, all->integer(0));
    }
    auto by_row =
        database_.prepare(fmt::format("SELECT {} FROM effects WHERE rowid = ?", run_tables::kEffectColumns));
    if (!by_row) return fail(std::move(by_row.error()));
    by_row_ = std::move(*by_row);
    return {};
  }

  Database database_;
  std::optional<Statement> effects_of_;
  std::optional<Statement> outcomes_;
  std::optional<Statement> by_row_;
  std::unordered_multimap<Digest, std::int64_t, DigestHash> answers_;
};

// What is written, on the writer's thread.
class RunWrites {
 public:
  using Row = std::variant<EffectRow, OutcomeRow>;
  explicit RunWrites(Database database) : database_(std::move(database)) {}

  template <class Entry>
  Status commit(std::span<Entry> group) {
    Status done = write(group);
    // What the failed transaction has written is undone by SQLite's own recovery if this fails as well.
    if (!done) (void)database_.execute("ROLLBACK");
    return done;
  }

  // Leaves one plain file behind: it can be copied, and read where nothing may be written. If it fails (disk
  // full), the next opening recovers from the log as after a kill.
  void close() {
    insert_effect_.reset();
    insert_outcome_.reset();
    // A connection that has read nothing since it was opened does not know the log, and would leave it.
    (void)database_.execute("SELECT count(*) FROM run; PRAGMA journal_mode=DELETE");
  }

 private:
  template <class Entry>
  Status write(std::span<Entry> group) {
    if (!insert_effect_) {
      auto effect = database_.prepare(fmt::format(
          "INSERT INTO effects({}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", run_tables::kEffectColumns));
      if (!effect) return fail(std::move(effect.error()));
      auto outcome = database_.prepare(
          "INSERT OR REPLACE INTO outcomes(case_index, case_id, outcome, result) VALUES(?,?,?,?)");
      if (!outcome) return fail(std::move(outcome.error()));
      insert_effect_ = std::move(*effect);
      insert_outcome_ = std::move(*outcome);
    }
    if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
    for (const Entry& entry : group) {
      Statement& insert = std::holds_alternative<EffectRow>(entry.row) ? *insert_effect_ : *insert_outcome_;
      std::visit([&](const auto& row) { run_tables::bind(insert, row); }, entry.row);
      if (auto stepped = insert.step(); !stepped)
        return fail(std::move(stepped.error()).with("file", database_.path()));
    }
    return database_.execute("COMMIT");
  }

  Database database_;
  std::optional<Statement> insert_effect_;
  std::optional<Statement> insert_outcome_;
};

class SqliteRunStore final : public RunStore {
 public:
  SqliteRunStore(std::string directory, RunIdentity identity, Database reader, Post post)
      : directory_(std::move(directory)),
        identity_(std::move(identity)),
        post_(std::move(post)),
        reads_(std::in_place, std::move(reader)),
        reading_(std::in_place, post_),
        files_(post_) {}

  void write_with(std::unique_ptr<RunLock> lock, Database writer) {
    lock_ = std::move(lock);
    writes_.emplace(std::move(writer));
    writer_.emplace(
        kGroup, [this](std::span<Entry> group) { return writes_->commit(group); },
        [this](std::span<Entry> group, const Status& committed) {
          // One post for the whole group: each wakes the loop.
          std::vector<std::shared_ptr<Awaited<Status>>> waiting;
          waiting.reserve(group.size());
          for (Entry& entry : group) {
            entry.waiting->value = committed;
            waiting.push_back(std::move(entry.waiting));
          }
          post_([waiting = std::move(waiting)] {
            for (const auto& one : waiting) one->arrive();
          });
        });
  }

  ~SqliteRunStore() override {
    writer_.reset();
    reading_.reset();
    reads_.reset();
    if (writes_) writes_->close();
  }

  const RunIdentity& identity() const override { return identity_; }

  Task<Status> put(EffectRow row) override { return put_row(std::move(row)); }
  Task<Status> put(OutcomeRow row) override { return put_row(std::move(row)); }

  Task<Status> keep_file(std::string name, std::string text) override {
    // The work owns what it writes: this coroutine may be gone by then.
    co_return co_await files_.run<Status>(
        [path = directory_ + "/" + name, text = std::move(text)] { return write_file(path, text); });
  }

  Task<Result<std::vector<PlanText>>> texts() override {
    return read([](RunReads& reads) { return reads.texts(); });
  }
  Task<Result<std::vector<EffectRow>>> effects_of(std::int64_t case_index) override {
    return read([case_index](RunReads& reads) { return reads.effects_of(case_index); });
  }
  Task<Result<CaseStates>> states(std::vector<std::string> outcomes_to_retry) override {
    return read([again = std::move(outcomes_to_retry)](RunReads& reads) { return reads.states(again); });
  }
  Task<Result<std::vector<OutcomeRow>>> outcomes(std::int64_t first, std::size_t most) override {
    return read([first, most](RunReads& reads) { return reads.outcomes(first, most); });
  }
  Task<Result<RunTotals>> totals() override {
    return read([](RunReads& reads) { return reads.totals(); });
  }
  Task<Result<std::optional<EffectRow>>> find_answer(Digest request_hash, std::string step,
                                                     int attempt) override {
    return read([request_hash, step = std::move(step), attempt](RunReads& reads) {
      return reads.find_answer(request_hash, step, attempt);
    });
  }

 private:
  struct Entry {
    RunWrites::Row row;
    std::shared_ptr<Awaited<Status>> waiting;
  };

  // Waits for the commit of one row; destroyed earlier, the row is written all the same.
  class Committed {
   public:
    Committed(GroupCommit<Entry>& writer, RunWrites::Row row) : writer_(writer), row_(std::move(row)) {}
    Committed(const Committed&) = delete;
    Committed& operator=(const Committed&) = delete;
    ~Committed() { waiting_->handle = nullptr; }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiting_->handle = handle;
      writer_.add({std::move(row_), waiting_});
    }
    Status await_resume() { return std::move(*waiting_->value); }

   private:
    GroupCommit<Entry>& writer_;
    RunWrites::Row row_;
    std::shared_ptr<Awaited<Status>> waiting_ = std::make_shared<Awaited<Status>>();
  };

  Task<Status> put_row(RunWrites::Row row) {
    if (!writer_) co_return fail(ErrorKind::internal, "the run is open for reading only");
    co_return co_await Committed(*writer_, std::move(row));
  }

  template <class Ask>
  auto read(Ask ask) -> Task<decltype(ask(std::declval<RunReads&>()))> {
    using T = decltype(ask(std::declval<RunReads&>()));
    co_return co_await reading_->run<T>([this, ask = std::move(ask)] { return ask(*reads_); });
  }

  std::string directory_;
  RunIdentity identity_;
  Post post_;
  std::unique_ptr<RunLock> lock_;
  std::optional<RunReads> reads_;
  std::optional<RunWrites> writes_;
  std::optional<WorkThread> reading_;
  WorkThread files_;
  std::optional<GroupCommit<Entry>> writer_;
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

// The tables appear under the final name in one step: a kill during creation leaves no half-made journal.
Status make_file(const std::string& directory, const RunIdentity& identity,
                 const std::vector<PlanText>& texts) {
  const std::string path = journal_path(directory);
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());
  {
    auto database = Database::open(temporary, Database::Mode::create);
    if (!database) return fail(std::move(database.error()));
    if (auto made = run_tables::make(*database, identity, texts); !made)
      return fail(std::move(made.error()).with("file", path));
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(file_error(path, "create", errno));
  return {};
}

Result<std::unique_ptr<RunStore>> open_store(const std::string& directory, std::unique_ptr<RunLock> lock,
                                             Post post) {
  std::optional<Database> writer;
  if (lock) {
    auto opened = open_existing(directory, Database::Mode::read_write);
    if (!opened) return fail(std::move(opened.error()));
    if (auto configured = configure_writer(*opened); !configured) return fail(std::move(configured.error()));
    writer.emplace(std::move(*opened));
  }
  auto reader = open_existing(directory, Database::Mode::read_only);
  if (!reader) return fail(std::move(reader.error()));
  auto identity = run_tables::identity(*reader);
  if (!identity) return fail(std::move(identity.error()).with("file", journal_path(directory)));
  auto store =
      std::make_unique<SqliteRunStore>(directory, std::move(*identity), std::move(*reader), std::move(post));
  if (writer) store->write_with(std::move(lock), std::move(*writer));
  return store;
}

}  // namespace

bool RunStore::holds_run(const std::string& address) {
  return file_exists(journal_path(address));
}

Result<std::unique_ptr<RunLock>> RunStore::lock(const std::string& address) {
  auto taken = FileLock::take(
      journal_path(address) + ".lock",
      Error{ErrorKind::journal,
            "another assay process is working on this run; wait for it or choose another --output-dir",
            {{"directory", address}}});
  if (!taken) return fail(std::move(taken.error()));
  return std::make_unique<DirectoryLock>(std::move(*taken));
}

Result<std::unique_ptr<RunStore>> RunStore::create(const std::string& address, std::unique_ptr<RunLock> lock,
                                                   const RunIdentity& identity,
                                                   const std::vector<PlanText>& texts, Post post) {
  if (holds_run(address)) {
    return fail(Error{ErrorKind::journal,
                      "holds a run already; finish it with `assay resume`, or choose another --output-dir",
                      {{"directory", address}}});
  }
  if (auto made = make_file(address, identity, texts); !made) return fail(std::move(made.error()));
  return open_store(address, std::move(lock), std::move(post));
}

Result<std::unique_ptr<RunStore>> RunStore::open(const std::string& address, std::unique_ptr<RunLock> lock,
                                                 Post post) {
  return open_store(address, std::move(lock), std::move(post));
}

Result<RunIdentity> read_identity(const std::string& address) {
  auto database = open_existing(address, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  auto identity = run_tables::identity(*database);
  if (!identity) return fail(std::move(identity.error()).with("file", journal_path(address)));
  return identity;
}

}  // namespace assay
