// Which store an address means.
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "store/postgres/runs.h"
#include "store/run_store.h"
#include "store/sqlite_runs.h"

namespace assay {
namespace {

// For reading, a journal that was brought home is the one to read, though its end was cut off before the file
// that says where it was had gone.
enum class Purpose { read, write };

// The address with all that its directory says.
Result<RunAddress> completed(const RunAddress& address, Purpose purpose) {
  if (address.directory.empty()) return address;
  auto place = journal_place(address.directory);
  if (!place) return fail(std::move(place.error()));
  if (!*place) return address;
  if (purpose == Purpose::read && sqlite_runs::holds_run(address.directory))
    return RunAddress(address.directory);
  if (!address.store) return std::move(**place);
  if (!address.store->same_place(*(*place)->store)) {
    return fail(Error{ErrorKind::usage,
                      fmt::format("the journal of this run is in {}, not in {}", (*place)->store->shown(),
                                  address.store->shown()),
                      {{"directory", address.directory}}});
  }
  // It may know a password.
  return RunAddress(address.directory, *address.store, (*place)->run_id);
}

}  // namespace

bool RunStore::holds_run(const RunAddress& address) {
  if (address.directory.empty()) return postgres_runs::holds_run(address);
  return sqlite_runs::holds_run(address.directory) ||
         file_exists(fmt::format("{}/{}", address.directory, kJournalPlaceFile));
}

bool RunStore::is_locked(const RunAddress& address) {
  return address.directory.empty() ? postgres_runs::is_locked(address)
                                   : sqlite_runs::is_locked(address.directory);
}

// The directory first: whoever has it may look at what it says.
Result<std::unique_ptr<RunLock>> RunStore::lock(const RunAddress& address) {
  std::unique_ptr<RunLock> directory;
  if (!address.directory.empty()) {
    auto taken = sqlite_runs::lock(address.directory);
    if (!taken) return taken;
    directory = std::move(*taken);
  }
  auto whole = completed(address, Purpose::write);
  if (!whole) return fail(std::move(whole.error()));
  if (!whole->store || whole->run_id.empty()) return directory;
  return postgres_runs::lock(*whole, std::move(directory));
}

Result<std::unique_ptr<RunStore>> RunStore::create(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                   const RunIdentity& identity,
                                                   const std::vector<PlanText>& texts) {
  if (!address.store) return sqlite_runs::create(address.directory, std::move(lock), identity, texts);
  if (!address.directory.empty() && holds_run(address)) {
    return fail(Error{ErrorKind::journal,
                      "holds a run already; finish it with `assay resume`, or choose another --output-dir",
                      {{"directory", address.directory}}});
  }
  return postgres_runs::create(address, std::move(lock), identity, texts);
}

Result<std::unique_ptr<RunStore>> RunStore::open(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                 Damage damage) {
  auto whole = completed(address, lock ? Purpose::write : Purpose::read);
  if (!whole) return fail(std::move(whole.error()));
  if (!whole->store) return sqlite_runs::open(whole->directory, std::move(lock), damage);
  if (whole->run_id.empty()) return postgres_runs::take_up_again(*whole, std::move(lock), damage);
  return postgres_runs::open(*whole, std::move(lock), damage);
}

Result<std::unique_ptr<RunStore>> RunStore::join(const RunAddress& address) {
  auto whole = completed(address, Purpose::write);
  if (!whole) return fail(std::move(whole.error()));
  if (!whole->store) {
    return fail(
        Error{ErrorKind::usage,
              "the journal of this run is in its directory, where one process alone may write; to work on "
              "it from several, begin it with --store postgres://…",
              {{"directory", whole->directory}}});
  }
  return postgres_runs::join(*whole);
}

Result<RunIdentity> read_identity(const RunAddress& address) {
  auto whole = completed(address, Purpose::read);
  if (!whole) return fail(std::move(whole.error()));
  return whole->store ? postgres_runs::read_identity(*whole) : sqlite_runs::read_identity(whole->directory);
}

Result<RunGlance> glance_at(const RunAddress& address) {
  auto whole = completed(address, Purpose::read);
  if (!whole) return fail(std::move(whole.error()));
  return whole->store ? postgres_runs::glance_at(*whole) : sqlite_runs::glance_at(whole->directory);
}

Result<JournalReport> check_journal(const RunAddress& address) {
  auto whole = completed(address, Purpose::read);
  if (!whole) return fail(std::move(whole.error()));
  return whole->store ? postgres_runs::check_journal(*whole) : sqlite_runs::check_journal(whole->directory);
}

}  // namespace assay
