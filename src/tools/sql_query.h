// A query that a model may put to a database of the user's: it reads, and nothing else. That is the
// database's own promise, not a look at the text: the file is opened read-only, PRAGMA query_only is on, and
// SQLite's authorizer admits SELECT, reading columns, functions (but those that load or write something) and
// the PRAGMAs that describe tables. ATTACH, VACUUM INTO, temporary tables, transactions and settings are
// refused.
//
// The query runs on a thread of its own, so the event loop goes on; the caller bounds how many run at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/json.h"
#include "net/event_loop.h"
#include "net/task.h"

namespace assay {

enum class DatabaseKind { sqlite, postgres };

struct DatabaseUrl {
  DatabaseKind kind = DatabaseKind::sqlite;
  std::string location;  // the file, or the URL as libpq takes it
};

// "sqlite:FILE" (a path as it stands, relative to the working directory), "postgres://…" or "postgresql://…".
// Error of kind config; it never repeats a URL, which may hold a password.
Result<DatabaseUrl> parse_database_url(std::string_view text);

struct SqlQuery {
  std::string database;  // a database URL; PostgreSQL is an error of kind config for now
  std::string sql;       // exactly one statement without parameters, at most 100,000 bytes
  std::size_t max_rows = 1000;
  // Of the rows as compact JSON. A single value inside SQLite may have as many bytes too, or 1 MiB if that is
  // more; a longer one is an error.
  std::size_t max_bytes = std::size_t{1} << 20;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  // waiting for locks included
};

// What identifies the query in the journal: all but the timeout; of a URL nothing before its "@".
Json to_json(const SqlQuery& query);

// {"columns": ["id", …], "rows": [{"id": 1, …}, …]}, and "truncated" with a sentence for the model when there
// were more rows than max_rows or max_bytes allow; the rows that are there are the first ones, each whole.
// Values: NULL is null; integers are exact to 64 bits; a real that is not finite is the text "Infinity" or
// "-Infinity"; a blob is hexadecimal in SQL's own notation, "X'00FF'"; bytes of a text that are not UTF-8
// become U+FFFD. A column whose name has come before is named NAME_2, NAME_3, … so that none is lost.
//
// Errors: config (the URL), io (the file cannot be opened or is no database), target (the query is wrong,
// more than one statement, not a reading one), timeout. The answer comes at the deadline at the latest, and
// destroying the unfinished Task never waits: the thread is told to end and left to itself. SQLite looks
// every thousand steps of its machine whether it should end, which is within milliseconds; but a single step,
// such as searching a long text in another, is not cut short.
Task<Result<Json>> run_sql_query(EventLoop& loop, SqlQuery query);

}  // namespace assay
