// The database that an evaluation store is in: how it is opened, how a group of writes is committed, and what
// happens when it fails.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "store/address.h"
#include "store/data/data_sql.h"

namespace assay {

// What the writer remembers of numbers that it has seen in the tables.
enum class Numbers {
  valid,
  doubtful,  // others may have changed them, or what it had written was taken back
};

class DataDatabase {
 public:
  // Makes what is not there, but no directory.
  static Result<std::unique_ptr<DataDatabase>> open(const StoreAddress& address);
  // For reading alone, and nothing is made.
  static Result<std::unique_ptr<DataSql>> open_reader(const StoreAddress& address);

  virtual ~DataDatabase() = default;

  virtual DataSql& writer() = 0;
  virtual Result<std::unique_ptr<DataSql>> reader() = 0;
  // What `write` asks of writer(), in one transaction: when this returns without an error it is durable, and
  // else nothing of it is there. `write` may be called again where an attempt was lost.
  virtual Status commit(const std::function<Status(Numbers numbers)>& write) = 0;
  // Whether writing can go on after a commit that failed. If not, nothing may be written any more.
  virtual bool goes_on_after_failure() const = 0;
  // Whether other processes may have it open as well.
  virtual bool shared() const = 0;
};

}  // namespace assay
