// What the databases behind sql_query.h share: the query on its thread, and the rows of its answer under
// their caps.
#pragma once

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/error.h"
#include "core/json/json.h"
#include "tools/sql/sql_query.h"

namespace assay {

// The thread may outlive everybody who waits, even the loop: it may be inside one long step of the database.
struct SqlRun {
  SqlQuery query;
  std::stop_token stop;  // at the deadline, or when nobody waits any more
  std::atomic<bool> saw_lock = false;
};

// Of kind target: the query is wrong.
Error sql_error(std::string message);

// How long a single value may be: max_bytes, or 1 MiB if that is more.
std::size_t longest_value(const SqlQuery& query);

// "X'00FF'"
std::string hexadecimal(const unsigned char* bytes, std::size_t size);

class SqlRows {
 public:
  // `query` must outlive this. A name that comes again gets a number, but never the name of another column.
  SqlRows(const SqlQuery& query, std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  // Whether a further row that has at least `bytes` bytes as JSON may come. So what would not fit is not even
  // copied. False, here and below, ends the answer: it says then that it was truncated, and why.
  bool has_room(std::size_t bytes);
  bool add(JsonObject row);
  // The answer as run_sql_query gives it.
  Json take();

 private:
  void say_too_large();

  const SqlQuery& query_;
  std::vector<std::string> names_;
  JsonArray rows_;
  std::size_t bytes_left_;
  std::string truncated_;
};

}  // namespace assay
