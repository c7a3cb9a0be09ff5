#include "store/postgres/migrations.h"

#include <cstdint>

#include <fmt/format.h>

namespace assay::postgres {
namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS assay_versions(part text PRIMARY KEY, number bigint NOT NULL)";
constexpr const char* kAlone = "SELECT pg_advisory_xact_lock(7310027716)";  // any number of our own

Result<std::int64_t> number_of(Connection& connection, std::string_view part) {
  auto table = connection.query("SELECT to_regclass('assay_versions') IS NOT NULL");
  if (!table) return fail(std::move(table.error()));
  if (!table->flag(0, 0)) return 0;
  auto rows =
      connection.query("SELECT number FROM assay_versions WHERE part = $1::text", Values().text(part));
  if (!rows) return fail(std::move(rows.error()));
  return rows->count() == 0 ? 0 : rows->integer(0, 0);
}

Status take_steps(Connection& connection, const Migrations& migrations) {
  for (const char* sql : {"BEGIN", kAlone, kTable}) {
    if (auto done = connection.execute(sql); !done) return done;
  }
  // Whoever was first may have taken them.
  auto found = number_of(connection, migrations.part);
  if (!found) return fail(std::move(found.error()));
  for (std::size_t next = static_cast<std::size_t>(*found); next < migrations.steps.size(); ++next) {
    if (auto done = connection.execute(migrations.steps[next]); !done) return done;
  }
  auto kept = connection.query(
      "INSERT INTO assay_versions(part, number) VALUES($1::text, $2::bigint) ON CONFLICT (part) DO UPDATE "
      "SET "
      "number = greatest(assay_versions.number, excluded.number)",
      Values().text(migrations.part).integer(static_cast<std::int64_t>(migrations.steps.size())));
  if (!kept) return fail(std::move(kept.error()));
  return connection.execute("COMMIT");
}

}  // namespace

Result<bool> is_there(Connection& connection, const Migrations& migrations) {
  auto found = number_of(connection, migrations.part);
  if (!found) return fail(std::move(found.error()));
  return *found > 0;
}

Status bring_up(Connection& connection, const Migrations& migrations) {
  auto found = number_of(connection, migrations.part);
  if (!found) return fail(std::move(found.error()));
  const auto known = static_cast<std::int64_t>(migrations.steps.size());
  if (*found > known) {
    return fail(
        ErrorKind::journal,
        fmt::format("found tables ({}) of version {}, and this assay knows them up to version {}: a newer "
                    "assay has made them; use that one, or another database",
                    migrations.part, *found, known));
  }
  if (*found == known) return {};
  auto done = take_steps(connection, migrations);
  if (!done) [[maybe_unused]]
    const auto undone = connection.execute("ROLLBACK");
  return done;
}

}  // namespace assay::postgres
