// The hash chain of a journal: every commit has a head, the SHA-256 of the head before it and of all that the
// commit added, in order. Whoever knows the last head knows every row before it. The writer extends the chain
// in the transaction that adds the rows, so that each state which a kill can leave behind fits its last head.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sha256.h"
#include "store/run_store.h"

namespace assay {

std::string_view bytes_of(const Digest& digest);

// Rows as the journal has them, number by number: a value that only reads as the same (2 for "reused", 2^32 +
// 1 tries) is another one. Words and shared texts stand in rows of their own, to which others refer by
// number.
struct EffectValues {
  std::int64_t case_index = 0;
  std::int64_t step = 0;  // a word, as kind and model are
  std::int64_t attempt = 0;
  std::int64_t kind = 0;
  std::string_view request_hash;
  std::optional<std::int64_t> request_before;  // the shared text that the request goes on from
  std::string_view request;
  std::optional<std::int64_t> reply_before;
  std::string_view reply;
  std::int64_t model = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<std::int64_t> cost_picousd;
  std::int64_t latency_us = 0;
  std::int64_t tries = 0;
  std::string_view finished;
  std::int64_t reused = 0;
};

struct SharedTextValues {
  std::optional<std::int64_t> before;
  std::string_view text;
  std::string_view hash;
};

struct OutcomeValues {
  std::int64_t case_index = 0;
  std::string_view case_id;
  std::string_view outcome;
  std::string_view result;
};
OutcomeValues values_of(const OutcomeRow& row);

// A commit beside its rows.
struct JournalCommit {
  std::int64_t number = 0;     // 0: the journal is made
  std::int64_t last_row = 0;   // rows are numbered over all commits
  std::int64_t sitting = 0;    // of the run, from 1
  std::int64_t worked_ms = 0;  // of the sitting, so far
  bool anew = false;           // the chain begins here, over everything that was there
  std::string note = {};       // what a reader should know of it; mostly nothing
};

class JournalChain {
 public:
  // Goes on from this head.
  explicit JournalChain(const Digest& head);
  // Begins: with which run it is and what the evaluation was made of. `texts` in the order of their names.
  JournalChain(const RunIdentity& identity, const std::vector<PlanText>& texts);

  void add_word(std::int64_t row, std::string_view word);
  void add(std::int64_t row, const SharedTextValues& shared);
  void add(std::int64_t row, const EffectValues& effect);
  void add(std::int64_t row, const OutcomeValues& outcome);
  // The head; the chain goes on from it.
  Digest commit(const JournalCommit& commit);

 private:
  void number(std::int64_t value);
  void number(const std::optional<std::int64_t>& value);
  void text(std::string_view value);
  void flush();

  Sha256 hash_;
  std::string small_;  // what was not hashed yet
};

}  // namespace assay
