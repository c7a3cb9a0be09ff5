// A connection to a PostgreSQL server: statements that are prepared at their first use, and transactions that
// go over in one round trip. Everything blocks, with a bound: for whoever has a thread for it. One thread at
// a time. Only connection.cc knows libpq; without it open() is an error that says so.
//
// Errors of kinds that are retryable() mean that trying again on a new connection can help; whether a commit
// that ended so has been made is unknown. No password is in any message.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "store/address.h"
#include "store/postgres/values.h"

struct pg_conn;
struct pg_result;

namespace assay::postgres {

// A statement with a name of its own; both live as long as the program.
struct Statement {
  const char* name;
  const char* sql;  // parameters with their types: $1::bigint
};

// What a statement gave, in binary form. Columns are read as what they are: bigint by integer(), text and
// bytea by bytes(), boolean by flag().
class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}

  int count() const;
  std::int64_t changed() const;  // rows that an INSERT, UPDATE or DELETE has touched
  std::int64_t integer(int row, int column) const;
  std::optional<std::int64_t> integer_or_null(int row, int column) const;
  std::string_view bytes(int row, int column) const;  // as long as this object
  bool flag(int row, int column) const;
  double number(int row, int column) const;
  bool is_null(int row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

struct ConnectOptions {
  std::chrono::seconds connect{10};            // each host of the address
  std::chrono::milliseconds statement{60000};  // the server's own end to a statement
  std::string application = "assay";           // as the server lists it, unless the address names it
};

class Connection {
 public:
  static Result<Connection> open(const StoreAddress& address, const ConnectOptions& options = {});

  // One or more statements without parameters and without rows.
  Status execute(const std::string& statements);
  Result<Rows> run(const Statement& statement, const Values& values = {});
  // The same for a statement that is asked once.
  Result<Rows> query(const std::string& sql, const Values& values = {});

  struct Step {
    const Statement& statement;
    Values values;
  };
  // All of it or nothing, durable when it returns; in one round trip. What each step gave.
  Result<std::vector<Rows>> commit(std::span<const Step> steps);

  bool broken() const;

 private:
  Connection(pg_conn* connection, const StoreAddress& address);
  Status prepare(const Statement& statement);
  Result<Rows> checked(pg_result* result) const;
  Error why(const pg_result* result) const;
  Result<std::vector<Rows>> pipelined(std::span<const Step> steps);

  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  std::unique_ptr<pg_conn, Finish> connection_;
  std::function<std::string(std::string_view)> hidden_;  // without the secrets of the address
  std::set<std::string_view> prepared_;
};

}  // namespace assay::postgres
