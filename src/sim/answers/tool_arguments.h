// What the simulated model writes into the arguments of tools that take a language: SQL on a table whose
// definition it can see, and small Python programs on rows that it has seen. Mediocre, but it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/chat.h"
#include "sim/answers/table.h"
#include "sim/answers/table_definitions.h"
#include "sim/chance.h"

namespace assay::sim {

enum class Language { none, sql, python };

// By the argument's name and what the tool says of itself.
Language language_of(const Tool& tool, std::string_view argument);
// The first of the tool's arguments that takes this language; empty if there is none.
std::string argument_for(const Tool& tool, Language language);

// What a model has before it when it writes.
struct Writing {
  std::string_view question;    // the user's words, without examples of output
  std::string_view visible;     // instructions and other texts that may describe tables
  const Table* data = nullptr;  // the latest rows; null if none were seen
  bool simple = false;          // after an error
};

// The table for this tool: one that the tool itself describes, else one of the visible texts; by words shared
// with the tool's name and the question.
std::optional<TableDefinition> table_for(const Tool& tool, const Writing& writing);

// SELECT on that table, with the conditions, order and limit that the question's words give; a look at the
// catalogue if no table is known.
std::string write_sql(const Tool& tool, const Writing& writing, Chance chance);
// Sorts the rows by a number and prints them as JSON; without rows it prints an empty list.
std::string write_python(const Writing& writing, Chance chance);

}  // namespace assay::sim
