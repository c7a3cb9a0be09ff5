// The tables of run.db, and rows to and from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/journal_chain.h"
#include "store/run_store.h"
#include "store/sqlite.h"

namespace assay::run_tables {

// Columns of an effect, for SELECT and INSERT.
inline constexpr const char* kEffectColumns =
    "case_index, step, attempt, kind, request_hash, request, reply, model, prompt_tokens, completion_tokens, "
    "cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, finished, reused";

// In one transaction, in a file that nobody else knows yet. Gives the head of its first commit.
Result<Digest> make(Database& database, const RunIdentity& identity, const std::vector<PlanText>& texts);
// That this version of the program can read what is there.
Status check_format(Database& database);
Result<RunIdentity> identity(Database& database);
// In the order of their names.
Result<std::vector<PlanText>> texts(Database& database);
// Of commits, in their order.
Result<std::vector<std::string>> notes(Database& database);

// kEffectColumns from `first` on; valid until the next step().
EffectRow effect(const Statement& row);
EffectValues effect_values(const Statement& row, int first);
void bind(Statement& insert, std::int64_t row_number, const EffectRow& row);
inline constexpr const char* kOutcomeColumns = "case_index, case_id, outcome, result";
OutcomeRow outcome(const Statement& row);
OutcomeValues outcome_values(const Statement& row, int first);
void bind(Statement& insert, std::int64_t row_number, const OutcomeRow& row);

inline constexpr const char* kCommitColumns = "number, last_row, sitting, worked_ms, anew, note, head";
inline constexpr const char* kInsertCommit =
    "INSERT INTO commits(number, last_row, sitting, worked_ms, anew, note, head) VALUES(?,?,?,?,?,?,?)";
struct WrittenCommit {
  JournalCommit commit;
  Digest head{};
};
WrittenCommit commit(const Statement& row);
Status insert_commit(Statement& insert, const JournalCommit& commit, const Digest& head);

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
