#include "store/journal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/file.h"
#include "store/file_lock.h"
#include "store/sqlite.h"

namespace assay {
namespace {

constexpr int kFormat = 1;

constexpr const char* kTables = R"(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE effects(
  case_index INTEGER NOT NULL, step TEXT NOT NULL, attempt INTEGER NOT NULL, kind TEXT NOT NULL,
  request_hash BLOB NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL, model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, cost_picousd INTEGER, latency_us INTEGER NOT NULL, tries INTEGER NOT NULL,
  finished TEXT NOT NULL, reused INTEGER NOT NULL);
CREATE UNIQUE INDEX effects_by_key ON effects(case_index, step, attempt);
CREATE TABLE outcomes(
  case_index INTEGER PRIMARY KEY, case_id TEXT NOT NULL, outcome TEXT NOT NULL, result TEXT NOT NULL);
)";

constexpr const char* kEffectColumns =
    "case_index, step, attempt, kind, request_hash, request, reply, model, prompt_tokens, completion_tokens, "
    "cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, finished, reused";

EffectRow read_effect(const Statement& row) {
  EffectRow effect;
  effect.key = {row.integer(0), std::string(row.text(1)), static_cast<int>(row.integer(2))};
  effect.kind = row.text(3);
  const auto hash = row.blob(4);
  if (hash.size() == effect.request_hash.size())
    std::copy(hash.begin(), hash.end(), effect.request_hash.begin());
  effect.request = row.text(5);
  effect.reply = row.text(6);
  effect.model = row.text(7);
  effect.prompt_tokens = row.integer(8);
  effect.completion_tokens = row.integer(9);
  effect.cached_tokens = row.integer(10);
  effect.reasoning_tokens = row.integer(11);
  if (!row.is_null(12)) effect.cost_picousd = row.integer(12);
  effect.latency_us = row.integer(13);
  effect.tries = static_cast<int>(row.integer(14));
  effect.finished = row.text(15);
  effect.reused = row.integer(16) != 0;
  return effect;
}

void bind_effect(Statement& insert, const EffectRow& row) {
  insert.bind(1, row.key.case_index);
  insert.bind(2, std::string_view(row.key.step));
  insert.bind(3, std::int64_t{row.key.attempt});
  insert.bind(4, std::string_view(row.kind));
  insert.bind_blob(5, row.request_hash);
  insert.bind(6, std::string_view(row.request));
  insert.bind(7, std::string_view(row.reply));
  insert.bind(8, std::string_view(row.model));
  insert.bind(9, row.prompt_tokens);
  insert.bind(10, row.completion_tokens);
  insert.bind(11, row.cached_tokens);
  insert.bind(12, row.reasoning_tokens);
  if (row.cost_picousd) {
    insert.bind(13, *row.cost_picousd);
  } else {
    insert.bind_null(13);
  }
  insert.bind(14, row.latency_us);
  insert.bind(15, std::int64_t{row.tries});
  insert.bind(16, std::string_view(row.finished));
  insert.bind(17, std::int64_t{row.reused ? 1 : 0});
}

Result<FileLock> lock_run(const std::string& directory) {
  return FileLock::take(
      directory + "/" + kJournalFile + ".lock",
      Error{ErrorKind::journal,
            "another assay process is working on this run; wait for it or choose another --output-dir",
            {{"directory", directory}}});
}

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

Status check_format(Database& database) {
  auto query = database.prepare("PRAGMA user_version");
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  const std::int64_t found = *row ? query->integer(0) : 0;
  if (found == kFormat) return {};
  return fail(ErrorKind::journal,
              fmt::format("found journal format {}, expected {}: it was written by another version of assay",
                          found, kFormat));
}

Result<std::unordered_map<std::string, std::string>> read_run_table(Database& database) {
  auto query = database.prepare("SELECT key, value FROM run");
  if (!query) return fail(std::move(query.error()));
  std::unordered_map<std::string, std::string> values;
  for (;;) {
    auto row = query->step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return values;
    values.emplace(query->text(0), query->text(1));
  }
}

std::array<std::pair<const char*, std::string RunIdentity::*>, 7> identity_fields() {
  return {{{"run_id", &RunIdentity::run_id},
           {"evaluation", &RunIdentity::evaluation},
           {"assay", &RunIdentity::assay},
           {"started", &RunIdentity::started},
           {"config", &RunIdentity::config},
           {"data_path", &RunIdentity::data_path},
           {"data_hash", &RunIdentity::data_hash}}};
}

OutcomeRow read_outcome(const Statement& query) {
  return {query.integer(0), std::string(query.text(1)), std::string(query.text(2)),
          std::string(query.text(3))};
}

Result<std::optional<OutcomeRow>> find_outcome(Database& database, std::int64_t case_index) {
  auto query =
      database.prepare("SELECT case_index, case_id, outcome, result FROM outcomes WHERE case_index = ?");
  if (!query) return fail(std::move(query.error()));
  query->bind(1, case_index);
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  return *row ? std::optional(read_outcome(*query)) : std::nullopt;
}

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(FileLock lock, Database writer, Database reader, RunIdentity identity, Committed committed)
      : lock_(std::move(lock)),
        writer_(std::move(writer)),
        reader_(std::move(reader)),
        identity_(std::move(identity)),
        committed_(std::move(committed)),
        thread_([this] { write_until_closed(); }) {}

  ~SqliteJournal() override {
    {
      const std::lock_guard guard(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
    // Leave one plain file behind: it can be copied, and read where nothing may be written. If it fails (disk
    // full), the next opening recovers from the log as after a kill.
    effects_of_query_.reset();
    reader_.reset();
    insert_effect_.reset();
    insert_outcome_.reset();
    (void)writer_.execute("PRAGMA journal_mode=DELETE");
  }

  const RunIdentity& identity() const override { return identity_; }
  std::string path() const override { return writer_.path(); }

  void append(EffectRow row, Ticket ticket) override { enqueue({std::move(row), ticket}); }
  void append(OutcomeRow row, Ticket ticket) override { enqueue({std::move(row), ticket}); }

  Result<std::vector<EffectRow>> effects_of(std::int64_t case_index) override {
    if (!effects_of_query_) {
      auto query =
          reader_->prepare(fmt::format("SELECT {} FROM effects WHERE case_index = ?", kEffectColumns));
      if (!query) return fail(std::move(query.error()));
      effects_of_query_ = std::move(*query);
    }
    std::vector<EffectRow> rows;
    effects_of_query_->bind(1, case_index);
    for (;;) {
      auto row = effects_of_query_->step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) return rows;
      rows.push_back(read_effect(*effects_of_query_));
    }
  }

  Result<std::vector<std::int64_t>> begun(const std::vector<std::string>& outcomes_to_retry) override {
    return indices(
        fmt::format("SELECT DISTINCT case_index FROM effects WHERE case_index NOT IN (SELECT case_index FROM "
                    "outcomes WHERE "
                    "outcome NOT IN ({})) ORDER BY case_index",
                    quoted_list(outcomes_to_retry)));
  }

  Result<std::vector<std::int64_t>> finished(const std::vector<std::string>& outcomes_to_retry) override {
    return indices(
        fmt::format("SELECT case_index FROM outcomes WHERE outcome NOT IN ({}) ORDER BY case_index",
                    quoted_list(outcomes_to_retry)));
  }

  Result<std::optional<OutcomeRow>> outcome_of(std::int64_t case_index) override {
    return find_outcome(*reader_, case_index);
  }

  Result<JournalTotals> totals(const std::vector<std::int64_t>* cases) override {
    auto query = reader_->prepare(
        "SELECT coalesce(sum(tries * (1 - reused)),0), coalesce(sum(prompt_tokens * (1 - reused)),0), "
        "coalesce(sum(completion_tokens * (1 - reused)),0), coalesce(sum(cached_tokens * (1 - reused)),0), "
        "coalesce(sum(reasoning_tokens * (1 - reused)),0), coalesce(sum(cost_picousd),0), "
        "coalesce(sum(kind IN ('model', 'promptql') AND cost_picousd IS NULL),0), coalesce(sum(reused),0) "
        "FROM effects" +
        (cases == nullptr ? std::string()
                          : fmt::format(" WHERE case_index IN ({})", fmt::join(*cases, ","))));
    if (!query) return fail(std::move(query.error()));
    auto row = query->step();
    if (!row) return fail(std::move(row.error()));
    JournalTotals totals{query->integer(0), query->integer(1), query->integer(2),      query->integer(3),
                         query->integer(4), query->integer(5), query->integer(6) == 0, query->integer(7)};
    return totals;
  }

 private:
  struct Entry {
    std::variant<EffectRow, OutcomeRow> row;
    Ticket ticket = nullptr;
  };

  void enqueue(Entry entry) {
    {
      const std::lock_guard guard(mutex_);
      queue_.push_back(std::move(entry));
    }
    wake_.notify_one();
  }

  Result<std::vector<std::int64_t>> indices(const std::string& sql) {
    auto query = reader_->prepare(sql);
    if (!query) return fail(std::move(query.error()));
    std::vector<std::int64_t> list;
    for (;;) {
      auto row = query->step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) return list;
      list.push_back(query->integer(0));
    }
  }

  void write_until_closed() {
    std::vector<Entry> batch;
    Status broken;
    for (;;) {
      {
        std::unique_lock guard(mutex_);
        wake_.wait(guard, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        batch.swap(queue_);
      }
      if (broken) broken = commit(batch);
      std::vector<Ticket> tickets;
      tickets.reserve(batch.size());
      for (const Entry& entry : batch) {
        if (entry.ticket != nullptr) tickets.push_back(entry.ticket);
      }
      batch.clear();
      committed_(std::move(tickets), broken);
    }
  }

  Status commit(const std::vector<Entry>& batch) {
    Status done = write_rows(batch);
    if (!done) {
      // What the failed transaction has written is undone by SQLite's own recovery if this fails as well.
      if (auto undone = writer_.execute("ROLLBACK"); !undone) return done;
    }
    return done;
  }

  Status write_rows(const std::vector<Entry>& batch) {
    if (!insert_effect_) {
      auto effect = writer_.prepare(
          fmt::format("INSERT INTO effects({}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", kEffectColumns));
      if (!effect) return fail(std::move(effect.error()));
      auto outcome = writer_.prepare(
          "INSERT OR REPLACE INTO outcomes(case_index, case_id, outcome, result) VALUES(?,?,?,?)");
      if (!outcome) return fail(std::move(outcome.error()));
      insert_effect_ = std::move(*effect);
      insert_outcome_ = std::move(*outcome);
    }
    if (auto begun = writer_.execute("BEGIN IMMEDIATE"); !begun) return begun;
    for (const Entry& entry : batch) {
      Statement* insert = nullptr;
      if (const auto* effect = std::get_if<EffectRow>(&entry.row)) {
        bind_effect(*insert_effect_, *effect);
        insert = &*insert_effect_;
      } else {
        const auto& outcome = std::get<OutcomeRow>(entry.row);
        insert_outcome_->bind(1, outcome.case_index);
        insert_outcome_->bind(2, std::string_view(outcome.case_id));
        insert_outcome_->bind(3, std::string_view(outcome.outcome));
        insert_outcome_->bind(4, std::string_view(outcome.result));
        insert = &*insert_outcome_;
      }
      if (auto stepped = insert->step(); !stepped)
        return fail(std::move(stepped.error()).with("file", writer_.path()));
    }
    return writer_.execute("COMMIT");
  }

  FileLock lock_;
  Database writer_;
  std::optional<Database> reader_;
  RunIdentity identity_;
  Committed committed_;
  std::optional<Statement> insert_effect_;
  std::optional<Statement> insert_outcome_;
  std::optional<Statement> effects_of_query_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Entry> queue_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses everything above
};

Result<std::unique_ptr<Journal>> start(FileLock lock, Database writer, RunIdentity identity,
                                       Journal::Committed committed) {
  auto reader = Database::open(writer.path(), Database::Mode::read_only);
  if (!reader) return fail(std::move(reader.error()));
  return std::make_unique<SqliteJournal>(std::move(lock), std::move(writer), std::move(*reader),
                                         std::move(identity), std::move(committed));
}

std::string journal_path(const std::string& directory) {
  return directory + "/" + kJournalFile;
}

Result<Database> open_existing(const std::string& directory, Database::Mode mode) {
  const std::string path = journal_path(directory);
  if (!directory_exists(directory)) return fail(file_error(directory, "open the run", ENOENT));
  if (!file_exists(path)) {
    return fail(Error{ErrorKind::journal,
                      "there is no run.db: this is not the directory of a run, or of one that asked no model",
                      {{"directory", directory}}});
  }
  return Database::open(path, mode);
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::create(const std::string& directory, const RunIdentity& identity,
                                                 Committed committed) {
  auto lock = lock_run(directory);
  if (!lock) return fail(std::move(lock.error()));
  const std::string path = journal_path(directory);
  if (file_exists(path)) {
    return fail(Error{ErrorKind::journal,
                      "holds a run already; finish it with `assay resume`, or choose another --output-dir",
                      {{"directory", directory}}});
  }
  // The tables appear under the final name in one step: a kill during creation leaves no half-made journal.
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());
  {
    auto database = Database::open(temporary, Database::Mode::create);
    if (!database) return fail(std::move(database.error()));
    if (auto made = database->execute(fmt::format("BEGIN; {} PRAGMA user_version={};", kTables, kFormat));
        !made) {
      return fail(std::move(made.error()));
    }
    auto insert = database->prepare("INSERT INTO run(key, value) VALUES(?, ?)");
    if (!insert) return fail(std::move(insert.error()));
    for (const auto& [name, member] : identity_fields()) {
      insert->bind(1, std::string_view(name));
      insert->bind(2, std::string_view(identity.*member));
      if (auto stepped = insert->step(); !stepped) return fail(std::move(stepped.error()).with("file", path));
    }
    if (auto done = database->execute("COMMIT"); !done) return fail(std::move(done.error()));
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(file_error(path, "create", errno));
  auto writer = Database::open(path, Database::Mode::read_write);
  if (!writer) return fail(std::move(writer.error()));
  if (auto configured = configure_writer(*writer); !configured) return fail(std::move(configured.error()));
  return start(std::move(*lock), std::move(*writer), identity, std::move(committed));
}

Result<RunIdentity> read_identity(const std::string& directory) {
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  auto values = read_run_table(*database);
  if (!values) return fail(std::move(values.error()).with("file", journal_path(directory)));
  RunIdentity identity;
  for (const auto& [name, member] : identity_fields()) identity.*member = (*values)[name];
  return identity;
}

Result<std::unique_ptr<Journal>> Journal::open(const std::string& directory, Committed committed) {
  auto found = open_existing(directory, Database::Mode::read_only);
  if (!found) return fail(std::move(found.error()));
  auto lock = lock_run(directory);
  if (!lock) return fail(std::move(lock.error()));
  auto writer = open_existing(directory, Database::Mode::read_write);
  if (!writer) return fail(std::move(writer.error()));
  if (auto known = check_format(*writer); !known) {
    return fail(std::move(known.error()).with("file", journal_path(directory)));
  }
  if (auto configured = configure_writer(*writer); !configured) return fail(std::move(configured.error()));
  auto values = read_run_table(*writer);
  if (!values) return fail(std::move(values.error()).with("file", journal_path(directory)));
  RunIdentity identity;
  for (const auto& [name, member] : identity_fields()) identity.*member = (*values)[name];
  return start(std::move(*lock), std::move(*writer), std::move(identity), std::move(committed));
}

namespace {

class SqliteOutcomeReader final : public OutcomeReader {
 public:
  SqliteOutcomeReader(Database database, Statement query)
      : database_(std::move(database)), query_(std::move(query)) {}

  Result<std::optional<OutcomeRow>> next() override {
    auto row = query_.step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return std::nullopt;
    return read_outcome(query_);
  }
  Result<std::optional<OutcomeRow>> at(std::int64_t case_index) override {
    return find_outcome(database_, case_index);
  }

 private:
  Database database_;
  Statement query_;
};

// The first 8 bytes of a digest are as good as random, so they are the hash.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t value = 0;
    std::memcpy(&value, digest.data(), sizeof value);
    return value;
  }
};

class SqliteEarlierAnswers final : public EarlierAnswers {
 public:
  SqliteEarlierAnswers(Database database, Statement by_row,
                       std::unordered_multimap<Digest, std::int64_t, DigestHash> rows)
      : database_(std::move(database)), by_row_(std::move(by_row)), rows_(std::move(rows)) {}

  Result<std::optional<EffectRow>> find(const Digest& request_hash, const std::string& step,
                                        int attempt) override {
    const auto [first, last] = rows_.equal_range(request_hash);
    for (auto entry = first; entry != last; ++entry) {
      by_row_.bind(1, entry->second);
      auto row = by_row_.step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) continue;
      EffectRow effect = read_effect(by_row_);
      by_row_.reset();
      if (effect.key.step == step && effect.key.attempt == attempt) return effect;
    }
    return std::nullopt;
  }

 private:
  Database database_;
  Statement by_row_;
  std::unordered_multimap<Digest, std::int64_t, DigestHash> rows_;
};

}  // namespace

Result<std::unique_ptr<OutcomeReader>> OutcomeReader::open(const std::string& directory) {
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  auto query =
      database->prepare("SELECT case_index, case_id, outcome, result FROM outcomes ORDER BY case_index");
  if (!query) return fail(std::move(query.error()));
  return std::make_unique<SqliteOutcomeReader>(std::move(*database), std::move(*query));
}

Result<std::unique_ptr<EarlierAnswers>> EarlierAnswers::open(const std::string& directory) {
  auto database = open_existing(directory, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  std::unordered_multimap<Digest, std::int64_t, DigestHash> rows;
  {
    auto query = database->prepare("SELECT rowid, request_hash FROM effects");
    if (!query) return fail(std::move(query.error()));
    for (;;) {
      auto row = query->step();
      if (!row) return fail(std::move(row.error()));
      if (!*row) break;
      Digest digest{};
      const auto bytes = query->blob(1);
      if (bytes.size() != digest.size()) continue;
      std::copy(bytes.begin(), bytes.end(), digest.begin());
      rows.emplace(digest, query->integer(0));
    }
  }
  auto by_row = database->prepare(fmt::format("SELECT {} FROM effects WHERE rowid = ?", kEffectColumns));
  if (!by_row) return fail(std::move(by_row.error()));
  return std::make_unique<SqliteEarlierAnswers>(std::move(*database), std::move(*by_row), std::move(rows));
}

}  // namespace assay
