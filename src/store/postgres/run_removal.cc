#include "store/postgres/run_removal.h"

#include <utility>

#include <fmt/format.h>

#include "store/postgres/run_tables.h"

namespace assay::postgres_runs {
namespace {

using namespace postgres;

// The run itself last: the others know it by its number.
constexpr const char* kTables[] = {"texts",        "files",   "sittings", "notes",
                                   "shared_texts", "effects", "outcomes", "runs"};

}  // namespace

Status remove(const StoreAddress& store, const std::string& run_id) {
  auto connection = Connection::open(store);
  if (!connection) return fail(std::move(connection.error()));
  const auto there = is_there(*connection, kRunTables);
  if (!there) return fail(there.error());
  if (!*there) return {};
  Status done = connection->execute("BEGIN");
  for (const char* table : kTables) {
    if (!done) break;
    auto removed = connection->query(
        fmt::format("DELETE FROM assay_{} WHERE run = (SELECT run FROM assay_runs WHERE run_id = $1::text)",
                    table),
        Values().text(run_id));
    if (!removed) done = fail(std::move(removed.error()));
  }
  return done ? connection->execute("COMMIT") : done;
}

}  // namespace assay::postgres_runs
