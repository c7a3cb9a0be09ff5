// Tables that grow with the program: each part of a database (runs, the data of the service) has a number,
// and the steps that lead from one number to the next. Whoever comes first takes those that are missing, in
// one transaction; whoever comes at the same time waits for that.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "store/postgres/connection.h"

namespace assay::postgres {

struct Migrations {
  std::string_view part;               // "runs"
  std::span<const char* const> steps;  // the first makes number 1; a step that was released is never changed
};

// The part is at the number of its last step. Kind journal if another version of assay has made it newer. A
// role that may make no tables can use what is there.
Status bring_up(Connection& connection, const Migrations& migrations);
// Whether the part is there at all; makes nothing.
Result<bool> is_there(Connection& connection, const Migrations& migrations);

}  // namespace assay::postgres
