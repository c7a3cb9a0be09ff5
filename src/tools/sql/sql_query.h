// A query that a model may put to a database of the user's: it reads, and nothing else. That is the
// database's own promise, not a look at the text.
//
// SQLite: the file is opened read-only, PRAGMA query_only is on, and SQLite's authorizer admits SELECT,
// reading columns, functions (but those that load or write something) and the PRAGMAs that describe tables.
// ATTACH, VACUUM INTO, temporary tables, transactions and settings are refused.
//
// PostgreSQL: a connection for each query, whose transactions are read-only by default; in it one read-only
// transaction, which the server lets nobody turn into a writing one because it has read something already;
// in that one statement, prepared first, and run only if the server says that it gives rows: SELECT, WITH,
// VALUES, TABLE, SHOW, EXPLAIN. COMMIT, SET, COPY, DO, LOCK, NOTIFY and the like give none. INSERT …
// RETURNING, nextval(), SELECT … FOR UPDATE and SELECT INTO the server refuses. Then ROLLBACK: nothing is
// ever committed. What is left are functions that act outside of the transaction, for whoever may call them:
// ending other sessions of the same role (pg_terminate_backend), dblink, functions of the database's own in
// untrusted languages; and session-level advisory locks, which end with the connection. The fence against
// these is a role with few rights, so a role that is a superuser, or may become one, is refused:
//   CREATE ROLE reader LOGIN PASSWORD '…'; GRANT pg_read_all_data TO reader;
//
// The query runs on a thread of its own, so the event loop goes on; the caller bounds how many run at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "net/event_loop.h"

namespace assay {

enum class DatabaseKind { sqlite, postgres };

struct DatabaseUrl {
  DatabaseKind kind = DatabaseKind::sqlite;
  std::string location;  // the file, or the URL as libpq takes it
};

// "sqlite:FILE" (a path as it stands, relative to the working directory),
// "postgres://USER:PASSWORD@HOST/NAME" or "postgresql://…", as libpq takes them. In these `${NAME}` is filled
// from the environment when the connection is made, so that no secret is in a config, journal or message:
// before the "@" with any value, behind it with one that is written as URLs are. Error of kind config; it
// never repeats a URL, which may hold a password.
Result<DatabaseUrl> parse_database_url(std::string_view text);

inline constexpr std::chrono::nanoseconds kSqlTimeout = std::chrono::seconds(10);

struct SqlQuery {
  std::string database;  // a database URL
  std::string sql;       // exactly one statement without parameters, at most 100,000 bytes
  std::size_t max_rows = 1000;
  // Of the rows as compact JSON. A single value inside SQLite, or a row from PostgreSQL, may have as many
  // bytes too, or 1 MiB if that is more; a longer one is an error, if it is not cut off as truncated.
  std::size_t max_bytes = std::size_t{1} << 20;
  std::chrono::nanoseconds timeout = kSqlTimeout;  // waiting for locks included
};

// What identifies the query in the journal: all but the timeout; of a URL nothing before its "@"
// and no password behind it.
Json to_json(const SqlQuery& query);

// {"columns": ["id", …], "rows": [{"id": 1, …}, …]}, and "truncated" with a sentence for the model when there
// were more rows than max_rows or max_bytes allow; the rows that are there are the first ones, each whole.
// A column whose name has come before is named NAME_2, NAME_3, … so that none is lost. Bytes of a text that
// are not UTF-8 become U+FFFD.
//
// Values of SQLite: NULL is null; integers are exact to 64 bits; a real that is not finite is the text
// "Infinity" or "-Infinity"; a blob is hexadecimal in SQL's own notation, "X'00FF'".
// Values of PostgreSQL: the same, with "NaN" too and bytea as blob; bool is true or false; a numeric is a
// number if it is whole and has 64 bits at most, or has 15 significant digits at most, which a double keeps,
// and otherwise text with all its digits; json and jsonb are JSON; dates and times are ISO text
// ("2026-01-31 12:00:00+00"), all else (arrays, ranges, uuid, …) is PostgreSQL's own text.
//
// Errors: config (the URL, a superuser, a database that does not exist, a build without PostgreSQL), io (the
// file cannot be opened or is no database), auth (a variable is not set, a wrong password), network,
// overloaded (the server starts, or has no connection left), target (the query is wrong, more than one
// statement, not a reading one), timeout. None holds a password, a database URL or what `${NAME}` stood for.
// The answer comes at the deadline at the latest, and destroying the unfinished Task never waits: the thread
// is told to end and left to itself. SQLite looks every thousand steps of its machine whether it should end,
// which is within milliseconds; but a single step, such as searching a long text in another, is not cut
// short. PostgreSQL is told to cancel, and has its own statement_timeout besides, in case that does not reach
// it.
Task<Result<Json>> run_sql_query(EventLoop& loop, SqlQuery query,
                                 Environment environment = process_environment());

}  // namespace assay
