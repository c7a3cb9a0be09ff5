#include "tools/sql_query.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "core/file.h"
#include "core/text.h"
#include "core/time.h"

namespace assay {
namespace {

constexpr std::size_t kMaxSql = 100'000;
// Searching one text in another is a single step of SQLite's machine, whose time grows with the product of
// the lengths.
constexpr std::size_t kMinValueLimit = std::size_t{1} << 20;
constexpr int kMaxPattern = 1000;
constexpr int kStepsBetweenLooks = 1000;
constexpr auto kLockPause = std::chrono::milliseconds(5);

// One query, shared by the loop and the query's thread. The thread may outlive everybody who waits, even the
// loop: it may be inside one long step of SQLite's machine.
struct Job {
  SqlQuery query;
  std::atomic<bool> cancelled = false;
  std::atomic<bool> saw_lock = false;
  std::coroutine_handle<> awaiter;     // only for the loop's thread; null once nobody waits
  std::optional<Result<Json>> result;  // set by the query's thread before it posts
  std::mutex mutex;
  EventLoop* loop = nullptr;  // guarded by mutex; null once nobody waits
};

Error sql_error(std::string message) {
  return Error{ErrorKind::target, std::move(message), {}};
}

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

int look_whether_cancelled(void* job) {
  return static_cast<const Job*>(job)->cancelled.load(std::memory_order_relaxed) ? 1 : 0;
}

int wait_for_lock(void* given, int /*tries*/) {
  auto* job = static_cast<Job*>(given);
  job->saw_lock.store(true, std::memory_order_relaxed);
  std::this_thread::sleep_for(kLockPause);
  return job->cancelled.load(std::memory_order_relaxed) ? 0 : 1;
}

Error explain(sqlite3* database, const Job& job) {
  const int code = ::sqlite3_errcode(database);
  const std::string said = repair_utf8(::sqlite3_errmsg(database));
  switch (code) {
    case SQLITE_INTERRUPT:
      return Error{ErrorKind::cancelled, "the query was stopped", {}};
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return sql_error(fmt::format("only reading is allowed here: {}", said));
    case SQLITE_TOOBIG:
      return sql_error(fmt::format("a value of more than {} bytes came up: select less of it",
                                   std::max(job.query.max_bytes, kMinValueLimit)));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return Error{ErrorKind::io, fmt::format("cannot read the database: {}", said), {}};
    default:
      return sql_error(said);
  }
}

Result<Database> open_read_only(const std::string& file, Job& job) {
  if (!file_exists(file)) return fail(ErrorKind::io, "cannot open the database: there is no such file");
  sqlite3* raw = nullptr;
  const int code = ::sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw);
  if (raw == nullptr) return fail(ErrorKind::io, "cannot open the database: out of memory");
  if (code != SQLITE_OK) return fail(explain(raw, job));

  ::sqlite3_busy_handler(raw, wait_for_lock, &job);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  const auto longest = std::min<std::size_t>(std::max(job.query.max_bytes, kMinValueLimit), INT32_MAX);
  ::sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, static_cast<int>(longest));
  ::sqlite3_limit(raw, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMaxPattern);
  ::sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  if (::sqlite3_exec(raw, "PRAGMA query_only=ON", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(explain(raw, job));
  }
  ::sqlite3_set_authorizer(raw, authorize, nullptr);
  ::sqlite3_progress_handler(raw, kStepsBetweenLooks, look_whether_cancelled, &job);
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

Result<Statement> compile(sqlite3* database, const Job& job) {
  const std::string& sql = job.query.sql;
  if (sql.size() > kMaxSql) {
    return fail(
        sql_error(fmt::format("the query has {} bytes; at most {} are allowed", sql.size(), kMaxSql)));
  }
  if (sql.contains('\0')) return fail(sql_error("the query contains a zero byte"));
  const char* text = sql.c_str();
  Statement statement;
  do {  // comments and semicolons may also come first
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    if (::sqlite3_prepare_v2(database, text, -1, &raw, &rest) != SQLITE_OK)
      return fail(explain(database, job));
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

// A name that comes again gets a number, but never the name of another column.
std::vector<std::string> column_names(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < ::sqlite3_column_count(statement); ++i) {
    const char* name = ::sqlite3_column_name(statement, i);
    names.push_back(name == nullptr ? std::string() : repair_utf8(name));
  }
  std::set<std::string> taken(names.begin(), names.end());
  std::map<std::string, int> times;
  for (std::string& name : names) {
    int& number = times[name];
    if (++number == 1) continue;
    std::string numbered = fmt::format("{}_{}", name, number);
    while (!taken.insert(numbered).second) numbered = fmt::format("{}_{}", name, ++number);
    name = std::move(numbered);
  }
  return names;
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "X'";
  text.reserve(2 * size + 3);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 0x0f];
  }
  text += '\'';
  return text;
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

// At least as long in JSON: what would not fit is not even copied.
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

Result<Json> read_rows(sqlite3* database, sqlite3_stmt* statement, const Job& job) {
  const std::vector<std::string> names = column_names(statement);
  JsonArray rows;
  std::size_t bytes_left = job.query.max_bytes;
  std::string truncated;
  int code = SQLITE_OK;
  while ((code = ::sqlite3_step(statement)) == SQLITE_ROW) {
    if (rows.size() == job.query.max_rows) {
      truncated =
          fmt::format("only the first {} rows are here; use WHERE, LIMIT or an aggregate", rows.size());
      break;
    }
    std::size_t size = bytes_of_row(statement);
    Json row;
    if (size <= bytes_left) {
      row = row_of(statement, names);
      size = to_text(row).size();
    }
    if (size > bytes_left) {
      truncated = fmt::format(
          "only the first {} rows are here: with the next one they would have more than {} bytes; select "
          "fewer "
          "or shorter columns, or use an aggregate",
          rows.size(), job.query.max_bytes);
      break;
    }
    bytes_left -= size;
    rows.push_back(std::move(row));
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(explain(database, job));

  JsonArray columns;
  for (const auto& name : names) columns.emplace_back(name);
  JsonObject result{{"columns", std::move(columns)}, {"rows", std::move(rows)}};
  if (!truncated.empty()) result.emplace("truncated", truncated);
  return result;
}

Result<Json> query_file(const std::string& file, Job& job) {
  auto database = open_read_only(file, job);
  if (!database) return fail(std::move(database.error()));
  auto statement = compile(database->get(), job);
  if (!statement) return fail(std::move(statement.error()));
  return read_rows(database->get(), statement->get(), job);
}

void run_on_thread(const std::shared_ptr<Job>& job, const std::string& file) {
  auto result = query_file(file, *job);
  const std::lock_guard lock(job->mutex);
  if (job->loop == nullptr) return;
  job->result.emplace(std::move(result));
  job->loop->post([job] {
    if (job->awaiter) std::exchange(job->awaiter, nullptr).resume();
  });
}

// co_await Querying(loop, job, file): until the thread has an answer or the deadline has come. Then, or when
// it is destroyed, the thread is told to end and left to itself: nobody waits for it.
class Querying {
 public:
  Querying(EventLoop& loop, std::shared_ptr<Job> job, std::string file)
      : loop_(loop), job_(std::move(job)), file_(std::move(file)) {}
  Querying(const Querying&) = delete;
  Querying& operator=(const Querying&) = delete;
  ~Querying() {
    loop_.cancel(deadline_timer_);
    job_->cancelled.store(true, std::memory_order_relaxed);
    job_->awaiter = nullptr;
    const std::lock_guard lock(job_->mutex);
    job_->loop = nullptr;
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    job_->awaiter = handle;
    job_->loop = &loop_;
    try {
      std::thread([job = job_, file = file_] { run_on_thread(job, file); }).detach();
    } catch (const std::system_error& error) {
      failure_ = sql_error(fmt::format("no thread can be started for the query: {}", error.what()));
      return false;
    }
    deadline_timer_ = loop_.call_after(job_->query.timeout, [this] {
      deadline_timer_ = 0;
      failure_ = late();
      if (job_->awaiter) std::exchange(job_->awaiter, nullptr).resume();
    });
    return true;
  }
  Result<Json> await_resume() {
    if (failure_) return fail(std::move(*failure_));
    return std::move(*job_->result);
  }

 private:
  Error late() const {
    const bool locked = job_->saw_lock.load(std::memory_order_relaxed);
    return Error{ErrorKind::timeout,
                 fmt::format("the query did not end within {}{}", duration_text(job_->query.timeout),
                             locked ? "; the database was locked by another program" : ""),
                 {}};
  }

  EventLoop& loop_;
  std::shared_ptr<Job> job_;
  std::string file_;
  EventLoop::TimerId deadline_timer_ = 0;
  std::optional<Error> failure_;
};

// The URL without user and password.
std::string without_secrets(const std::string& url) {
  const auto scheme_end = url.find("://");
  const auto at = url.rfind('@');
  if (scheme_end == std::string::npos || at == std::string::npos || at < scheme_end) return url;
  return url.substr(0, scheme_end + 3) + url.substr(at + 1);
}

}  // namespace

Result<DatabaseUrl> parse_database_url(std::string_view text) {
  text = trim(text);
  if (text.starts_with("postgres://") || text.starts_with("postgresql://")) {
    return DatabaseUrl{DatabaseKind::postgres, std::string(text)};
  }
  constexpr std::string_view kScheme = "sqlite:";
  if (!text.starts_with(kScheme)) {
    return fail(ErrorKind::config, "a database is written sqlite:FILE or postgres://HOST/NAME");
  }
  const auto file = text.substr(kScheme.size());
  if (file.starts_with("//")) {
    return fail(ErrorKind::config,
                "after sqlite: comes the path of the file as it is, without //: sqlite:data/tickets.db or "
                "sqlite:/data/tickets.db");
  }
  if (file.empty() || file == ":memory:" || file.contains('\0')) {
    return fail(ErrorKind::config, "sqlite: must be followed by the path of a file");
  }
  return DatabaseUrl{DatabaseKind::sqlite, std::string(file)};
}

Json to_json(const SqlQuery& query) {
  return JsonObject{{"database", without_secrets(query.database)},
                    {"sql", query.sql},
                    {"max_rows", query.max_rows},
                    {"max_bytes", query.max_bytes}};
}

Task<Result<Json>> run_sql_query(EventLoop& loop, SqlQuery query) {
  auto url = parse_database_url(query.database);
  if (!url) co_return fail(std::move(url.error()));
  if (url->kind == DatabaseKind::postgres) {
    co_return fail(ErrorKind::config,
                   "PostgreSQL cannot be queried by this version of assay: use a SQLite file (sqlite:FILE)");
  }
  const std::string file = url->location;
  auto job = std::make_shared<Job>();
  job->query = std::move(query);
  auto result = co_await Querying(loop, job, file);
  if (!result) co_return fail(std::move(result.error()).with("database", file));
  co_return result;
}

}  // namespace assay
