#include "store/work_board.h"

#include <array>
#include <utility>

#include "store/postgres/lasting_connection.h"
#include "store/postgres/migrations.h"
#include "store/postgres/run_tables.h"
#include "store/work_thread.h"

namespace assay {
namespace {

using postgres::Connection;
using postgres::LastingConnection;
using postgres::Rows;
using postgres::Statement;
using postgres::Values;

constexpr const char* kFirst = R"(
CREATE TABLE assay_open_runs(
  run_id text PRIMARY KEY, assay text NOT NULL, about bytea NOT NULL, tag text NOT NULL, stop_kind text, stop_words bytea,
  opened timestamptz NOT NULL DEFAULT now());
CREATE TABLE assay_worker_signs(
  run_id text NOT NULL, worker text NOT NULL, words bytea NOT NULL, held bigint NOT NULL,
  seen timestamptz NOT NULL, PRIMARY KEY(run_id, worker));
)";
// What each promises of the run's limits.
constexpr const char* kShares = R"(
ALTER TABLE assay_worker_signs ADD COLUMN parts bigint NOT NULL DEFAULT 0, ADD COLUMN place bigint NOT NULL DEFAULT 0;
)";
constexpr const char* kSteps[] = {kFirst, kShares};
constexpr postgres::Migrations kTables{"work", kSteps};

constexpr Statement kOpen{"assay_open_run",
                          "INSERT INTO assay_open_runs(run_id, assay, about, tag) VALUES ($1::text, "
                          "$2::text, $3::bytea, $4::text) ON "
                          "CONFLICT (run_id) DO UPDATE SET assay = excluded.assay, about = excluded.about, "
                          "stop_kind = NULL, stop_words = "
                          "NULL RETURNING tag"};
constexpr Statement kTakeBack{
    "assay_take_back",
    "DELETE FROM assay_outcomes WHERE NOT stands AND run = (SELECT run FROM assay_runs "
    "WHERE run_id = $1::text)"};
constexpr Statement kClose{"assay_close_run", "DELETE FROM assay_open_runs WHERE run_id = $1::text"};
// Of workers that were killed and never came back; of any run.
constexpr Statement kForget{
    "assay_forget_signs",
    "DELETE FROM assay_worker_signs WHERE seen < clock_timestamp() - interval '1 hour'"};
// Whoever comes at the same time waits, so that it sees this sign or is seen.
constexpr Statement kIsOpen{"assay_is_open",
                            "SELECT FROM assay_open_runs WHERE run_id = $1::text FOR NO KEY UPDATE"};
constexpr Statement kWished{
    "assay_stop_wish",
    "SELECT stop_kind, stop_words FROM assay_open_runs WHERE run_id = $1::text AND stop_kind IS NOT NULL"};
constexpr Statement kWish{
    "assay_wish_stop",
    "UPDATE assay_open_runs SET stop_kind = $2::text, stop_words = $3::bytea WHERE run_id = "
    "$1::text AND stop_kind IS NULL"};
constexpr Statement kEnded{
    "assay_ended_of",
    "SELECT o.case_index, o.outcome FROM assay_outcomes o JOIN assay_runs r USING (run) WHERE "
    "r.run_id = $1::text AND o.case_index = ANY($2::bigint[])"};
constexpr Statement kOpenRuns{
    "assay_open_runs", "SELECT run_id, assay, about, tag FROM assay_open_runs ORDER BY opened, run_id"};
constexpr Statement kSign{
    "assay_sign",
    "INSERT INTO assay_worker_signs(run_id, worker, words, held, parts, place, seen) VALUES "
    "($1::text, $2::text, $3::bytea, $4::bigint, $5::bigint, $6::bigint, "
    "clock_timestamp()) ON CONFLICT (run_id, worker) DO UPDATE SET words = "
    "excluded.words, held = excluded.held, parts = excluded.parts, place = "
    "excluded.place, seen = excluded.seen"};
constexpr Statement kGone{"assay_gone",
                          "DELETE FROM assay_worker_signs WHERE run_id = $1::text AND worker = $2::text"};
constexpr Statement kAlive{"assay_alive",
                           "SELECT worker, words, held, parts, place, seen <= clock_timestamp() - "
                           "make_interval(secs => $3::bigint) FROM assay_worker_signs WHERE run_id = "
                           "$1::text AND seen > clock_timestamp() - make_interval(secs => $2::bigint) ORDER "
                           "BY worker"};

template <class T>
std::vector<T> list_of(const Rows& rows, T (*read)(const Rows& rows, int row)) {
  std::vector<T> list;
  list.reserve(static_cast<std::size_t>(rows.count()));
  for (int row = 0; row < rows.count(); ++row) list.push_back(read(rows, row));
  return list;
}

std::string text_in(const Rows& rows, int row, int column) {
  return std::string(rows.bytes(row, column));
}
WorkerSign sign_in(const Rows& rows, int row) {
  return {.worker = text_in(rows, row, 0),
          .words = text_in(rows, row, 1),
          .held = rows.integer(row, 2),
          .parts = static_cast<int>(rows.integer(row, 3)),
          .place = static_cast<int>(rows.integer(row, 4)),
          .silent = rows.flag(row, 5)};
}
EndedCase ended_in(const Rows& rows, int row) {
  return {rows.integer(row, 0), text_in(rows, row, 1)};
}
OpenRun open_run_in(const Rows& rows, int row) {
  return {text_in(rows, row, 0), text_in(rows, row, 1), text_in(rows, row, 2), text_in(rows, row, 3)};
}

Values alive_values(const std::string& run) {
  return Values().text(run).integer(WorkBoard::kLifetime.count()).integer(WorkBoard::kSilence.count());
}

class PostgresBoard final : public WorkBoard {
 public:
  PostgresBoard(const StoreAddress& address, Connection first, std::function<void(const std::string&)> warn)
      : connection_(address, {}, {}, std::move(first)) {
    connection_.set_warn(std::move(warn));
  }
  ~PostgresBoard() override { connection_.stop(); }

  Task<Result<std::string>> open_run(OpenRun run) override {
    return thread_.run<Result<std::string>>([this, run = std::move(run)] {
      return connection_.ask([&](Connection& connection) -> Result<std::string> {
        const std::array steps{
            Connection::Step{kOpen, Values().text(run.run_id).text(run.assay).bytes(run.about).text(run.tag)},
            Connection::Step{kTakeBack, Values().text(run.run_id)}};
        auto done = connection.commit(steps);
        if (!done) return fail(std::move(done.error()));
        return std::string(done->front().bytes(0, 0));
      });
    });
  }
  Task<Status> close_run(std::string run) override {
    return commit({{kClose, Values().text(run)}, {kForget, {}}});
  }
  Task<Result<std::optional<StopWish>>> stop_wish(std::string run) override {
    using Wish = std::optional<StopWish>;
    return ask<Wish>(kWished, Values().text(run), [](const Rows& rows) {
      return rows.count() == 0 ? Wish()
                               : StopWish{std::string(rows.bytes(0, 0)), std::string(rows.bytes(0, 1))};
    });
  }
  Task<Result<std::vector<EndedCase>>> ended(std::string run, std::vector<std::int64_t> cases) override {
    return ask<std::vector<EndedCase>>(kEnded, Values().text(run).integers(cases),
                                       [](const Rows& rows) { return list_of(rows, ended_in); });
  }

  Task<Result<std::vector<OpenRun>>> open_runs() override {
    return ask<std::vector<OpenRun>>(kOpenRuns, {},
                                     [](const Rows& rows) { return list_of(rows, open_run_in); });
  }
  Task<Status> wish_stop(std::string run, StopWish wish) override {
    return commit({{kWish, Values().text(run).text(wish.kind).bytes(wish.words)}});
  }
  Task<Result<RunWatch>> alive(std::string run, WorkerSign sign) override {
    return thread_.run<Result<RunWatch>>([this, run = std::move(run), sign = std::move(sign)] {
      return connection_.ask([&](Connection& connection) -> Result<RunWatch> {
        const std::array steps{Connection::Step{kIsOpen, Values().text(run)},
                               Connection::Step{kSign, Values()
                                                           .text(run)
                                                           .text(sign.worker)
                                                           .bytes(sign.words)
                                                           .integer(sign.held)
                                                           .integer(sign.parts)
                                                           .integer(sign.place)},
                               Connection::Step{kAlive, alive_values(run)}};
        auto done = connection.commit(steps);
        if (!done) return fail(std::move(done.error()));
        return RunWatch{(*done)[0].count() > 0, list_of((*done)[2], sign_in)};
      });
    });
  }
  Task<Status> gone(std::string run, std::string worker) override {
    return commit({{kGone, Values().text(run).text(worker)}});
  }
  Task<Result<std::vector<WorkerSign>>> workers(std::string run) override {
    return ask<std::vector<WorkerSign>>(kAlive, alive_values(run),
                                        [](const Rows& rows) { return list_of(rows, sign_in); });
  }

 private:
  template <class T, class Read>
  Task<Result<T>> ask(const Statement& statement, Values values, Read read) {
    return thread_.run<Result<T>>([this, &statement, values = std::move(values), read] {
      return connection_.ask([&](Connection& connection) -> Result<T> {
        auto rows = connection.run(statement, values);
        if (!rows) return fail(std::move(rows.error()));
        return read(*rows);
      });
    });
  }
  // All that is committed here is the same when it is done twice.
  Task<Status> commit(std::vector<Connection::Step> steps) {
    return thread_.run<Status>([this, steps = std::move(steps)] {
      return connection_.ask([&](Connection& connection) -> Status {
        auto done = connection.commit(steps);
        return done ? Status() : fail(std::move(done.error()));
      });
    });
  }

  LastingConnection connection_;
  WorkThread thread_;  // last: it uses what is above
};

}  // namespace

Result<std::unique_ptr<WorkBoard>> WorkBoard::open(const StoreAddress& address,
                                                   std::function<void(const std::string&)> warn) {
  if (address.kind() != StoreAddress::Kind::postgres) {
    return fail(ErrorKind::config, "runs over several machines need a store that they share: found " +
                                       address.shown() + ", expected postgres://USER@HOST/DATABASE");
  }
  auto connection = Connection::open(address);
  if (!connection) return fail(std::move(connection.error()));
  // It looks into the runs' tables, too, and may be there before the first run.
  for (const postgres::Migrations* tables : {&postgres::kRunTables, &kTables}) {
    if (auto ready = bring_up(*connection, *tables); !ready) return fail(std::move(ready.error()));
  }
  return std::make_unique<PostgresBoard>(address, std::move(*connection), std::move(warn));
}

}  // namespace assay
