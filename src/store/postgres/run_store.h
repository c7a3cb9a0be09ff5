// A run whose journal is in PostgreSQL: RunStore over RunReads and RunWrites, each with a thread and a
// connection of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/awaited_rows.h"
#include "store/postgres/lasting_connection.h"
#include "store/postgres/run_reads.h"
#include "store/postgres/run_right.h"
#include "store/postgres/run_writes.h"
#include "store/run_store.h"
#include "store/work_thread.h"

namespace assay::postgres {

class PostgresRunStore final : public RunStore {
 public:
  // For reading.
  PostgresRunStore(RunAddress address, std::int64_t run, RunIdentity identity);
  ~PostgresRunStore() override { end(); }

  // For whoever has the right, which goes along; the sitting is one more of the run.
  void write_as_owner(SharedRunLock lock, RunWrites::Sitting sitting);
  // For a worker.
  void write_beside_others();

  std::unique_ptr<RunLock> close() override;
  const RunIdentity& identity() const override { return identity_; }

  Task<Result<std::optional<EffectRow>>> put(EffectRow row) override { return put_row(std::move(row)); }
  Task<Status> put(OutcomeRow row) override { return done(put_row(std::move(row))); }
  Task<Status> note(std::string text) override { return done(put_row(RunWrites::Note{std::move(text)})); }
  Task<Status> keep_file(std::string name, std::string text) override;
  Task<Status> share_file(std::string name, std::string text) override;
  Task<Result<std::optional<std::string>>> file(std::string name) override;
  Status bring_home() override;

  Task<Result<std::vector<std::string>>> notes() override;
  Task<Result<std::vector<PlanText>>> texts() override;
  Task<Result<std::vector<EffectRow>>> effects_of(std::int64_t case_index, Requests requests) override;
  Task<Result<CaseStates>> states(std::vector<std::string> outcomes_to_retry) override;
  Task<Result<std::vector<OutcomeRow>>> outcomes(std::int64_t first, std::size_t most) override;
  Task<Result<RunTotals>> totals() override;
  Task<Result<std::optional<EffectRow>>> find_answer(Digest request_hash, std::string step,
                                                     int attempt) override;

 private:
  using Standing = RunWrites::Standing;
  void write_with(std::unique_ptr<LastingConnection> connection, std::optional<RunWrites::Sitting> sitting);
  void end();
  Task<Result<Standing>> put_row(RunWrites::Row row);
  static Task<Status> done(Task<Result<Standing>> putting);
  enum class FileUse { kept, shared };
  Status put_file(const std::string& name, const std::string& text, FileUse use);
  template <class Ask>
  auto read(Ask ask) -> Task<decltype(ask(std::declval<RunReads&>()))>;

  RunAddress address_;
  std::int64_t run_;
  RunIdentity identity_;
  std::unique_ptr<RunLock> directory_lock_;
  LastingConnection reading_connection_;
  LastingConnection file_connection_;
  RunReads reads_;
  std::optional<RunWrites> writes_;
  std::optional<WorkThread> reading_;
  std::optional<WorkThread> files_;
  std::optional<AwaitedRows<RunWrites::Row, Standing>> writer_;  // last: it uses what is above
};

// What stands in assay_runs.
struct KnownRun {
  std::int64_t run = 0;
  RunIdentity identity;
  std::string home;  // empty: the journal is not in a directory
};
// Nothing if there is no run of this id, or no tables. Makes nothing.
Result<std::optional<KnownRun>> find_run(Connection& connection, const std::string& run_id);

// Files of the run, by name and text, into the directory of its files.
Status write_files(const std::vector<std::pair<std::string, std::string>>& files,
                   const std::string& directory);

// The journal in the run's directory, and nothing but it: see RunStore::bring_home.
Status bring_run_home(const RunAddress& address, std::int64_t run, const RunIdentity& identity);

}  // namespace assay::postgres
