// An evaluation store in a PostgreSQL database, which any number of processes may have open. All of it is in
// the schema `assay_data`.
//
// Each group of writes takes a lock on the store for its transaction, so that groups of all processes follow
// one another: numbers are given out in the order of the commits, and nobody who has read up to a number can
// miss one below it that is committed later.
//
// A server that goes away is waited for. What became of a commit that it did not confirm is seen by a mark
// that was committed with it, so that nothing is written twice and nothing that was told is missing.
#pragma once

#include <memory>

#include "core/error.h"
#include "store/address.h"
#include "store/data/data_database.h"

namespace assay {

Result<std::unique_ptr<DataDatabase>> open_postgres_data(const StoreAddress& address);
Result<std::unique_ptr<DataSql>> open_postgres_data_reader(const StoreAddress& address);

}  // namespace assay
