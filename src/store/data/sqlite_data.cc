#include "store/data/sqlite_data.h"

#include <utility>

#include "store/data/data_tables.h"
#include "store/file_lock.h"
#include "store/statements.h"

namespace assay {
namespace {

constexpr SqlDialect kSqlite = {
    .begin_reading = "BEGIN",
    .join_in_order = "CROSS JOIN",
    .like = "{} LIKE ? ESCAPE '\\'",
    .item_title = "json_extract(c.json, '$.evaluateTitle')",
    .item_text = "json_extract(c.json, '$.evaluateText')",
    .now_ms = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
};

class SqliteRow final : public SqlRow {
 public:
  explicit SqliteRow(const Statement& statement) : statement_(statement) {}
  std::int64_t integer(int column) const override { return statement_.integer(column); }
  std::string_view text(int column) const override { return statement_.text(column); }
  bool is_null(int column) const override { return statement_.is_null(column); }

 private:
  const Statement& statement_;
};

class SqliteSql final : public DataSql {
 public:
  explicit SqliteSql(Database database) : DataSql(kSqlite), statements_(std::move(database)) {}

  using DataSql::number;
  using DataSql::run;
  Status run(std::string_view sql, std::span<const SqlValue> values) override {
    return statements_.run(sql, values);
  }
  Result<std::optional<std::int64_t>> number(std::string_view sql,
                                             std::span<const SqlValue> values) override {
    return statements_.number(sql, values);
  }
  Status each_row(std::string_view sql, std::span<const SqlValue> values, const OnRow& on_row) override {
    return statements_.each(sql, values, [&](const Statement& row) { on_row(SqliteRow(row)); });
  }
  Database& bare_database() { return statements_.bare_database(); }

 private:
  Statements statements_;
};

class SqliteData final : public DataDatabase {
 public:
  SqliteData(std::string path, FileLock lock, Database writer)
      : path_(std::move(path)), lock_(std::move(lock)), writer_(std::move(writer)) {}
  SqliteData(const SqliteData&) = delete;
  SqliteData& operator=(const SqliteData&) = delete;
  // Leaves one plain file behind, which can be copied. If it fails (disk full), the next opening recovers
  // from the log as after a kill.
  ~SqliteData() override { (void)writer_.bare_database().execute("PRAGMA journal_mode=DELETE"); }

  DataSql& writer() override { return writer_; }
  Result<std::unique_ptr<DataSql>> reader() override { return open_sqlite_data_reader(path_); }

  Status commit(const std::function<Status(Numbers numbers)>& write) override {
    Status done = writer_.run("BEGIN IMMEDIATE");
    if (done) done = write(Numbers::valid);
    if (done) done = writer_.run("COMMIT");
    // What the failed transaction has written is undone by SQLite's own recovery if this fails as well.
    if (!done) (void)writer_.run("ROLLBACK");
    return done;
  }
  bool goes_on_after_failure() const override { return false; }
  bool shared() const override { return false; }

 private:
  std::string path_;
  FileLock lock_;
  SqliteSql writer_;
};

}  // namespace

Result<std::unique_ptr<DataDatabase>> open_sqlite_data(const std::string& path) {
  auto lock = FileLock::take(
      path + ".lock",
      Error{ErrorKind::io,
            "another assay process has this evaluation store open; stop it or choose another file",
            {{"file", path}}});
  if (!lock) return fail(std::move(lock.error()));
  auto writer = open_data_database(path);
  if (!writer) return fail(std::move(writer.error()));
  return std::make_unique<SqliteData>(path, std::move(*lock), std::move(*writer));
}

Result<std::unique_ptr<DataSql>> open_sqlite_data_reader(const std::string& path) {
  auto reader = open_data_reader(path);
  if (!reader) return fail(std::move(reader.error()));
  return std::make_unique<SqliteSql>(std::move(*reader));
}

}  // namespace assay
