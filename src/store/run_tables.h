// The tables of run.db, and rows to and from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "store/journal_chain.h"
#include "store/run_store.h"
#include "store/sqlite.h"

namespace assay::run_tables {

// Columns of an effect as a reader wants it, in the view `effects`; `request` may be left out.
std::string effect_columns(Requests requests);
// The same as it is kept, in the table `effect_rows`.
inline constexpr const char* kEffectRowColumns =
    "case_index, step, attempt, kind, request_hash, request_before, request, reply_before, reply, model, "
    "prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, "
    "finished, reused";
inline constexpr int kEffectRowCount = 19;
inline constexpr const char* kSharedTextColumns = "before, text, hash";

// In one transaction, in a file that nobody else knows yet. Gives the head of its first commit.
Result<Digest> make(Database& database, const RunIdentity& identity, const std::vector<PlanText>& texts);
// That this version of the program can read what is there.
Status check_format(Database& database);
Result<RunIdentity> identity(Database& database);
// In the order of their names.
Result<std::vector<PlanText>> texts(Database& database);
// Of commits, in their order.
Result<std::vector<std::string>> notes(Database& database);

// Of effect_columns().
EffectRow effect(const Statement& row);
// Of columns from `first` on; valid until the next step().
EffectValues effect_values(const Statement& row, int first);
SharedTextValues shared_text_values(const Statement& row, int first);
void bind(Statement& insert, std::int64_t row_number, const EffectValues& row);
void bind(Statement& insert, std::int64_t row_number, const SharedTextValues& row);
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

// The whole of a text that stands in the row `row` and goes on from the shared text `before`, as an SQL
// expression. NULL if a part of it is not there, or not before the one that goes on from it.
std::string whole_text(std::string_view row, std::string_view before, std::string_view text);

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
