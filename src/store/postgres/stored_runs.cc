#include "store/postgres/stored_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "store/postgres/run_right.h"
#include "store/postgres/run_store.h"
#include "store/postgres/run_tables.h"
#include "store/work_board.h"

namespace assay {
namespace {

using namespace postgres;

constexpr const char* kConfigFile = "config.yaml";

StoredRun run_in(const Rows& rows, int row) {
  const auto text = [&](int column) { return std::string(rows.bytes(row, column)); };
  StoredRun run;
  run.identity = {text(0), text(1), text(2), text(3), text(4), text(5), text(6), rows.integer(row, 7)};
  run.home = rows.flag(row, 8);
  run.config = text(9);
  return run;
}

}  // namespace

Result<std::vector<RunWorker>> workers_of(const RunAddress& address) {
  RunAddress whole = address;
  if (!address.store) {
    auto place = journal_place(address.directory);
    if (!place) return fail(std::move(place.error()));
    if (!*place) return std::vector<RunWorker>();
    whole = std::move(**place);
  }
  auto connection = Connection::open(*whole.store, for_a_look());
  if (!connection) return fail(std::move(connection.error()));
  // A run that no queue carries may be in a database without the tables of the board.
  auto board = connection->query("SELECT to_regclass('assay_worker_signs') IS NOT NULL");
  if (!board) return fail(std::move(board.error()));
  std::vector<RunWorker> workers;
  if (!board->flag(0, 0)) return workers;
  auto rows = connection->query(
      "SELECT worker, words, extract(epoch FROM clock_timestamp() - seen)::double precision FROM "
      "assay_worker_signs WHERE run_id = $1::text AND seen > clock_timestamp() - make_interval(secs => "
      "$2::bigint) ORDER BY worker",
      Values().text(whole.run_id).integer(WorkBoard::kLifetime.count()));
  if (!rows) return fail(std::move(rows.error()));
  for (int row = 0; row < rows->count(); ++row) {
    workers.push_back({std::string(rows->bytes(row, 0)), std::string(rows->bytes(row, 1)),
                       std::max(0.0, rows->number(row, 2))});
  }
  return workers;
}

Result<std::vector<StoredRun>> stored_runs(const StoreAddress& store) {
  auto connection = Connection::open(store, for_a_look());
  if (!connection) return fail(std::move(connection.error()));
  std::vector<StoredRun> runs;
  const auto there = is_there(*connection, kRunTables);
  if (!there) return fail(there.error());
  if (!*there) return runs;
  // A job of the data service shares no config: the service alone goes on with it.
  auto rows = connection->query(
      "SELECT r.run_id, r.evaluation, r.assay, r.started, r.config, r.data_path, r.data_hash, r.cases, "
      "r.home "
      "IS NOT NULL, f.text FROM assay_runs r JOIN assay_files f ON f.run = r.run AND f.name = $1::bytea "
      "ORDER BY r.run DESC LIMIT $2::bigint",
      Values().bytes(kConfigFile).integer(kMostStoredRuns));
  if (!rows) return fail(std::move(rows.error()));
  for (int row = 0; row < rows->count(); ++row) {
    StoredRun run = run_in(*rows, row);
    if (!run.home) {
      auto taken = right_is_taken(*connection, run.identity.run_id);
      if (!taken) return fail(std::move(taken.error()));
      run.worked_on = *taken;
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Status restore_directory(const RunAddress& address) {
  LastingConnection connection(*address.store);
  auto found = connection.ask([&](Connection& made) { return find_run(made, address.run_id); });
  if (!found) return fail(std::move(found.error()));
  if (!*found) {
    return fail(ErrorKind::usage, fmt::format("{} holds no run {}; assay runs --store … lists what it holds",
                                              address.store->shown(), address.run_id));
  }
  if (!(*found)->home.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("run {} has ended: its journal and its files are in the directory that it was "
                            "given, and go on from there",
                            address.run_id));
  }
  RunReads reads(connection, (*found)->run);
  auto config = reads.file(kConfigFile);
  if (!config) return fail(std::move(config.error()));
  if (!*config) {
    return fail(ErrorKind::usage,
                fmt::format("run {} was ended before it had asked anything, and {} holds no "
                            "config of it: begin a new run",
                            address.run_id, address.store->shown()));
  }
  if (auto made = make_directories(address.directory); !made) return made;
  auto kept = reads.kept_files();
  if (!kept) return fail(std::move(kept.error()));
  if (auto written = write_files(*kept, address.directory); !written) return written;
  auto prepared = reads.files_below(kPreparedFolder);
  if (!prepared) return fail(std::move(prepared.error()));
  if (auto written = write_files(*prepared, address.directory); !written) return written;
  // The file that says where the journal is comes first: a directory with a config and no journal would be
  // that of a run which has asked nothing yet.
  if (auto written = write_journal_place(address); !written) return written;
  return write_file(fmt::format("{}/{}", address.directory, kConfigFile), **config);
}

}  // namespace assay
