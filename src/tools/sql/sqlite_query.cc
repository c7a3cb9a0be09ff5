#include "tools/sql/sqlite_query.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

// Searching one text in another is a single step of SQLite's machine, whose time grows with the product of
// the lengths.
constexpr int kMaxPattern = 1000;
constexpr int kStepsBetweenLooks = 1000;
constexpr auto kLockPause = std::chrono::milliseconds(5);

struct CloseDatabase {
  void operator()(sqlite3* database) const { ::sqlite3_close_v2(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

template <std::size_t N>
bool is_one_of(const char* name, const std::array<std::string_view, N>& names) {
  return name != nullptr && std::any_of(names.begin(), names.end(), [&](std::string_view known) {
           return equal_ignoring_ascii_case(name, known);
         });
}

// The argument of each, if any, is a name; none has a form that sets something.
constexpr std::array<std::string_view, 8> kDescribingPragmas = {
    "table_info", "table_xinfo", "table_list",       "index_list",
    "index_info", "index_xinfo", "foreign_key_list", "data_version"};
// Some exist only where an extension brought them.
constexpr std::array<std::string_view, 6> kForbiddenFunctions = {
    "load_extension", "fts3_tokenizer", "sqlite_log", "readfile", "writefile", "edit"};

int authorize(void* /*unused*/, int action, const char* first, const char* second, const char* /*schema*/,
              const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return is_one_of(second, kForbiddenFunctions) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return is_one_of(first, kDescribingPragmas) ? SQLITE_OK : SQLITE_DENY;
    // Asked for when a virtual table (full text, json_each) declares its columns. SQLite itself lets nobody
    // change that table.
    case SQLITE_UPDATE:
      return is_one_of(first, std::array<std::string_view, 1>{"sqlite_master"}) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

int look_whether_stopped(void* run) {
  return static_cast<const SqlRun*>(run)->stop.stop_requested() ? 1 : 0;
}

int wait_for_lock(void* given, int /*tries*/) {
  auto* run = static_cast<SqlRun*>(given);
  run->saw_lock.store(true, std::memory_order_relaxed);
  std::this_thread::sleep_for(kLockPause);
  return run->stop.stop_requested() ? 0 : 1;
}

Error explain(sqlite3* database, const SqlRun& run) {
  const int code = ::sqlite3_errcode(database);
  const std::string said = repair_utf8(::sqlite3_errmsg(database));
  switch (code) {
    case SQLITE_INTERRUPT:
      return Error{ErrorKind::cancelled, "the query was stopped", {}};
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return sql_error(fmt::format("only reading is allowed here: {}", said));
    case SQLITE_TOOBIG:
      return sql_error(
          fmt::format("a value of more than {} bytes came up: select less of it", longest_value(run.query)));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return Error{ErrorKind::io, fmt::format("cannot read the database: {}", said), {}};
    default:
      return sql_error(said);
  }
}

Result<Database> open_read_only(const std::string& file, SqlRun& run) {
  if (!file_exists(file)) return fail(ErrorKind::io, "cannot open the database: there is no such file");
  sqlite3* raw = nullptr;
  const int code = ::sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw);
  if (raw == nullptr) return fail(ErrorKind::io, "cannot open the database: out of memory");
  if (code != SQLITE_OK) return fail(explain(raw, run));

  ::sqlite3_busy_handler(raw, wait_for_lock, &run);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  const auto longest = std::min<std::size_t>(longest_value(run.query), INT32_MAX);
  ::sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, static_cast<int>(longest));
  ::sqlite3_limit(raw, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMaxPattern);
  ::sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  if (::sqlite3_exec(raw, "PRAGMA query_only=ON", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(explain(raw, run));
  }
  ::sqlite3_set_authorizer(raw, authorize, nullptr);
  ::sqlite3_progress_handler(raw, kStepsBetweenLooks, look_whether_stopped, &run);
  return database;
}

// What follows the statement may be white space, comments and semicolons, which compile to nothing.
bool nothing_follows(sqlite3* database, const char* rest) {
  while (*rest != '\0') {
    sqlite3_stmt* raw = nullptr;
    const char* next = nullptr;
    const int code = ::sqlite3_prepare_v2(database, rest, -1, &raw, &next);
    const Statement statement(raw);
    if (code != SQLITE_OK || raw != nullptr || next <= rest) return false;
    rest = next;
  }
  return true;
}

Result<Statement> compile(sqlite3* database, const SqlRun& run) {
  const char* text = run.query.sql.c_str();
  Statement statement;
  do {  // comments and semicolons may also come first
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    if (::sqlite3_prepare_v2(database, text, -1, &raw, &rest) != SQLITE_OK)
      return fail(explain(database, run));
    statement.reset(raw);
    text = rest;
  } while (!statement && *text != '\0');
  if (!statement) return fail(sql_error("there is no statement in the query"));
  if (!nothing_follows(database, text)) {
    return fail(sql_error("more than one statement: ask one query at a time"));
  }
  if (::sqlite3_stmt_readonly(statement.get()) == 0 || ::sqlite3_column_count(statement.get()) == 0) {
    return fail(sql_error("only reading is allowed here: this statement is no query"));
  }
  if (::sqlite3_bind_parameter_count(statement.get()) > 0) {
    return fail(sql_error("the query has parameters (?, :name), which cannot be given: write the values"));
  }
  return statement;
}

std::vector<std::string> column_names(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < ::sqlite3_column_count(statement); ++i) {
    const char* name = ::sqlite3_column_name(statement, i);
    names.push_back(name == nullptr ? std::string() : repair_utf8(name));
  }
  return names;
}

Json value_at(sqlite3_stmt* statement, int column) {
  switch (::sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(::sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: {
      const double value = ::sqlite3_column_double(statement, column);
      if (std::isfinite(value)) return value;
      return Json(value > 0 ? "Infinity" : "-Infinity");  // SQLite makes NULL of what is no number
    }
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, column));
      const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement, column));
      return Json(text == nullptr ? std::string() : repair_utf8(std::string_view(text, size)));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(::sqlite3_column_blob(statement, column));
      const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement, column));
      return Json(hexadecimal(bytes, bytes == nullptr ? 0 : size));
    }
    default:
      return nullptr;
  }
}

// At least as long in JSON.
std::size_t bytes_of_row(sqlite3_stmt* statement) {
  std::size_t bytes = 0;
  for (int i = 0; i < ::sqlite3_column_count(statement); ++i) {
    const int type = ::sqlite3_column_type(statement, i);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    bytes += static_cast<std::size_t>(::sqlite3_column_bytes(statement, i)) * (type == SQLITE_BLOB ? 2 : 1);
  }
  return bytes;
}

JsonObject row_of(sqlite3_stmt* statement, const std::vector<std::string>& names) {
  JsonObject row;
  row.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    row.emplace(names[i], value_at(statement, static_cast<int>(i)));
  }
  return row;
}

Result<Json> read_rows(sqlite3* database, sqlite3_stmt* statement, const SqlRun& run) {
  SqlRows rows(run.query, column_names(statement));
  int code = SQLITE_OK;
  while ((code = ::sqlite3_step(statement)) == SQLITE_ROW) {
    if (!rows.has_room(bytes_of_row(statement)) || !rows.add(row_of(statement, rows.names()))) break;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(explain(database, run));
  return rows.take();
}

}  // namespace

Result<Json> query_sqlite(const std::string& file, SqlRun& run) {
  auto database = open_read_only(file, run);
  if (!database) return fail(std::move(database.error()));
  auto statement = compile(database->get(), run);
  if (!statement) return fail(std::move(statement.error()));
  return read_rows(database->get(), statement->get(), run);
}

}  // namespace assay
