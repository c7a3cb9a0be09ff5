// Where a run is: the directory of its files, which holds its journal or says where that is, or, for who
// works on the run elsewhere, the store that holds the journal and the run's id there.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "store/address.h"

namespace assay {

struct RunAddress {
  // A directory is the address of its run; what it says of its journal counts.
  RunAddress(std::string its_directory)
      : directory(std::move(its_directory)) {}                         // NOLINT(google-explicit-constructor)
  RunAddress(const char* its_directory) : directory(its_directory) {}  // NOLINT(google-explicit-constructor)
  // A run whose files are, or will be, in the directory, and whose journal is in the store (PostgreSQL). The
  // run's id may be left to what the directory says, or to create().
  RunAddress(std::string its_directory, StoreAddress its_store, std::string its_id = {})
      : directory(std::move(its_directory)), store(std::move(its_store)), run_id(std::move(its_id)) {}
  // Without a directory: a worker's view of it.
  static RunAddress in(StoreAddress store, std::string run_id) {
    return {std::string(), std::move(store), std::move(run_id)};
  }

  std::string directory;  // empty: no files of the run are here
  std::optional<StoreAddress> store = {};
  std::string run_id = {};

  // For messages: the directory, or the run in its store.
  std::string shown() const;
};

// The file of a run's directory that says where its journal is, as long as that is not in the directory
// itself:
// {"store": "postgres://me@db/evals", "run": "20260901T083000Z-5f3a9c1e"}, without a password.
inline constexpr const char* kJournalPlaceFile = "run.db.at";

// What that file says; nothing if there is none.
Result<std::optional<RunAddress>> journal_place(const std::string& directory);
// `address` with a directory, a store and a run's id.
Status write_journal_place(const RunAddress& address);
void remove_journal_place(const std::string& directory);
// The run goes on: its time is what lists show as the last change of a run whose journal is elsewhere.
void touch_journal_place(const std::string& directory);

}  // namespace assay
