// The tables of run.db, and rows to and from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/run_store.h"
#include "store/sqlite.h"

namespace assay::run_tables {

// Columns of an effect, for SELECT and INSERT.
inline constexpr const char* kEffectColumns =
    "case_index, step, attempt, kind, request_hash, request, reply, model, prompt_tokens, completion_tokens, "
    "cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, finished, reused";

// In one transaction, in a file that nobody else knows yet.
Status make(Database& database, const RunIdentity& identity, const std::vector<PlanText>& texts);
// That this version of the program can read what is there.
Status check_format(Database& database);
Result<RunIdentity> identity(Database& database);

EffectRow effect(const Statement& row);
void bind(Statement& insert, const EffectRow& row);
OutcomeRow outcome(const Statement& row);
void bind(Statement& insert, const OutcomeRow& row);

// All rows of a query, each read by `read`.
template <class Read>
auto rows(Statement& query, const Read& read) -> Result<std::vector<decltype(read(query))>> {
  std::vector<decltype(read(query))> list;
  for (;;) {
    auto more = query.step();
    if (!more) return fail(std::move(more.error()));
    if (!*more) return list;
    list.push_back(read(query));
  }
}

}  // namespace assay::run_tables
