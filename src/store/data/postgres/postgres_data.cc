#include "store/data/postgres/postgres_data.h"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/ids.h"
#include "store/data/data_writes.h"
#include "store/data/postgres/postgres_sql.h"
#include "store/data/postgres/postgres_tables.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long writes wait for a server that is away, as it is while it starts again.
constexpr auto kPatience = 30s;

class PostgresData final : public DataDatabase {
 public:
  PostgresData(StoreAddress address, std::unique_ptr<PostgresSql> writer)
      : address_(std::move(address)), writer_(std::move(writer)) {}

  DataSql& writer() override { return *writer_; }
  Result<std::unique_ptr<DataSql>> reader() override { return open_postgres_data_reader(address_); }
  bool goes_on_after_failure() const override { return true; }
  bool shared() const override { return true; }

  Status commit(const std::function<Status(Numbers numbers)>& write) override {
    const auto until = Clock::now() + kPatience;
    for (;;) {
      if (writer_->is_lost()) {
        if (auto connected = writer_->reconnect(until); !connected) return connected;
      }
      Attempt one = attempt(write, until);
      if (one.status) return {};
      known_gone_.reset();
      if (!one.lost || Clock::now() > until) return one.status;
    }
  }

 private:
  struct Attempt {
    Status status;
    bool lost = false;  // with the connection, and nothing of it was kept: it can be made again
  };

  Attempt attempt(const std::function<Status(Numbers numbers)>& write, Clock::time_point until) {
    auto numbers = begin();
    Status done = numbers ? write(*numbers) : fail(std::move(numbers.error()));
    if (done) {
      done = writer_->run("COMMIT");
      if (!done && writer_->is_lost()) return fate_of_commit(until);
    }
    if (done) return {};
    const bool lost = writer_->is_lost();
    if (!lost) (void)writer_->run("ROLLBACK");
    return {std::move(done), lost};
  }

  // The lock is waited for by a statement of its own: the next one sees what was committed before it.
  Result<Numbers> begin() {
    if (auto locked = writer_->execute("BEGIN; LOCK TABLE one_writer IN SHARE ROW EXCLUSIVE MODE"); !locked)
      return fail(std::move(locked.error()));
    std::int64_t version = 0;
    std::int64_t gone = 0;
    if (auto looked = writer_->each(
            "SELECT (SELECT number FROM assay_versions WHERE part = ?), coalesce((SELECT number FROM "
            "last_numbers WHERE kind = ?), 0)",
            {kDataPart, kTextsGone},
            [&](const SqlRow& row) {
              version = row.integer(0);
              gone = row.integer(1);
            });
        !looked) {
      return fail(std::move(looked.error()));
    }
    if (version != postgres_data_version()) {
      return fail(ErrorKind::io,
                  fmt::format("found tables of version {}, expected {}: another assay has changed the store "
                              "since this one opened it; end this one and update it",
                              version, postgres_data_version()));
    }
    // Committed with the group, so that it tells whether the group was.
    if (auto marked =
            writer_->run("INSERT INTO last_commits(writer, number, at) VALUES(?, ?, now()) ON "
                         "CONFLICT(writer) DO UPDATE SET number = excluded.number, at = excluded.at",
                         {std::string_view(name_), ++group_});
        !marked) {
      return fail(std::move(marked.error()));
    }
    const bool same = known_gone_ == gone;
    known_gone_ = gone;
    return same ? Numbers::valid : Numbers::doubtful;
  }

  // Of a commit that the server did not confirm. Who gets the lock knows that it has ended. (The number of
  // its transaction would not tell: after a crash the server may give it to another one.)
  Attempt fate_of_commit(Clock::time_point until) {
    for (;;) {
      if (auto connected = writer_->reconnect(until); !connected) return {std::move(connected)};
      Status asked = writer_->execute("BEGIN; LOCK TABLE one_writer IN SHARE ROW EXCLUSIVE MODE");
      Result<std::optional<std::int64_t>> last = std::nullopt;
      if (asked) {
        last = writer_->number("SELECT number FROM last_commits WHERE writer = ?", {std::string_view(name_)});
        (void)writer_->run("ROLLBACK");
      }
      if (asked && last) {
        if (*last == group_) return {};
        return {fail(ErrorKind::network, "the server was started again before this was recorded"), true};
      }
      if (Clock::now() > until || !writer_->is_lost()) {
        return {fail(ErrorKind::network,
                     "the store on PostgreSQL has not said whether this was recorded; send it again")};
      }
    }
  }

  StoreAddress address_;
  std::unique_ptr<PostgresSql> writer_;
  std::string name_ = make_run_id(std::chrono::system_clock::now());  // of this writer
  std::int64_t group_ = 0;                                            // of the last attempt
  std::optional<std::int64_t> known_gone_;                            // how often texts had gone by then
};

}  // namespace

Result<std::unique_ptr<DataDatabase>> open_postgres_data(const StoreAddress& address) {
  auto writer = PostgresSql::connect(address, PostgresSql::Role::writer);
  if (!writer) return fail(std::move(writer.error()));
  if (auto made = make_postgres_tables(**writer); !made) return fail(std::move(made.error()));
  // Of writers that have long ended.
  if (auto tidied = (*writer)->run("DELETE FROM last_commits WHERE at < now() - INTERVAL '1 day'"); !tidied)
    return fail(std::move(tidied.error()));
  return std::make_unique<PostgresData>(address, std::move(*writer));
}

Result<std::unique_ptr<DataSql>> open_postgres_data_reader(const StoreAddress& address) {
  return PostgresSql::connect(address, PostgresSql::Role::reader);
}

}  // namespace assay
