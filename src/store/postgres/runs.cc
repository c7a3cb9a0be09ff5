#include "store/postgres/runs.h"

#include <cstdio>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "store/journal_head.h"
#include "store/postgres/run_store.h"
#include "store/sqlite_runs.h"

namespace assay::postgres_runs {
namespace {

using namespace postgres;

Error no_such_run(const RunAddress& address) {
  return {ErrorKind::journal, fmt::format("{} holds no run {}", address.store->shown(), address.run_id), {}};
}

Result<KnownRun> known_run(Connection& connection, const RunAddress& address) {
  auto found = find_run(connection, address.run_id);
  if (!found) return fail(std::move(found.error()));
  if (!*found) return fail(no_such_run(address));
  return std::move(**found);
}

Result<KnownRun> look_up(const RunAddress& address, const ConnectOptions& options = {}) {
  auto connection = Connection::open(*address.store, options);
  if (!connection) return fail(std::move(connection.error()));
  return known_run(*connection, address);
}

// The right to the run, whatever of it was there before.
Result<SharedRunLock> with_right(std::unique_ptr<RunLock> lock, const RunAddress& address) {
  if (auto* shared = dynamic_cast<SharedRunLock*>(lock.get())) return std::move(*shared);
  auto session = take_right(*address.store, address.run_id);
  if (!session) return fail(std::move(session.error()));
  return SharedRunLock(std::move(*session), std::move(lock));
}

Result<std::int64_t> next_sitting(LastingConnection& session, std::int64_t run) {
  return session.ask([&](Connection& connection) -> Result<std::int64_t> {
    auto last = connection.query(
        "SELECT coalesce(max(sitting), 0) FROM assay_sittings WHERE run = $1::bigint", Values().integer(run));
    if (!last) return fail(std::move(last.error()));
    return last->integer(0, 0) + 1;
  });
}

// Where it goes on, a journal that is in the directory is one of before.
Status leave_home(const RunAddress& address) {
  if (address.directory.empty() || !sqlite_runs::holds_run(address.directory)) return {};
  if (auto written = write_journal_place(address); !written) return written;
  std::remove(fmt::format("{}/{}", address.directory, kJournalFile).c_str());
  std::remove(JournalHeadFile::path_in(address.directory).c_str());
  return {};
}

Result<std::unique_ptr<RunStore>> open_as_owner(const RunAddress& address, KnownRun known,
                                                SharedRunLock lock) {
  auto sitting = next_sitting(*lock.session, known.run);
  if (!sitting) return fail(std::move(sitting.error()));
  auto store = std::make_unique<PostgresRunStore>(address, known.run, std::move(known.identity));
  store->write_as_owner(std::move(lock), {*sitting, [address] { return leave_home(address); },
                                          [address] { touch_journal_place(address.directory); }});
  return store;
}

Result<std::int64_t> insert_run(Connection& connection, const RunIdentity& identity,
                                const std::vector<PlanText>& texts) {
  constexpr Statement kRun{
      "assay_insert_run",
      "INSERT INTO assay_runs(run_id, evaluation, assay, started, config, data_path, data_hash, cases) "
      "VALUES($1::text, $2::text, $3::text, $4::text, $5::bytea, $6::bytea, $7::text, $8::bigint)"};
  constexpr Statement kTexts{"assay_insert_texts",
                             "INSERT INTO assay_texts(run, name, text) SELECT (SELECT run FROM assay_runs "
                             "WHERE run_id = $1::text), * FROM "
                             "unnest($2::bytea[], $3::bytea[]) ON CONFLICT DO NOTHING"};
  std::vector<Connection::Step> steps;
  steps.push_back({kRun, Values()
                             .text(identity.run_id)
                             .text(identity.evaluation)
                             .text(identity.assay)
                             .text(identity.started)
                             .bytes(identity.config)
                             .bytes(identity.data_path)
                             .text(identity.data_hash)
                             .integer(identity.cases)});
  std::vector<std::string_view> names;
  std::vector<std::string_view> contents;
  for (const PlanText& text : texts) {
    names.push_back(text.name);
    contents.push_back(text.text);
  }
  if (!texts.empty()) steps.push_back({kTexts, Values().text(identity.run_id).blobs(names).blobs(contents)});
  auto made = connection.commit(steps);
  if (!made) return fail(std::move(made.error()));
  auto found = find_run(connection, identity.run_id);
  if (!found) return fail(std::move(found.error()));
  return (*found)->run;
}

}  // namespace

bool holds_run(const RunAddress& address) {
  return look_up(address, for_a_look()).has_value();
}

bool is_locked(const RunAddress& address) {
  auto connection = Connection::open(*address.store, for_a_look());
  if (!connection) return false;
  return right_is_taken(*connection, address.run_id).value_or(false);
}

Result<std::unique_ptr<RunLock>> lock(const RunAddress& address, std::unique_ptr<RunLock> directory) {
  auto session = take_right(*address.store, address.run_id);
  if (!session) return fail(std::move(session.error()));
  return std::make_unique<SharedRunLock>(std::move(*session), std::move(directory));
}

// In the store first, then in the directory: killed between the two, there is a run that nobody knows, and
// that holds nothing.
Result<std::unique_ptr<RunStore>> create(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                         const RunIdentity& identity, const std::vector<PlanText>& texts) {
  const RunAddress whole(address.directory, *address.store, identity.run_id);
  auto right = with_right(std::move(lock), whole);
  if (!right) return fail(std::move(right.error()));
  auto connection = Connection::open(*whole.store);
  if (!connection) return fail(std::move(connection.error()));
  if (auto ready = bring_up(*connection, kRunTables); !ready) return fail(std::move(ready.error()));
  auto there = find_run(*connection, identity.run_id);
  if (!there) return fail(std::move(there.error()));
  if (*there) {
    return fail(
        Error{ErrorKind::journal,
              fmt::format("{} holds a run already that is named {}", whole.store->shown(), identity.run_id),
              {}});
  }
  auto run = insert_run(*connection, identity, texts);
  if (!run) return fail(std::move(run.error()));
  if (!whole.directory.empty()) {
    if (auto written = write_journal_place(whole); !written) return fail(std::move(written.error()));
  }
  return open_as_owner(whole, {*run, identity, ""}, std::move(*right));
}

Result<std::unique_ptr<RunStore>> open(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                       Damage /*damage*/) {
  if (!lock) {
    auto known = look_up(address);
    if (!known) return fail(std::move(known.error()));
    return std::make_unique<PostgresRunStore>(address, known->run, std::move(known->identity));
  }
  auto right = with_right(std::move(lock), address);
  if (!right) return fail(std::move(right.error()));
  auto known = look_up(address);
  if (!known) return fail(std::move(known.error()));
  return open_as_owner(address, std::move(*known), std::move(*right));
}

Result<std::unique_ptr<RunStore>> take_up_again(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                Damage damage) {
  const std::string& directory = address.directory;
  auto here = sqlite_runs::read_identity(directory);
  if (!here) return fail(std::move(here.error()));
  auto head = JournalHeadFile::read(directory);
  if (!head) return fail(std::move(head.error()));
  const RunAddress whole(directory, *address.store, here->run_id);
  auto connection = Connection::open(*whole.store);
  if (!connection) return fail(std::move(connection.error()));
  auto known = find_run(*connection, whole.run_id);
  if (!known) return fail(std::move(known.error()));
  const std::string_view end(reinterpret_cast<const char*>(head->head.data()), head->head.size());
  if (!*known || (*known)->home != end) {
    return fail(Error{
        ErrorKind::usage,
        fmt::format(
            "the journal of this run is in its directory, and {} holds {}: go on with it here alone, with "
            "--store \"\"",
            whole.store->shown(), *known ? "an older state of it" : "no such run"),
        {{"directory", directory}}});
  }
  return open(whole, std::move(lock), damage);
}

Result<std::unique_ptr<RunStore>> join(const RunAddress& address) {
  auto known = look_up(address);
  if (!known) return fail(std::move(known.error()));
  if (!known->home.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("run {} has ended: its journal is in its directory again", address.run_id));
  }
  auto store = std::make_unique<PostgresRunStore>(address, known->run, std::move(known->identity));
  store->write_beside_others();
  return store;
}

Result<RunIdentity> read_identity(const RunAddress& address) {
  auto known = look_up(address, for_a_look());
  if (!known) return fail(std::move(known.error()));
  return std::move(known->identity);
}

Result<RunGlance> glance_at(const RunAddress& address) {
  LastingConnection connection(*address.store, for_a_look());
  connection.set_patience(std::chrono::milliseconds(0));
  auto known = connection.ask([&](Connection& made) { return known_run(made, address); });
  if (!known) return fail(std::move(known.error()));
  RunGlance glance;
  glance.identity = std::move(known->identity);
  auto count = connection.ask([&](Connection& made) {
    return made.query(
        "SELECT count(*), count(*) FILTER (WHERE outcome <> 'scored') FROM assay_outcomes WHERE run = "
        "$1::bigint",
        Values().integer(known->run));
  });
  if (!count) return fail(std::move(count.error()));
  glance.outcomes = count->integer(0, 0);
  glance.errored = count->integer(0, 1);
  auto totals = RunReads(connection, known->run).totals();
  if (!totals) return fail(std::move(totals.error()));
  glance.totals = std::move(*totals);
  return glance;
}

Result<JournalReport> check_journal(const RunAddress& address) {
  constexpr std::int64_t kPartRows = 1000;
  LastingConnection connection(*address.store, for_reading());
  auto known = connection.ask([&](Connection& made) { return known_run(made, address); });
  if (!known) return fail(std::move(known.error()));
  RunReads reads(connection, known->run);
  JournalReport report;
  report.kept_in = address.store->shown();
  auto notes = reads.notes();
  if (!notes) return fail(std::move(notes.error()));
  report.notes = std::move(*notes);
  for (std::int64_t first = RunReads::kFirstCase; first != std::numeric_limits<std::int64_t>::max();) {
    auto part = reads.part(first, kPartRows);
    if (!part) {
      if (part.error().kind != ErrorKind::journal) return fail(std::move(part.error()));
      report.defect = part.error().message;
      break;
    }
    if (!*part) break;
    first = (*part)->next;
    report.effects += static_cast<std::int64_t>((*part)->effects.size());
    report.outcomes += static_cast<std::int64_t>((*part)->outcomes.size());
  }
  return report;
}

}  // namespace assay::postgres_runs

namespace assay::postgres {

Result<std::optional<KnownRun>> find_run(Connection& connection, const std::string& run_id) {
  auto there = is_there(connection, kRunTables);
  if (!there) return fail(std::move(there.error()));
  if (!*there) return std::nullopt;
  if (auto ready = bring_up(connection, kRunTables); !ready) return fail(std::move(ready.error()));
  constexpr Statement kFind{"assay_find_run",
                            "SELECT run, evaluation, assay, started, config, data_path, data_hash, cases, "
                            "home FROM assay_runs WHERE run_id "
                            "= $1::text"};
  auto rows = connection.run(kFind, Values().text(run_id));
  if (!rows) return fail(std::move(rows.error()));
  if (rows->count() == 0) return std::nullopt;
  const auto text = [&](int column) { return std::string(rows->bytes(0, column)); };
  return KnownRun{rows->integer(0, 0),
                  {run_id, text(1), text(2), text(3), text(4), text(5), text(6), rows->integer(0, 7)},
                  rows->is_null(0, 8) ? std::string() : text(8)};
}

}  // namespace assay::postgres
