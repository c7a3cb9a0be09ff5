#include "store/data/postgres/postgres_sql.h"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/values.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

constexpr auto kReadPatience = 20s;      // of who asks something while the server starts again
constexpr std::size_t kPrepared = 1000;  // beyond, statements are asked without

constexpr SqlDialect kPostgres = {
    .begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    .join_in_order = "JOIN",
    .like = "lower({} COLLATE \"C\") LIKE lower(CAST(? AS TEXT) COLLATE \"C\") ESCAPE '\\'",
    .item_title = "item_text(c.json, 'evaluateTitle')",
    .item_text = "item_text(c.json, 'evaluateText')",
    .now_ms = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
};

// PostgreSQL takes no zero character in a text.
bool can_be_kept(const SqlValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  return text == nullptr || !text->contains('\0');
}

// As the server keeps it: a truth has one byte, a small number four.
std::int64_t integer_of(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  return bytes.size() == sizeof(std::int32_t) ? static_cast<std::int32_t>(value)
                                              : static_cast<std::int64_t>(value);
}

class PostgresRow final : public SqlRow {
 public:
  PostgresRow(const postgres::Rows& rows, int row) : rows_(rows), row_(row) {}
  std::int64_t integer(int column) const override { return integer_of(text(column)); }
  std::string_view text(int column) const override { return rows_.bytes(row_, column); }
  bool is_null(int column) const override { return rows_.is_null(row_, column); }

 private:
  const postgres::Rows& rows_;
  int row_;
};

postgres::Values as_sent(std::span<const SqlValue> values) {
  postgres::Values sent;
  for (const SqlValue& value : values) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sent.integer(*number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      sent.text(*text);
    } else if (const auto* bytes = std::get_if<std::span<const unsigned char>>(&value)) {
      sent.bytes({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    } else {
      sent.null();
    }
  }
  return sent;
}

}  // namespace

std::string numbered_parameters(std::string_view sql) {
  std::string numbered;
  int largest = 0;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (sql[at] != '?') {
      numbered += sql[at];
      continue;
    }
    int number = 0;
    const auto* end = std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), number).ptr;
    if (number == 0) number = largest + 1;
    largest = std::max(largest, number);
    numbered += fmt::format("${}", number);
    at = static_cast<std::size_t>(end - sql.data()) - 1;
  }
  return numbered;
}

PostgresSql::PostgresSql(StoreAddress address, Role role)
    : DataSql(kPostgres), address_(std::move(address)), role_(role) {}

Result<std::unique_ptr<PostgresSql>> PostgresSql::connect(const StoreAddress& address, Role role) {
  std::unique_ptr<PostgresSql> sql(new PostgresSql(address, role));
  if (auto connected = sql->connect(); !connected) return fail(std::move(connected.error()));
  return sql;
}

Status PostgresSql::connect() {
  connection_.reset();
  auto connection = postgres::Connection::open(address_);
  if (!connection) return fail(std::move(connection.error()));
  std::string settings = "SET search_path = assay_data";
  // Who stalls inside a transaction loses it, and with it the lock that others wait for.
  if (role_ == Role::writer) settings += "; SET idle_in_transaction_session_timeout = '15s'";
  if (auto set = connection->execute(settings); !set) return set;
  const auto encoding = connection->query("SELECT current_setting('server_encoding')");
  if (!encoding) return fail(encoding.error());
  if (encoding->bytes(0, 0) != "UTF8")
    return fail(ErrorKind::config,
                fmt::format("the database of the store has the encoding {}, expected UTF8: make one with "
                            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
                            encoding->bytes(0, 0)));
  connection_.emplace(std::move(*connection));
  broke_ = false;
  return {};
}

Status PostgresSql::reconnect(std::chrono::steady_clock::time_point until) {
  for (auto pause = 50ms;; pause = std::min(2 * pause, 1000ms)) {
    auto connected = connect();
    if (connected || !retryable(connected.error().kind) || std::chrono::steady_clock::now() + pause > until)
      return connected;
    std::this_thread::sleep_for(pause);
  }
}

bool PostgresSql::restored() {
  return is_lost() && reconnect(std::chrono::steady_clock::now() + kReadPatience).has_value();
}

Error PostgresSql::noted(Error error) {
  broke_ = broke_ || error.kind == ErrorKind::network;
  return error;
}

Status PostgresSql::execute(const std::string& statements) {
  if (!connection_) return fail(ErrorKind::network, "PostgreSQL: the connection is gone");
  auto done = connection_->execute(statements);
  return done ? done : fail(noted(std::move(done.error())));
}

Result<postgres::Rows> PostgresSql::ask(std::string_view sql, std::span<const SqlValue> values) {
  if (!connection_) return fail(ErrorKind::network, "PostgreSQL: the connection is gone");
  if (!std::ranges::all_of(values, can_be_kept))
    return fail(ErrorKind::data,
                "a text has a zero character (\\u0000), which a store on PostgreSQL cannot keep");
  auto found = prepared_.find(sql);
  if (found == prepared_.end() && prepared_.size() < kPrepared) {
    Prepared made{fmt::format("data{}", prepared_.size()), numbered_parameters(sql)};
    found = prepared_.emplace(std::string(sql), std::move(made)).first;
  }
  auto rows =
      found == prepared_.end()
          ? connection_->query(numbered_parameters(sql), as_sent(values))
          : connection_->run({found->second.name.c_str(), found->second.sql.c_str()}, as_sent(values));
  if (rows) return rows;
  if (rows.error().message.contains("index row")) {
    return fail(ErrorKind::data,
                "an id, a name or a tag is too long: a store on PostgreSQL takes some 2,600 bytes");
  }
  return fail(noted(std::move(rows.error())));
}

Status PostgresSql::run(std::string_view sql, std::span<const SqlValue> values) {
  auto rows = ask(sql, values);
  return rows ? Status() : fail(std::move(rows.error()));
}

Result<std::optional<std::int64_t>> PostgresSql::number(std::string_view sql,
                                                        std::span<const SqlValue> values) {
  const auto rows = ask(sql, values);
  if (!rows) return fail(rows.error());
  if (rows->count() == 0 || rows->is_null(0, 0)) return std::nullopt;
  return PostgresRow(*rows, 0).integer(0);
}

Status PostgresSql::each_row(std::string_view sql, std::span<const SqlValue> values, const OnRow& on_row) {
  const auto rows = ask(sql, values);
  if (!rows) return fail(rows.error());
  for (int row = 0; row < rows->count(); ++row) on_row(PostgresRow(*rows, row));
  return {};
}

}  // namespace assay
