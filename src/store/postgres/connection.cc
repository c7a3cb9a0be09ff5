#include "store/postgres/connection.h"

#include <utility>

#ifndef ASSAY_POSTGRES

namespace assay::postgres {

Result<Connection> Connection::open(const StoreAddress& /*address*/, const ConnectOptions& /*options*/) {
  return fail(
      ErrorKind::config,
      "this assay was built without PostgreSQL (libpq): build it where libpq-dev is installed, or use a "
      "directory");
}

// There is no connection that these could be called on.
void Connection::Finish::operator()(pg_conn* /*connection*/) const {}
void Rows::Clear::operator()(pg_result* /*result*/) const {}
Status Connection::execute(const std::string& /*statements*/) {
  return {};
}
Result<Rows> Connection::run(const Statement& /*statement*/, const Values& /*values*/) {
  return Rows(nullptr);
}
Result<Rows> Connection::query(const std::string& /*sql*/, const Values& /*values*/) {
  return Rows(nullptr);
}
Result<std::vector<Rows>> Connection::commit(std::span<const Step> /*steps*/) {
  return std::vector<Rows>();
}
bool Connection::broken() const {
  return true;
}
int Rows::count() const {
  return 0;
}
std::int64_t Rows::changed() const {
  return 0;
}
std::int64_t Rows::integer(int /*row*/, int /*column*/) const {
  return 0;
}
std::optional<std::int64_t> Rows::integer_or_null(int /*row*/, int /*column*/) const {
  return std::nullopt;
}
std::string_view Rows::bytes(int /*row*/, int /*column*/) const {
  return {};
}
bool Rows::flag(int /*row*/, int /*column*/) const {
  return false;
}
double Rows::number(int /*row*/, int /*column*/) const {
  return 0;
}
bool Rows::is_null(int /*row*/, int /*column*/) const {
  return true;
}

}  // namespace assay::postgres

#else

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "core/secrets/secrets.h"
#include "core/text.h"

namespace assay::postgres {
namespace {

constexpr int kBinary = 1;
constexpr const char* kSilence = "60000";  // milliseconds that what was sent may stay unacknowledged
constexpr std::size_t kLongestMessage = 1000;
constexpr Statement kBegin{"assay_begin", "BEGIN"};
constexpr Statement kCommit{"assay_commit", "COMMIT"};

void keep_silent(void* /*unused*/, const PGresult* /*notice*/) {}

// SQLSTATE classes (PostgreSQL's appendix A). Retryable kinds: what may be gone on another connection, a
// moment later or on another server of the address.
ErrorKind kind_of(std::string_view code) {
  if (code.empty() || code.starts_with("08") || code.starts_with("57P")) return ErrorKind::network;
  if (code.starts_with("53") || code.starts_with("40") || code == "25006") return ErrorKind::overloaded;
  if (code == "57014" || code == "55P03") return ErrorKind::timeout;
  if (code.starts_with("28")) return ErrorKind::auth;
  if (code.starts_with("42501") || code.starts_with("3D") || code.starts_with("3F")) return ErrorKind::config;
  return ErrorKind::io;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const std::string_view part : split_lines(text)) {
    const std::string_view words = trim(part);
    if (words.empty()) continue;
    if (!line.empty()) line += ' ';
    line += words;
  }
  return line;
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  return value;
}

struct Pointers {
  std::vector<const char*> values;
  std::vector<int> sizes;
  std::vector<int> formats;
};

Pointers pointers_of(const Values& values) {
  Pointers pointers;
  for (const auto& value : values.all()) {
    pointers.values.push_back(value ? value->data() : nullptr);
    pointers.sizes.push_back(value ? static_cast<int>(value->size()) : 0);
    pointers.formats.push_back(kBinary);
  }
  return pointers;
}

int count_of(const Values& values) {
  return static_cast<int>(values.all().size());
}

// What each session says of itself first. Where a commit is not awaited, "durable" is not what it means; a
// machine that went away takes its locks with it within a minute. Whoever waits for a lock must see what was
// committed meanwhile, whatever isolation a database or a role has by default.
std::string session_settings(const ConnectOptions& options) {
  return fmt::format(
      "SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET tcp_keepalives_idle = "
      "20; "
      "SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; "
      "SET default_transaction_isolation = 'read committed'; "
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN "
      "('off', 'local')",
      options.statement.count(), options.statement.count());
}

}  // namespace

void Connection::Finish::operator()(pg_conn* connection) const {
  ::PQfinish(connection);
}
void Rows::Clear::operator()(pg_result* result) const {
  ::PQclear(result);
}

int Rows::count() const {
  return ::PQntuples(result_.get());
}
std::int64_t Rows::changed() const {
  const std::string_view digits = ::PQcmdTuples(result_.get());
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}
std::string_view Rows::bytes(int row, int column) const {
  return {::PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(::PQgetlength(result_.get(), row, column))};
}
std::int64_t Rows::integer(int row, int column) const {
  const std::string_view value = bytes(row, column);
  if (value.size() == sizeof(std::int32_t))
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(value)));
  return static_cast<std::int64_t>(big_endian(value));
}
std::optional<std::int64_t> Rows::integer_or_null(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(integer(row, column));
}
bool Rows::flag(int row, int column) const {
  const std::string_view value = bytes(row, column);
  return !value.empty() && value.front() != '\0';
}
double Rows::number(int row, int column) const {
  return std::bit_cast<double>(big_endian(bytes(row, column)));
}
bool Rows::is_null(int row, int column) const {
  return ::PQgetisnull(result_.get(), row, column) != 0;
}

Connection::Connection(pg_conn* connection, const StoreAddress& address) : connection_(connection) {
  auto secrets = std::make_shared<Secrets>(kHiddenMark);
  address.add_secrets(*secrets);
  // An environment that libpq reads by itself may be repeated by a server, too.
  if (connection != nullptr) {
    if (const char* password = ::PQpass(connection)) secrets->add(password);
  }
  hidden_ = [secrets](std::string_view text) { return secrets->hide_pieces(text); };
}

Result<Connection> Connection::open(const StoreAddress& address, const ConnectOptions& options) {
  const std::string connect = std::to_string(options.connect.count());
  // What follows the URL counts more than what it says; what comes before it, less.
  constexpr std::array names{"connect_timeout", "application_name",    "tcp_user_timeout",
                             "keepalives_idle", "keepalives_interval", "keepalives_count",
                             "dbname",          "client_encoding",     static_cast<const char*>(nullptr)};
  const std::array values{
      connect.c_str(), options.application.c_str(),      kSilence, "20", "10", "3", address.url().c_str(),
      "UTF8",          static_cast<const char*>(nullptr)};
  Connection connection(::PQconnectdbParams(names.data(), values.data(), 1), address);
  pg_conn* const made = connection.connection_.get();
  if (made == nullptr) return fail(ErrorKind::io, "cannot connect to PostgreSQL: out of memory");
  if (::PQstatus(made) != CONNECTION_OK) {
    const std::string said = repair_utf8(::PQerrorMessage(made));
    // libpq repeats a part of a URL that it cannot read.
    if (said.contains("URI")) {
      return fail(
          ErrorKind::config,
          "the address of the store cannot be read: expected postgres://USER@HOST:PORT/DATABASE with special "
          "characters as %XX, and after ? only parameters that libpq knows");
    }
    return fail(ErrorKind::network,
                fmt::format("cannot connect to {}: {}", address.shown(),
                            shorten(connection.hidden_(one_line(said)), kLongestMessage)));
  }
  ::PQsetNoticeReceiver(made, keep_silent, nullptr);  // otherwise to our stderr
  if (auto set = connection.execute(session_settings(options)); !set) return fail(std::move(set.error()));
  return connection;
}

Error Connection::why(const pg_result* result) const {
  const char* code = result == nullptr ? nullptr : ::PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* said = result == nullptr ? nullptr : ::PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  std::string words = repair_utf8(said != nullptr ? said : ::PQerrorMessage(connection_.get()));
  if (const char* detail = result == nullptr ? nullptr : ::PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL))
    words += fmt::format(" ({})", repair_utf8(detail));
  const std::string_view state = code == nullptr ? "" : code;
  // A statement that was prepared in this session is not there, or one that was not is.
  if (state == "26000" || state == "42P05") words += "; a pooler in between has to be in session mode";
  return {
      kind_of(state), fmt::format("PostgreSQL: {}", shorten(hidden_(one_line(words)), kLongestMessage)), {}};
}

Result<Rows> Connection::checked(pg_result* result) const {
  Rows rows(result);
  const auto status = ::PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
  return fail(why(result));
}

Status Connection::execute(const std::string& statements) {
  auto done = checked(::PQexec(connection_.get(), statements.c_str()));
  return done ? Status() : fail(std::move(done.error()));
}

Result<Rows> Connection::query(const std::string& sql, const Values& values) {
  const Pointers given = pointers_of(values);
  return checked(::PQexecParams(connection_.get(), sql.c_str(), count_of(values), nullptr,
                                given.values.data(), given.sizes.data(), given.formats.data(), kBinary));
}

Status Connection::prepare(const Statement& statement) {
  if (prepared_.contains(statement.name)) return {};
  auto done = checked(::PQprepare(connection_.get(), statement.name, statement.sql, 0, nullptr));
  if (!done) return fail(std::move(done.error()));
  prepared_.insert(statement.name);
  return {};
}

Result<Rows> Connection::run(const Statement& statement, const Values& values) {
  if (auto ready = prepare(statement); !ready) return fail(std::move(ready.error()));
  const Pointers given = pointers_of(values);
  return checked(::PQexecPrepared(connection_.get(), statement.name, count_of(values), given.values.data(),
                                  given.sizes.data(), given.formats.data(), kBinary));
}

Result<std::vector<Rows>> Connection::commit(std::span<const Step> steps) {
  for (const Statement* statement : {&kBegin, &kCommit}) {
    if (auto ready = prepare(*statement); !ready) return fail(std::move(ready.error()));
  }
  for (const Step& step : steps) {
    if (auto ready = prepare(step.statement); !ready) return fail(std::move(ready.error()));
  }
  pg_conn* const connection = connection_.get();
  if (::PQenterPipelineMode(connection) == 0) return fail(why(nullptr));
  auto done = pipelined(steps);
  if (::PQexitPipelineMode(connection) == 0 && done) done = fail(why(nullptr));
  if (!done && !broken()) {
    // After an error the transaction is still open, and good for nothing.
    [[maybe_unused]] const auto undone = execute("ROLLBACK");
  }
  return done;
}

Result<std::vector<Rows>> Connection::pipelined(std::span<const Step> steps) {
  pg_conn* const connection = connection_.get();
  const auto send = [&](const Statement& statement, const Values& values) {
    const Pointers given = pointers_of(values);
    return ::PQsendQueryPrepared(connection, statement.name, count_of(values), given.values.data(),
                                 given.sizes.data(), given.formats.data(), kBinary) != 0;
  };
  bool sent = send(kBegin, {});
  for (const Step& step : steps) sent = sent && send(step.statement, step.values);
  sent = sent && send(kCommit, {}) && ::PQpipelineSync(connection) != 0;
  if (!sent) return fail(why(nullptr));
  std::vector<Rows> all;
  std::optional<Error> failed;
  for (std::size_t i = 0; i < steps.size() + 2; ++i) {
    Rows rows(nullptr);
    bool came = false;
    // Each has one result, and a null behind it.
    while (pg_result* result = ::PQgetResult(connection)) {
      came = true;
      auto good = checked(result);
      if (good) {
        rows = std::move(*good);
      } else if (!failed) {
        failed = std::move(good.error());
      }
    }
    if (!came && !failed) failed = why(nullptr);
    if (i > 0 && i <= steps.size()) all.push_back(std::move(rows));
  }
  while (pg_result* synced = ::PQgetResult(connection)) {
    const bool sync = ::PQresultStatus(synced) == PGRES_PIPELINE_SYNC;
    ::PQclear(synced);
    if (sync) break;
  }
  if (failed) return fail(std::move(*failed));
  return all;
}

bool Connection::broken() const {
  return ::PQstatus(connection_.get()) != CONNECTION_OK;
}

}  // namespace assay::postgres

#endif
