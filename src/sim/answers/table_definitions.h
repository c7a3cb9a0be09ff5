// Database tables as prompts and tool descriptions describe them, in the forms that people write:
//
//   CREATE TABLE tickets (id INTEGER PRIMARY KEY, status TEXT)
//   tickets(id, status), tickets (id integer, status text)
//   - tickets: id, status
//   Table: tickets / Columns: id, status      (on two lines)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::sim {

struct TableDefinition {
  std::string name;  // may have a schema: public.tickets
  std::vector<std::string> columns;
};

// In order of appearance, each name once, at most 64. Prose that looks like a definition may be taken for
// one.
std::vector<TableDefinition> definitions_in(std::string_view text);

}  // namespace assay::sim
