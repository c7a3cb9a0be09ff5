#include "tools/sql/postgres_query.h"

#ifndef ASSAY_POSTGRES

namespace assay {

Result<Json> query_postgres(const std::string& /*url*/, const SqlRun& /*run*/) {
  return fail(
      ErrorKind::config,
      "this assay was built without PostgreSQL (libpq): build it where libpq-dev is installed, or use "
      "a SQLite file (sqlite:FILE)");
}

}  // namespace assay

#else

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"
#include "core/time.h"
#include "net/process/spawn.h"
#include "tools/sql/postgres_value.h"

namespace assay {
namespace {

// The server's own end to a query is for the case that ours does not reach it, and comes later.
constexpr auto kServerIsLater = std::chrono::seconds(1);
// Its first query keeps a transaction read-only for good (check_transaction_read_only of the server). It asks
// for what no transaction confines.
constexpr const char* kBegin =
    "BEGIN TRANSACTION READ ONLY; SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolsuper AND "
    "pg_catalog.pg_has_role(session_user, oid, 'MEMBER')), "
    "pg_catalog.has_table_privilege(session_user, 'pg_catalog.pg_authid', 'SELECT') OR EXISTS (SELECT FROM "
    "pg_catalog.pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', "
    "'pg_execute_server_program') AND pg_catalog.pg_has_role(session_user, oid, 'MEMBER'))";

struct FinishConnection {
  void operator()(PGconn* connection) const { ::PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { ::PQclear(result); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const { ::PQconninfoFree(options); }
};
struct FreeCancel {
  void operator()(PGcancel* cancel) const { ::PQfreeCancel(cancel); }
};
using Connection = std::unique_ptr<PGconn, FinishConnection>;
using Answer = std::unique_ptr<PGresult, ClearResult>;  // null: there are no more

void keep_silent(void* /*unused*/, const PGresult* /*notice*/) {}

// Ends poll() when the query is to end.
class Alarm {
 public:
  explicit Alarm(const std::stop_token& stop)
      : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), ring_(stop, Ring{fd_.get()}) {}
  int fd() const { return fd_.get(); }

 private:
  struct Ring {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
    }
  };
  Descriptor fd_;
  std::stop_callback<Ring> ring_;
};

Error stopped() {
  return Error{ErrorKind::cancelled, "the query was stopped", {}};
}

ErrorKind kind_of_code(std::string_view code) {
  if (code.starts_with("28")) return ErrorKind::auth;
  if (code == "3D000") return ErrorKind::config;
  if (code.starts_with("53") || code == "57P03") return ErrorKind::overloaded;
  if (code == "57014") return ErrorKind::timeout;
  if (code.starts_with("08") || code.starts_with("57P")) return ErrorKind::network;
  return ErrorKind::target;
}

// libpq has no code for what the server says to a newcomer, but writes it into a verbose message: "FATAL:
// 28P01: password authentication failed".
std::string code_within(std::string_view message) {
  for (std::size_t at = message.find(":  "); at != std::string_view::npos; at = message.find(":  ", at + 1)) {
    const std::string_view code = message.substr(at + 3, 5);
    const bool looks_so = code.size() == 5 && std::all_of(code.begin(), code.end(), [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                          });
    if (looks_so && message.substr(at + 8).starts_with(": ")) return std::string(code);
  }
  return "";
}

Error why_no_connection(PGconn* connection) {
  const std::string said = repair_utf8(::PQerrorMessage(connection));
  const std::string code = code_within(said);
  std::string message;
  for (std::string_view line : split_lines(said)) {
    line = trim(line);
    if (line.empty() || line.contains(".c:")) continue;  // where in the server's source
    if (!message.empty()) message += ' ';
    message += line;
  }
  if (const auto at = message.find(code + ": "); !code.empty() && at != std::string::npos) {
    message.erase(at, code.size() + 2);
  }
  return Error{code.empty() ? ErrorKind::network : kind_of_code(code),
               fmt::format("cannot connect to the database: {}", shorten(message, 1000)),
               {}};
}

std::string field(const PGresult* result, char which) {
  const char* text = ::PQresultErrorField(result, static_cast<unsigned char>(which));
  return text == nullptr ? std::string() : repair_utf8(text);
}

Error explain(const PGresult* result, const SqlQuery& query) {
  const std::string code = field(result, PG_DIAG_SQLSTATE);
  std::string said = field(result, PG_DIAG_MESSAGE_PRIMARY);
  // Messages may be in any language; the name of the function that refuses is not.
  if (code == "42601" && field(result, PG_DIAG_SOURCE_FUNCTION) == "exec_parse_message") {
    return sql_error("more than one statement: ask one query at a time");
  }
  if (code == "25006" || code == "25001") {
    return sql_error(fmt::format("only reading is allowed here: {}", said));
  }
  const ErrorKind kind = kind_of_code(code);
  if (kind == ErrorKind::timeout) {
    return Error{
        kind, fmt::format("the query did not end within {}: {}", duration_text(query.timeout), said), {}};
  }
  if (said.empty()) said = trim(repair_utf8(::PQresultErrorMessage(result)));
  if (const auto at = field(result, PG_DIAG_STATEMENT_POSITION); !at.empty()) {
    said += fmt::format(", at character {}", at);
  }
  for (const char more : {PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT}) {
    if (const auto text = field(result, more); !text.empty()) said += fmt::format(". {}", text);
  }
  // A server that breaks off tells no code.
  return Error{code.empty() ? ErrorKind::network : kind, shorten(said, 2000), {}};
}

// A connection in which every wait ends when the query is to end.
class Session {
 public:
  static Result<std::unique_ptr<Session>> connect(const std::string& url, const SqlRun& run);
  explicit Session(const SqlRun& run) : run_(run), alarm_(run.stop) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  PGconn* get() const { return connection_.get(); }
  // The next answer to what was sent; none when there are no more. Answers that are errors are errors here.
  Result<Answer> next();
  // The last answer to what was sent (`sent` is what the sending function said), when there are no more.
  Result<Answer> last(int sent);
  // Ends what the server is doing; the session is of no further use.
  void cancel();

 private:
  Status wait(short events);
  Status receive();
  Error lost() const;

  const SqlRun& run_;
  Alarm alarm_;
  Connection connection_;
  std::size_t received_ = 0;  // of an answer that is not complete yet
};

// libpq's names and values: the URL's own, and ours.
Result<std::map<std::string, std::string>> settings(const std::string& url, const SqlQuery& query) {
  char* said = nullptr;  // may quote a part of the URL
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(::PQconninfoParse(url.c_str(), &said));
  ::PQfreemem(said);
  if (!options) {
    return fail(ErrorKind::config,
                "the database URL cannot be read: expected postgres://USER:PASSWORD@HOST:PORT/NAME with "
                "special characters as %XX, and after ? only parameters that libpq knows");
  }
  std::map<std::string, std::string> values;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) values[option->keyword] = option->val;
  }
  if (const char* own = std::getenv("PGOPTIONS"); own != nullptr && !values.contains("options")) {
    values["options"] = own;
  }
  const auto longest = std::chrono::milliseconds(std::numeric_limits<std::int32_t>::max());
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(
      std::min<std::chrono::nanoseconds>(query.timeout, longest - kServerIsLater));
  // Of two the last counts.
  values["options"] += fmt::format(
      " -c default_transaction_read_only=on -c statement_timeout={} -c DateStyle=ISO "
      "-c IntervalStyle=postgres -c bytea_output=hex -c extra_float_digits=1",
      (timeout + kServerIsLater).count());
  values["client_encoding"] = "UTF8";
  values.try_emplace("application_name", "assay");
  return values;
}

Result<std::unique_ptr<Session>> Session::connect(const std::string& url, const SqlRun& run) {
  const auto values = settings(url, run.query);
  if (!values) return fail(values.error());
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const auto& [name, text] : *values) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  names.push_back(nullptr);
  texts.push_back(nullptr);

  auto session = std::make_unique<Session>(run);
  if (session->alarm_.fd() < 0) return fail(ErrorKind::io, "no file descriptor is left for the query");
  session->connection_.reset(::PQconnectStartParams(names.data(), texts.data(), 0));
  PGconn* connection = session->get();
  if (connection == nullptr) return fail(ErrorKind::io, "cannot connect to the database: out of memory");
  ::PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  ::PQsetNoticeReceiver(connection, keep_silent, nullptr);  // otherwise to our stderr
  if (::PQstatus(connection) == CONNECTION_BAD) return fail(why_no_connection(connection));
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = ::PQconnectPoll(connection)) {
    if (next == PGRES_POLLING_FAILED) return fail(why_no_connection(connection));
    if (auto waited = session->wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT); !waited) {
      return fail(std::move(waited.error()));
    }
  }
  ::PQsetnonblocking(connection, 1);
  return session;
}

Status Session::wait(short events) {
  std::array<pollfd, 2> waited{pollfd{::PQsocket(get()), events, 0}, pollfd{alarm_.fd(), POLLIN, 0}};
  int count = 0;
  do {
    count = ::poll(waited.data(), waited.size(), -1);
  } while (count < 0 && errno == EINTR);
  if (run_.stop.stop_requested()) return fail(stopped());
  return {};
}

Error Session::lost() const {
  return Error{ErrorKind::network,
               fmt::format("the connection to the database broke: {}",
                           shorten(trim(repair_utf8(::PQerrorMessage(get()))), 500)),
               {}};
}

// libpq keeps an answer as long as it is not complete, whatever its size. It reads until the socket is empty,
// so that what the socket held before is what has come.
Status Session::receive() {
  if (received_ > longest_value(run_.query)) {
    cancel();
    return fail(sql_error(
        fmt::format("a row of more than {} bytes came up: select less of it", longest_value(run_.query))));
  }
  int before = 0;
  int after = 0;
  ::ioctl(::PQsocket(get()), FIONREAD, &before);
  if (::PQconsumeInput(get()) == 0) return fail(lost());
  ::ioctl(::PQsocket(get()), FIONREAD, &after);
  if (before > after) received_ += static_cast<std::size_t>(before - after);
  return {};
}

Result<Answer> Session::next() {
  received_ = 0;
  while (true) {
    const int unsent = ::PQflush(get());
    if (unsent < 0) return fail(lost());
    if (unsent == 0 && ::PQisBusy(get()) == 0) break;
    if (auto waited = wait(static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN)); !waited) {
      cancel();
      return fail(std::move(waited.error()));
    }
    if (auto received = receive(); !received) return fail(std::move(received.error()));
  }
  Answer answer(::PQgetResult(get()));
  switch (::PQresultStatus(answer.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
      return answer;
    default:
      if (!answer) return answer;
      return fail(explain(answer.get(), run_.query));
  }
}

Result<Answer> Session::last(int sent) {
  if (sent == 0) return fail(lost());
  Answer kept;
  while (true) {
    auto answer = next();
    if (!answer) return fail(std::move(answer.error()));
    if (!*answer) return kept;
    kept = std::move(*answer);
  }
}

void Session::cancel() {
  const std::unique_ptr<PGcancel, FreeCancel> request(::PQgetCancel(get()));
  std::array<char, 256> said{};
  if (request) ::PQcancel(request.get(), said.data(), said.size());
}

Status begin(Session& session) {
  auto answer = session.last(::PQsendQuery(session.get(), kBegin));
  if (!answer) return fail(std::move(answer.error()));
  const auto holds = [&](int column) {
    return std::string_view(::PQgetvalue(answer->get(), 0, column)) != "f";
  };
  if (!holds(0) && !holds(1)) return {};
  return fail(
      ErrorKind::config,
      fmt::format(
          "the role {} {}: use one that may read the tables in question and nothing else (CREATE ROLE "
          "reader LOGIN PASSWORD '…'; GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON ALL "
          "TABLES IN SCHEMA public TO reader)",
          ::PQuser(session.get()),
          holds(0) ? "is a superuser of the database or may become one, which no read-only "
                     "transaction confines"
                   : "may read the passwords of all roles (pg_authid, as pg_read_all_data may) or "
                     "files of the server"));
}

// What the columns are, found out without running the statement.
Result<Answer> prepare(Session& session, const SqlQuery& query) {
  auto prepared = session.last(::PQsendPrepare(session.get(), "", query.sql.c_str(), 0, nullptr));
  if (!prepared) return prepared;
  auto described = session.last(::PQsendDescribePrepared(session.get(), ""));
  if (!described) return described;
  if (::PQnparams(described->get()) > 0) {
    return fail(sql_error("the query has parameters ($1), which cannot be given: write the values"));
  }
  if (::PQnfields(described->get()) == 0) {
    return fail(
        sql_error("only reading is allowed here: there is no statement that gives rows (SELECT, WITH, "
                  "VALUES, TABLE, SHOW, EXPLAIN)"));
  }
  return described;
}

std::vector<std::string> column_names(const PGresult* described) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(::PQnfields(described)));
  for (int i = 0; i < ::PQnfields(described); ++i) names.push_back(repair_utf8(::PQfname(described, i)));
  return names;
}

// Hardly longer than in JSON, where "t" is true and a number loses idle zeros.
std::size_t bytes_of_row(const PGresult* row) {
  std::size_t bytes = 0;
  for (int i = 0; i < ::PQnfields(row); ++i) bytes += static_cast<std::size_t>(::PQgetlength(row, 0, i));
  return bytes;
}

JsonObject row_of(const PGresult* row, const std::vector<std::string>& names) {
  JsonObject object;
  object.reserve(names.size());
  for (int i = 0; i < ::PQnfields(row); ++i) {
    const auto size = static_cast<std::size_t>(::PQgetlength(row, 0, i));
    object.emplace(names[static_cast<std::size_t>(i)],
                   ::PQgetisnull(row, 0, i) != 0
                       ? Json(nullptr)
                       : postgres_value(::PQftype(row, i), std::string_view(::PQgetvalue(row, 0, i), size)));
  }
  return object;
}

// Row by row: what lies behind the caps is never received.
Result<Json> read_rows(Session& session, const SqlRun& run, std::vector<std::string> names) {
  if (::PQsendQueryPrepared(session.get(), "", 0, nullptr, nullptr, nullptr, 0) == 0 ||
      ::PQsetSingleRowMode(session.get()) == 0) {
    return fail(ErrorKind::network, "the connection to the database broke");
  }
  SqlRows rows(run.query, std::move(names));
  while (true) {
    auto answer = session.next();
    if (!answer) return fail(std::move(answer.error()));
    if (!*answer) break;
    if (::PQresultStatus(answer->get()) != PGRES_SINGLE_TUPLE) continue;
    if (!rows.has_room(bytes_of_row(answer->get())) || !rows.add(row_of(answer->get(), rows.names()))) {
      session.cancel();
      return rows.take();
    }
  }
  // A pooler keeps the connection for others; otherwise its end would do.
  [[maybe_unused]] const auto ended = session.last(::PQsendQuery(session.get(), "ROLLBACK"));
  return rows.take();
}

Result<Json> answer_in(Session& session, const SqlRun& run) {
  if (auto begun = begin(session); !begun) return fail(std::move(begun.error()));
  const auto described = prepare(session, run.query);
  if (!described) return fail(described.error());
  return read_rows(session, run, column_names(described->get()));
}

}  // namespace

Result<Json> query_postgres(const std::string& url, const SqlRun& run) {
  auto session = Session::connect(url, run);
  if (!session) return fail(std::move(session.error()));
  auto answer = answer_in(**session, run);
  if (answer) return answer;
  return fail(std::move(answer.error()).with("database", repair_utf8(::PQdb((*session)->get()))));
}

}  // namespace assay

#endif
