// The cache in a file of SQLite: many readers and, one after the other, many writers, in any number of
// processes (WAL). What a power cut takes from it is asked again.
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "core/file.h"
#include "store/cache/answer_cache.h"
#include "store/sqlite.h"

namespace assay {
namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS answers(key BLOB PRIMARY KEY, reply TEXT NOT NULL, model TEXT NOT NULL, "
    "prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, "
    "reasoning_tokens INTEGER NOT NULL)";

class SqliteCache final : public CacheTable {
 public:
  static Result<std::unique_ptr<CacheTable>> open(Database database) {
    std::unique_ptr<SqliteCache> cache(new SqliteCache(std::move(database)));
    auto find = cache->database_.prepare(
        "SELECT reply, model, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens FROM answers "
        "WHERE key = ?");
    if (!find) return fail(std::move(find.error()));
    auto add = cache->database_.prepare("INSERT OR IGNORE INTO answers VALUES(?,?,?,?,?,?,?)");
    if (!add) return fail(std::move(add.error()));
    cache->find_ = std::move(*find);
    cache->add_ = std::move(*add);
    return cache;
  }

  Result<std::optional<CachedAnswer>> find(const Digest& key) override {
    find_.bind_blob(1, key);
    auto row = find_.step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return std::nullopt;
    CachedAnswer answer{.key = key,
                        .reply = std::string(find_.text(0)),
                        .model = std::string(find_.text(1)),
                        .prompt_tokens = find_.integer(2),
                        .completion_tokens = find_.integer(3),
                        .cached_tokens = find_.integer(4),
                        .reasoning_tokens = find_.integer(5)};
    find_.reset();
    return answer;
  }

  Status add(std::span<const CachedAnswer> answers) override {
    if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
    for (const CachedAnswer& answer : answers) {
      add_.bind_blob(1, answer.key);
      add_.bind(2, answer.reply);
      add_.bind(3, answer.model);
      add_.bind(4, answer.prompt_tokens);
      add_.bind(5, answer.completion_tokens);
      add_.bind(6, answer.cached_tokens);
      add_.bind(7, answer.reasoning_tokens);
      if (auto added = add_.step(); !added) {
        [[maybe_unused]] const auto undone = database_.execute("ROLLBACK");
        return fail(std::move(added.error()));
      }
    }
    return database_.execute("COMMIT");
  }

 private:
  explicit SqliteCache(Database database) : database_(std::move(database)) {}
  Database database_;
  Statement find_;
  Statement add_;
};

// Several that begin at once wait for one another; SQLite itself does not wait for a change of the mode.
Status make_ready(Database& database) {
  constexpr int kTries = 100;
  for (int tries = 1;; ++tries) {
    auto ready = database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
    if (ready) ready = database.execute(kTable);
    if (ready || tries == kTries || !database.is_busy()) return ready;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

Result<std::unique_ptr<CacheTable>> open_sqlite_cache(const std::string& file) {
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  std::error_code error;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) return fail(file_error(directory.string(), "make the directory", error.value()));
  auto database = Database::open(file, Database::Mode::create);
  if (!database) return fail(std::move(database.error()));
  if (auto ready = make_ready(*database); !ready) return fail(std::move(ready.error()));
  return SqliteCache::open(std::move(*database));
}

}  // namespace assay
