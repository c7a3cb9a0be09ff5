// A database of a test's own on a server that the tests of this program share: to begin one takes seconds.
#pragma once

#include <string>

#include <fmt/format.h>

#include "store/address.h"
#include "tests/tools/sql/postgres_server.h"

namespace assay {

class FreshDatabase {
 public:
  FreshDatabase() { server().sql("CREATE DATABASE " + name_); }

  static PostgresServer& server() {
    static PostgresServer one;
    return one;
  }
  StoreAddress address() const { return StoreAddress::read(server().url("postgres", name_)).value(); }
  // What the statements print, without the last line end.
  std::string sql(const std::string& statements) const {
    std::string printed = server().sql(statements, name_);
    while (printed.ends_with('\n')) printed.pop_back();
    return printed;
  }
  // Nobody is let in any more, and who is in is put out.
  void close() const {
    server().sql(fmt::format("ALTER DATABASE {0} ALLOW_CONNECTIONS false", name_));
    server().sql(
        fmt::format("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", name_));
  }

 private:
  static std::string next_name() {
    static int made = 0;
    return fmt::format("test_{}", ++made);
  }
  std::string name_ = next_name();
};

}  // namespace assay
