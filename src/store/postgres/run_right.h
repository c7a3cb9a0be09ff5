// The right to a run in PostgreSQL: an advisory lock of the session that writes. It ends with the connection,
// however that ends. A connection that broke is made again with it, or not at all: where somebody else has
// taken the run over meanwhile, nothing more is written here.
#pragma once

#include <memory>
#include <string>

#include "core/error.h"
#include "store/postgres/lasting_connection.h"
#include "store/run_store.h"

namespace assay::postgres {

// Kind journal if another process has it.
Result<std::unique_ptr<LastingConnection>> take_right(const StoreAddress& store, const std::string& run_id);
// Whether somebody has it: a look.
Result<bool> right_is_taken(Connection& connection, const std::string& run_id);

// Both rights: to the run, and to its directory if that is here.
class SharedRunLock final : public RunLock {
 public:
  SharedRunLock(std::unique_ptr<LastingConnection> its_session, std::unique_ptr<RunLock> its_directory)
      : session(std::move(its_session)), directory(std::move(its_directory)) {}
  std::unique_ptr<LastingConnection> session;
  std::unique_ptr<RunLock> directory;  // may be null
};

}  // namespace assay::postgres
