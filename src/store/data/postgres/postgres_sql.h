// One connection to the PostgreSQL database of an evaluation store, for the statements that serve SQLite too:
// each is prepared at its first use and found again by its text.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/error.h"
#include "store/address.h"
#include "store/data/data_sql.h"
#include "store/postgres/connection.h"

namespace assay {

// `?` and `?1` as SQLite counts them, as `$1`.
std::string numbered_parameters(std::string_view sql);

class PostgresSql final : public DataSql {
 public:
  // A writer's transaction ends by itself when it stalls.
  enum class Role { writer, reader };
  static Result<std::unique_ptr<PostgresSql>> connect(const StoreAddress& address, Role role);

  using DataSql::number;
  using DataSql::run;
  Status run(std::string_view sql, std::span<const SqlValue> values) override;
  Result<std::optional<std::int64_t>> number(std::string_view sql, std::span<const SqlValue> values) override;
  Status each_row(std::string_view sql, std::span<const SqlValue> values, const OnRow& on_row) override;
  // Any number of statements without values, in one message.
  Status execute(const std::string& statements);

  postgres::Connection& connection() { return *connection_; }
  // Whether the connection broke; nothing that was begun on it can go on.
  bool is_lost() const { return !connection_ || broke_ || connection_->broken(); }
  // Connects again, trying until then.
  Status reconnect(std::chrono::steady_clock::time_point until);
  bool restored() override;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Prepared {
    std::string name;
    std::string sql;
  };

  PostgresSql(StoreAddress address, Role role);
  Status connect();
  Result<postgres::Rows> ask(std::string_view sql, std::span<const SqlValue> values);
  // Passes an error on, and notes what it says of the connection.
  Error noted(Error error);

  StoreAddress address_;
  Role role_;
  std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> prepared_;  // by text
  bool broke_ = false;
  std::optional<postgres::Connection> connection_;  // knows their names
};

}  // namespace assay
