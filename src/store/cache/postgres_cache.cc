// The cache in a table of a PostgreSQL server, made when it is first opened.
#include "store/cache/answer_cache.h"

#ifndef ASSAY_POSTGRES

namespace assay {

Result<std::unique_ptr<CacheTable>> open_postgres_cache(const std::string& /*url*/) {
  return fail(
      ErrorKind::config,
      "this assay was built without PostgreSQL (libpq): build it where libpq-dev is installed, or use "
      "a directory");
}

}  // namespace assay

#else

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "core/text.h"

namespace assay {
namespace {

// In milliseconds; a server that falls silent must not hold a run up for long.
constexpr const char* kPatience = "30000";
constexpr const char* kConnectSeconds = "10";
constexpr std::string_view kLock = "SELECT pg_advisory_xact_lock(7310027715)";  // any number of our own
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS assay_answers(key text PRIMARY KEY, reply text NOT NULL, model text NOT "
    "NULL, "
    "prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL, cached_tokens bigint NOT NULL, "
    "reasoning_tokens bigint NOT NULL)";

struct FinishConnection {
  void operator()(PGconn* connection) const { ::PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { ::PQclear(result); }
};
using Rows = std::unique_ptr<PGresult, ClearResult>;

void keep_silent(void* /*unused*/, const PGresult* /*notice*/) {}

class PostgresCache final : public CacheTable {
 public:
  explicit PostgresCache(PGconn* connection) : connection_(connection) {}

  bool is_open() const { return ::PQstatus(connection_.get()) == CONNECTION_OK; }
  // Otherwise notices go to our stderr.
  void quiet() const { ::PQsetNoticeReceiver(connection_.get(), keep_silent, nullptr); }
  Error why() const {
    return {ErrorKind::io,
            fmt::format("the PostgreSQL cache: {}",
                        shorten(trim(repair_utf8(::PQerrorMessage(connection_.get()))), 500)),
            {}};
  }

  template <std::size_t N>
  Result<Rows> ask(const char* sql, const std::array<const char*, N>& values) {
    Rows rows(::PQexecParams(connection_.get(), sql, static_cast<int>(N), nullptr, values.data(), nullptr,
                             nullptr, 0));
    const auto status = ::PQresultStatus(rows.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
    return fail(why());
  }
  Result<Rows> ask(std::string_view sql) {
    return ask(std::string(sql).c_str(), std::array<const char*, 0>());
  }

  // A role that may not make tables can use one that is there.
  Status make_ready() {
    auto there = ask("SELECT to_regclass('assay_answers') IS NOT NULL");
    if (!there) return fail(std::move(there.error()));
    if (std::string_view(::PQgetvalue(there->get(), 0, 0)) == "t") return {};
    for (const std::string_view sql :
         {std::string_view("BEGIN"), kLock, std::string_view(kTable), std::string_view("COMMIT")}) {
      if (auto done = ask(sql); !done) return fail(std::move(done.error()));
    }
    return {};
  }

  Result<std::optional<CachedAnswer>> find(const Digest& key) override {
    const std::string name = hex(key);
    auto rows =
        ask("SELECT reply, model, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens FROM "
            "assay_answers WHERE key = $1",
            std::array{name.c_str()});
    if (!rows) return fail(std::move(rows.error()));
    if (::PQntuples(rows->get()) == 0) return std::nullopt;
    const auto text = [&](int column) {
      return std::string_view(::PQgetvalue(rows->get(), 0, column),
                              static_cast<std::size_t>(::PQgetlength(rows->get(), 0, column)));
    };
    const auto number = [&](int column) {
      std::int64_t value = 0;
      const std::string_view digits = text(column);
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return value;
    };
    return CachedAnswer{key,      std::string(text(0)), std::string(text(1)), number(2), number(3), number(4),
                        number(5)};
  }

  Status add(std::span<const CachedAnswer> answers) override {
    if (auto begun = ask("BEGIN"); !begun) return fail(std::move(begun.error()));
    for (const CachedAnswer& answer : answers) {
      const std::string key = hex(answer.key);
      const std::array numbers{std::to_string(answer.prompt_tokens), std::to_string(answer.completion_tokens),
                               std::to_string(answer.cached_tokens), std::to_string(answer.reasoning_tokens)};
      auto added = ask("INSERT INTO assay_answers VALUES($1,$2,$3,$4,$5,$6,$7) ON CONFLICT DO NOTHING",
                       std::array{key.c_str(), answer.reply.c_str(), answer.model.c_str(), numbers[0].c_str(),
                                  numbers[1].c_str(), numbers[2].c_str(), numbers[3].c_str()});
      if (!added) {
        [[maybe_unused]] const auto undone = ask("ROLLBACK");
        return fail(std::move(added.error()));
      }
    }
    auto done = ask("COMMIT");
    return done ? Status() : fail(std::move(done.error()));
  }

 private:
  std::unique_ptr<PGconn, FinishConnection> connection_;
};

}  // namespace

Result<std::unique_ptr<CacheTable>> open_postgres_cache(const std::string& url) {
  // What follows the URL counts more than what it says; what comes before it, less.
  constexpr std::array names{"connect_timeout", "application_name", "dbname",
                             "client_encoding", "tcp_user_timeout", static_cast<const char*>(nullptr)};
  const std::array values{kConnectSeconds, "assay",   url.c_str(),
                          "UTF8",          kPatience, static_cast<const char*>(nullptr)};
  auto cache = std::make_unique<PostgresCache>(::PQconnectdbParams(names.data(), values.data(), 1));
  if (!cache->is_open()) {
    Error error = cache->why();
    // libpq may repeat a part of a URL that it cannot read.
    if (error.message.contains("URI"))
      error.message =
          "the URL cannot be read: expected postgres://USER:PASSWORD@HOST:PORT/NAME with special characters "
          "as "
          "%XX, and after ? only parameters that libpq knows";
    return fail(std::move(error));
  }
  cache->quiet();
  if (auto patient = cache->ask(fmt::format("SET statement_timeout = {}", kPatience)); !patient)
    return fail(std::move(patient.error()));
  if (auto ready = cache->make_ready(); !ready) return fail(std::move(ready.error()));
  return cache;
}

}  // namespace assay

#endif
