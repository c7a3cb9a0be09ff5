#include "store/sqlite.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/file.h"

namespace assay {
namespace {

constexpr int kPatience = 10'000;  // milliseconds
constexpr const char* kLook = "SELECT 1 FROM sqlite_master LIMIT 1";

Error sqlite_error(sqlite3* handle, int code) {
  std::string reason = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_FULL:
      reason = "the disk is full; free some space, then run `assay resume` or start the service again";
      break;
    case SQLITE_READONLY:
      reason = "the file or its directory is read-only";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      reason = "another process is using it";
      break;
    case SQLITE_NOTADB:
      reason = "the file was not made by assay (not an SQLite database)";
      break;
    case SQLITE_CORRUPT:
      reason = "the database is damaged";
      break;
    case SQLITE_IOERR:
      if (handle != nullptr && sqlite3_system_errno(handle) == ENOSPC) {
        reason = "the disk is full; free some space, then run `assay resume` or start the service again";
      } else {
        reason = "the disk reported an error while reading or writing";
      }
      break;
    default:
      break;
  }
  return Error{ErrorKind::journal, std::move(reason), {}};
}

// Somebody was killed between the first write of a transaction and its end.
bool needs_rollback(sqlite3* handle) {
  return sqlite3_exec(handle, kLook, nullptr, nullptr, nullptr) != SQLITE_OK &&
         sqlite3_extended_errcode(handle) == SQLITE_READONLY_ROLLBACK;
}

// SQLite does so by itself for whoever may write, unless the writer is still alive. If it cannot be done, the
// next question to the database says why.
void roll_back(const std::string& path) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, nullptr) ==
      SQLITE_OK) {
    sqlite3_busy_timeout(handle, kPatience);
    sqlite3_exec(handle, kLook, nullptr, nullptr, nullptr);
  }
  sqlite3_close_v2(handle);
}

}  // namespace

Statement::Statement(Statement&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    sqlite3_finalize(statement_);
    statement_ = std::exchange(other.statement_, nullptr);
  }
  return *this;
}
Statement::~Statement() {
  sqlite3_finalize(statement_);
}

// SQLITE_STATIC: the caller keeps the bytes until the step, which saves a copy of every prompt and reply.
void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_, index, value);
}
void Statement::bind(int index, double value) {
  sqlite3_bind_double(statement_, index, value);
}
void Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void Statement::bind_blob(int index, std::span<const unsigned char> bytes) {
  sqlite3_bind_blob64(statement_, index, bytes.data(), bytes.size(), SQLITE_STATIC);
}
void Statement::bind_null(int index) {
  sqlite3_bind_null(statement_, index);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  Error error = sqlite_error(sqlite3_db_handle(statement_), code);
  sqlite3_reset(statement_);
  return fail(std::move(error));
}

void Statement::reset() {
  sqlite3_reset(statement_);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::number(int column) const {
  return sqlite3_column_double(statement_, column);
}
std::string_view Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
std::span<const unsigned char> Statement::blob(int column) const {
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX;
  switch (mode) {
    case Mode::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case Mode::read_write:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case Mode::read_only:
      flags |= SQLITE_OPEN_READONLY;
      break;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  if (code != SQLITE_OK) {
    const int cause = handle != nullptr ? sqlite3_system_errno(handle) : 0;
    Error error =
        cause != 0 ? file_error(path, "open", cause) : sqlite_error(handle, code).with("file", path);
    sqlite3_close_v2(handle);
    return fail(std::move(error));
  }
  sqlite3_busy_timeout(handle, kPatience);
  if (mode == Mode::read_only && needs_rollback(handle)) roll_back(path);
  return Database(path, handle);
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}
Database& Database::operator=(Database&& other) noexcept {
  if (this != &other) {
    sqlite3_close_v2(handle_);
    path_ = std::move(other.path_);
    handle_ = std::exchange(other.handle_, nullptr);
  }
  return *this;
}
Database::~Database() {
  sqlite3_close_v2(handle_);
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(handle_, code).with("file", path_));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(handle_, code).with("file", path_));
  return Statement(statement);
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(handle_);
}

bool Database::is_busy() const {
  const int code = sqlite3_errcode(handle_) & 0xff;
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

}  // namespace assay
