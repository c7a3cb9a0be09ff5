#include "store/postgres/run_store.h"

#include <utility>

#include <fmt/format.h>

#include "core/file.h"

namespace assay::postgres {

PostgresRunStore::PostgresRunStore(RunAddress address, std::int64_t run, RunIdentity identity)
    : address_(std::move(address)),
      run_(run),
      identity_(std::move(identity)),
      reading_connection_(*address_.store, for_reading()),
      file_connection_(*address_.store),
      reads_(reading_connection_, run),
      reading_(std::in_place),
      files_(std::in_place) {}

void PostgresRunStore::write_as_owner(SharedRunLock lock, RunWrites::Sitting sitting) {
  directory_lock_ = std::move(lock.directory);
  write_with(std::move(lock.session), std::move(sitting));
}

void PostgresRunStore::write_beside_others() {
  write_with(std::make_unique<LastingConnection>(*address_.store), std::nullopt);
}

void PostgresRunStore::write_with(std::unique_ptr<LastingConnection> connection,
                                  std::optional<RunWrites::Sitting> sitting) {
  writes_.emplace(std::move(connection), run_, std::move(sitting));
  writer_.emplace([this](std::span<const RunWrites::Row* const> rows) { return writes_->commit(rows); });
}

void PostgresRunStore::end() {
  writer_.reset();
  files_.reset();
  reading_.reset();
  writes_.reset();
}

std::unique_ptr<RunLock> PostgresRunStore::close() {
  end();
  return std::move(directory_lock_);
}

Task<Result<RunWrites::Standing>> PostgresRunStore::put_row(RunWrites::Row row) {
  if (!writer_) co_return fail(ErrorKind::internal, "the run is open for reading only");
  co_return co_await writer_->put(std::move(row));
}

Task<Status> PostgresRunStore::done(Task<Result<Standing>> putting) {
  auto put = co_await putting;
  co_return put ? Status() : fail(std::move(put.error()));
}

Status PostgresRunStore::put_file(const std::string& name, const std::string& text, FileUse use) {
  constexpr Statement kPut{
      "assay_put_file",
      "INSERT INTO assay_files(run, name, text, kept) VALUES($1::bigint, $2::bytea, $3::bytea, "
      "$4::boolean) ON CONFLICT (run, name) DO UPDATE SET text = excluded.text, kept = "
      "excluded.kept"};
  auto put = file_connection_.ask([&](Connection& connection) {
    return connection.run(kPut, Values().integer(run_).bytes(name).bytes(text).flag(use == FileUse::kept));
  });
  return put ? Status() : fail(std::move(put.error()).with("file", name));
}

// The work owns what it writes: this coroutine may be gone by then.
Task<Status> PostgresRunStore::keep_file(std::string name, std::string text) {
  co_return co_await files_->run<Status>([this, name = std::move(name), text = std::move(text)]() -> Status {
    if (!address_.directory.empty()) {
      auto written = write_file(fmt::format("{}/{}", address_.directory, name), text);
      if (!written) return written;
    }
    return put_file(name, text, FileUse::kept);
  });
}

Task<Status> PostgresRunStore::share_file(std::string name, std::string text) {
  co_return co_await files_->run<Status>([this, name = std::move(name), text = std::move(text)] {
    return put_file(name, text, FileUse::shared);
  });
}

Task<Result<std::optional<std::string>>> PostgresRunStore::file(std::string name) {
  return read([name = std::move(name)](RunReads& reads) { return reads.file(name); });
}

Status PostgresRunStore::bring_home() {
  if (address_.directory.empty()) return {};
  writer_.reset();  // commits what was put
  files_.reset();
  return bring_run_home(address_, run_, identity_);
}

template <class Ask>
auto PostgresRunStore::read(Ask ask) -> Task<decltype(ask(std::declval<RunReads&>()))> {
  using T = decltype(ask(std::declval<RunReads&>()));
  co_return co_await reading_->run<T>([this, ask = std::move(ask)] { return ask(reads_); });
}

Task<Result<std::vector<std::string>>> PostgresRunStore::notes() {
  return read([](RunReads& reads) { return reads.notes(); });
}
Task<Result<std::vector<PlanText>>> PostgresRunStore::texts() {
  return read([](RunReads& reads) { return reads.texts(); });
}
Task<Result<std::vector<EffectRow>>> PostgresRunStore::effects_of(std::int64_t case_index,
                                                                  Requests requests) {
  return read([=](RunReads& reads) { return reads.effects_of(case_index, requests); });
}
Task<Result<CaseStates>> PostgresRunStore::states(std::vector<std::string> outcomes_to_retry) {
  return read([again = std::move(outcomes_to_retry)](RunReads& reads) { return reads.states(again); });
}
Task<Result<std::vector<OutcomeRow>>> PostgresRunStore::outcomes(std::int64_t first, std::size_t most) {
  return read([first, most](RunReads& reads) { return reads.outcomes(first, most); });
}
Task<Result<RunTotals>> PostgresRunStore::totals() {
  return read([](RunReads& reads) { return reads.totals(); });
}
Task<Result<std::optional<EffectRow>>> PostgresRunStore::find_answer(Digest request_hash, std::string step,
                                                                     int attempt) {
  return read([request_hash, step = std::move(step), attempt](RunReads& reads) {
    return reads.find_answer(request_hash, step, attempt);
  });
}

}  // namespace assay::postgres
