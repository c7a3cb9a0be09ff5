#include "store/postgres/run_right.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/sha256.h"

namespace assay::postgres {
namespace {

std::int64_t key_of(const std::string& run_id) {
  const Digest digest = sha256("assay run " + run_id);
  std::int64_t key = 0;
  std::memcpy(&key, digest.data(), sizeof key);
  return key;
}

// How pg_locks shows an advisory lock of one 64-bit number.
constexpr const char* kHolders =
    "SELECT l.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND "
    "l.granted AND "
    "l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
    "((l.classid::bigint << 32) | l.objid::bigint) = $1::bigint";

Result<bool> try_lock(Connection& connection, std::int64_t key) {
  auto got = connection.query("SELECT pg_try_advisory_lock($1::bigint)", Values().integer(key));
  if (!got) return fail(std::move(got.error()));
  return got->flag(0, 0);
}

// A session of ours that the server has not seen end yet (the network was away) must not keep us out.
Status end_earlier_session(Connection& connection, std::int64_t key, const std::string& name) {
  auto ended = connection.query(
      fmt::format("SELECT pg_terminate_backend(pid) FROM ({} AND a.application_name = $2::text AND l.pid <> "
                  "pg_backend_pid()) AS earlier",
                  kHolders),
      Values().integer(key).text(name));
  return ended ? Status() : fail(std::move(ended.error()));
}

}  // namespace

Result<std::unique_ptr<LastingConnection>> take_right(const StoreAddress& store, const std::string& run_id) {
  const std::int64_t key = key_of(run_id);
  auto connection = Connection::open(store);
  if (!connection) return fail(std::move(connection.error()));
  // The session's own name, which no other process gives itself.
  auto backend =
      connection->query("SELECT md5(pg_backend_pid()::text || clock_timestamp()::text || random()::text)");
  if (!backend) return fail(std::move(backend.error()));
  const std::string name = fmt::format("assay {}", backend->bytes(0, 0));
  const std::string set_name = fmt::format("SET application_name = '{}'", name);
  if (auto named = connection->execute(set_name); !named) return fail(std::move(named.error()));
  auto got = try_lock(*connection, key);
  if (!got) return fail(std::move(got.error()));
  if (!*got) {
    return fail(
        Error{ErrorKind::journal,
              fmt::format("another assay process is working on this run, with the same store ({}); wait for "
                          "it, or end it",
                          store.shown()),
              {{"run", run_id}}});
  }
  auto again = [key, name, set_name](Connection& made) -> Status {
    if (auto named = made.execute(set_name); !named) return named;
    auto right = try_lock(made, key);
    if (!right) return fail(std::move(right.error()));
    if (*right) return {};
    if (auto ended = end_earlier_session(made, key, name); !ended) return ended;
    return fail(
        ErrorKind::overloaded,
        "while the connection to PostgreSQL was broken, another assay process has taken the run over");
  };
  return std::make_unique<LastingConnection>(store, ConnectOptions(), std::move(again),
                                             std::move(*connection));
}

Result<bool> right_is_taken(Connection& connection, const std::string& run_id) {
  auto holders = connection.query(kHolders, Values().integer(key_of(run_id)));
  if (!holders) return fail(std::move(holders.error()));
  return holders->count() > 0;
}

}  // namespace assay::postgres
