// Holds a journal against its chain of hashes and against `run.db.head`: every row, in the order in which it
// was written. What it finds is a sentence that says what was changed and, as far as it can be known, how.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "store/journal_chain.h"
#include "store/journal_head.h"
#include "store/run_store.h"
#include "store/sqlite.h"

namespace assay {

// The last commit, from which a writer goes on.
struct JournalEnd {
  JournalCommit commit;
  Digest head{};
};

struct CheckedJournal {
  JournalReport report;
  JournalEnd end;
};

// `beside` is what stands in run.db.head, read before the database was opened: so the journal is at least as
// far, also while somebody writes. An error, kind journal, if the database is damaged.
Result<CheckedJournal> check_journal(Database& database, const Result<JournalHead>& beside);

// The chain over everything that the database holds now, up to row `last_row`.
Result<JournalChain> chain_over_all(Database& database, std::int64_t last_row);

}  // namespace assay
