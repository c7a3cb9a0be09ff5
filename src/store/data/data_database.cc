#include "store/data/data_database.h"

#include <utility>

#include "store/data/data_store.h"
#include "store/data/postgres/postgres_data.h"
#include "store/data/sqlite_data.h"

namespace assay {
namespace {

// Where the data service keeps what it has, in the directory that is its store.
constexpr const char* kFileName = "/data.db";

}  // namespace

std::string data_file_of(const StoreAddress& address) {
  switch (address.kind()) {
    case StoreAddress::Kind::directory:
      return address.path() + kFileName;
    case StoreAddress::Kind::sqlite_file:
      return address.path();
    case StoreAddress::Kind::postgres:
      break;
  }
  return {};
}

Result<std::unique_ptr<DataDatabase>> DataDatabase::open(const StoreAddress& address) {
  return address.kind() == StoreAddress::Kind::postgres ? open_postgres_data(address)
                                                        : open_sqlite_data(data_file_of(address));
}

Result<std::unique_ptr<DataSql>> DataDatabase::open_reader(const StoreAddress& address) {
  return address.kind() == StoreAddress::Kind::postgres ? open_postgres_data_reader(address)
                                                        : open_sqlite_data_reader(data_file_of(address));
}

}  // namespace assay
