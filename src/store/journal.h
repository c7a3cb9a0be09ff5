// The durable record of a run: `run.db` in the run's directory. Every effect (one call to the outside world)
// and every outcome (one finished case) is a row. Rows are handed over by the event loop, written by one
// writer thread in group commits (WAL, synchronous=FULL), and reported back only after the commit: what the
// caller has been told is on the disk. After a failed write nothing more is accepted: a journal that may have
// a hole is worse than one that ends.
//
// Only one process may write a run: the directory is locked while the journal is open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/sha256.h"

namespace assay {

struct EffectKey {
  std::int64_t case_index = 0;
  std::string step;  // "judge/verdicts": unique inside a case
  int attempt = 1;
  bool operator==(const EffectKey&) const = default;
};

struct EffectRow {
  EffectKey key;
  std::string kind;  // model, command, http
  Digest request_hash{};
  std::string request;  // JSON, without secrets
  std::string reply;    // JSON
  std::string model;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<std::int64_t> cost_picousd;  // absent: price unknown
  std::int64_t latency_us = 0;               // of the try that succeeded
  int tries = 1;
  std::string finished;  // ISO 8601
  bool reused = false;   // taken from an earlier run
};

struct OutcomeRow {
  std::int64_t case_index = 0;
  std::string case_id;
  std::string outcome;  // scored, target_failed, …
  std::string result;   // JSON
};

// What identifies a run; written once, compared on resume.
struct RunIdentity {
  std::string run_id;
  std::string evaluation;
  std::string assay;    // version that began it
  std::string started;  // ISO 8601
  std::string config;   // JSON: everything in the config that decides answers
  std::string data_path;
  std::string data_hash;
};

struct JournalTotals {
  std::int64_t requests = 0;  // tries included
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cost_picousd = 0;
  bool cost_known = true;  // false if any row has no price
  std::int64_t reused = 0;
};

class Journal {
 public:
  // What append() was given to tell its caller apart; handed back when the row is durable.
  using Ticket = void*;
  // Called on the writer's thread, once per commit, with every ticket of it; on failure with the error.
  using Committed = std::function<void(std::vector<Ticket>, Status)>;

  static Result<std::unique_ptr<Journal>> create(const std::string& directory, const RunIdentity& identity,
                                                 Committed committed);
  static Result<std::unique_ptr<Journal>> open(const std::string& directory, Committed committed);
  virtual ~Journal() = default;  // commits what was appended, then stops the writer

  virtual const RunIdentity& identity() const = 0;
  virtual void append(EffectRow row, Ticket ticket) = 0;
  virtual void append(OutcomeRow row, Ticket ticket) = 0;

  // Reading, on the thread that opened the journal.
  virtual Result<std::vector<EffectRow>> effects_of(std::int64_t case_index) = 0;
  // Sorted indices of the cases that have effects but no outcome that stands.
  virtual Result<std::vector<std::int64_t>> begun(const std::vector<std::string>& outcomes_to_retry) = 0;
  // Sorted indices of cases whose outcome stands; outcomes that a resume should try again are left out.
  virtual Result<std::vector<std::int64_t>> finished(const std::vector<std::string>& outcomes_to_retry) = 0;
  // How a case ended last; nothing if it has not.
  virtual Result<std::optional<OutcomeRow>> outcome_of(std::int64_t case_index) = 0;
  // Over these cases, or over all.
  virtual Result<JournalTotals> totals(const std::vector<std::int64_t>* cases = nullptr) = 0;
  virtual std::string path() const = 0;
};

// Which run the directory holds; locks nothing.
Result<RunIdentity> read_identity(const std::string& directory);

// Outcomes in input order, streamed with their own read connection.
class OutcomeReader {
 public:
  static Result<std::unique_ptr<OutcomeReader>> open(const std::string& directory);
  virtual ~OutcomeReader() = default;
  virtual Result<std::optional<OutcomeRow>> next() = 0;
  // That of one case, wherever next() is; nothing if it has none.
  virtual Result<std::optional<OutcomeRow>> at(std::int64_t case_index) = 0;
};

// Answers of an earlier run, found by request, step and attempt (`--reuse`). Cases may have moved.
class EarlierAnswers {
 public:
  static Result<std::unique_ptr<EarlierAnswers>> open(const std::string& directory);
  virtual ~EarlierAnswers() = default;
  virtual Result<std::optional<EffectRow>> find(const Digest& request_hash, const std::string& step,
                                                int attempt) = 0;
};

// The file name inside a run's directory.
inline constexpr const char* kJournalFile = "run.db";

}  // namespace assay
