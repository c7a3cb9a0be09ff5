// Where a run is kept: which run it is, its plan, every effect (one call to the outside world) and every
// outcome (one finished case). What a put() has said is on the disk. Opened by address: a run's directory, in
// which SQLite's `run.db` holds all of it, so that a copied directory is a copied run; or PostgreSQL, where
// workers on other machines write it too, until its end brings it into the directory.
//
// Writes may come from any loop's thread, are committed in groups by one writer thread, and resume their
// coroutine on its own loop after the commit; reads are tasks too, so that no loop waits for a disk. After a
// failed commit nothing more is accepted. One process has the right to a run: it is locked while a store is
// open for writing. Who joins a run in PostgreSQL puts answers and outcomes without it; each stands under its
// key, and the first that came stays. Reading locks nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/prefixed_text.h"
#include "core/sha256.h"
#include "core/task.h"
#include "store/run_address.h"

namespace assay {

struct EffectKey {
  std::int64_t case_index = 0;
  std::string step;  // "judge/verdicts": unique inside a case
  int attempt = 1;
  bool operator==(const EffectKey&) const = default;
};

// In the place of a case's index: rows that belong to the run itself, such as those of its batches. They are
// no requests, and count in no total.
inline constexpr std::int64_t kRunItself = -1;

struct EffectRow {
  EffectKey key;
  std::string kind;  // model, command, http, …
  Digest request_hash{};
  std::string request;  // JSON, without secrets: what was really asked
  std::string reply;    // JSON
  // Where in them prefixes end that other rows may share; for put() only, and none is right too.
  PrefixEnds request_prefixes = {};
  PrefixEnds reply_prefixes = {};
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
  // False: a later sitting tries the case again, and its outcome takes this one's place. One that stands
  // stays, whoever else puts another.
  bool stands = true;
};

// What identifies a run; written once, compared on resume.
struct RunIdentity {
  std::string run_id;
  std::string evaluation;
  std::string assay;    // version that began it
  std::string started;  // ISO 8601
  std::string
      config;  // JSON: everything in the config that decides answers, and fingerprints of the plan's texts
  std::string data_path;
  std::string data_hash;
  std::int64_t cases = 0;  // that the data held when it began; 0: unknown
};

// A text that the evaluation reads beside its cases: a prompt, a persona, a task.
struct PlanText {
  std::string name;
  std::string text;
  bool operator==(const PlanText&) const = default;
};

struct RunTotals {
  std::int64_t requests = 0;  // tries included
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cost_picousd = 0;
  bool cost_known = true;  // false if any row has no price
  std::int64_t reused = 0;
  double worked_seconds = 0;           // of all sittings, up to their last commits
  std::int64_t retries = 0;            // of the requests: tries of one call beyond its first
  std::int64_t repairs = 0;            // calls that asked a model again for an answer that could be used
  std::vector<std::string> simulated;  // models of the simulator that answered, sorted: "sim/judge"
};

// Which cases have come how far; sorted indices.
struct CaseStates {
  std::vector<std::int64_t> ended;     // have an outcome
  std::vector<std::int64_t> finished;  // have one that stands: a resume does not try them again
  std::vector<std::int64_t> begun;     // have effects, and no outcome that stands
};

// The right to a run, for one process. The kernel lets go of it when the process dies, however it dies; a
// server does when the connection ends.
class RunLock {
 public:
  virtual ~RunLock() = default;
};

// Whether effects are read with what was asked: a replay knows it, and needs the hash alone.
enum class Requests { left_out, whole };

// What to do with a journal that is not as it was written.
enum class Damage {
  refuse,
  accept,  // go on with what it holds, which is noted in it
};

class RunStore {
 public:
  // The right to write what is, or will be, at this address; its directory, if it has one, is there. An error
  // if somebody has it.
  static Result<std::unique_ptr<RunLock>> lock(const RunAddress& address);

  // Whether somebody has that right now: on this machine, if the run's directory is here. A look, which keeps
  // nobody from taking it.
  static bool is_locked(const RunAddress& address);

  // Whether there is a run at this address. Asks no server where the directory knows.
  static bool holds_run(const RunAddress& address);
  // Into the store that the address names, or else into the directory.
  static Result<std::unique_ptr<RunStore>> create(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                  const RunIdentity& identity,
                                                  const std::vector<PlanText>& texts);
  // For writing, or without a lock for reading. For writing, everything that was written to a directory is
  // held against its chain of hashes first (PostgreSQL holds each row against its own when it reads it);
  // nothing changes before the first put().
  static Result<std::unique_ptr<RunStore>> open(const RunAddress& address, std::unique_ptr<RunLock> lock,
                                                Damage damage = Damage::refuse);
  // For a worker: writes beside the one who has the right, and beside others. Only where several may write.
  static Result<std::unique_ptr<RunStore>> join(const RunAddress& address);
  virtual ~RunStore() = default;  // commits what was put, then stops the writer

  virtual const RunIdentity& identity() const = 0;

  // Done when it is durable. Not of a store that is open for reading. Nothing, or the answer that stood under
  // the key already: then that one counts, and this one was in vain.
  virtual Task<Result<std::optional<EffectRow>>> put(EffectRow row) = 0;
  virtual Task<Status> put(OutcomeRow row) = 0;
  // A commit without rows: how long the sitting has worked by now, and what a reader should know; mostly
  // nothing.
  virtual Task<Status> note(std::string text) = 0;
  // Writes a file of the run ("task-openai-variation0.yaml"), whole and durable, in the order of the calls.
  virtual Task<Status> keep_file(std::string name, std::string text) = 0;
  // A file for those who join the run (its config), which they read with file(). Nothing where nobody can.
  virtual Task<Status> share_file(std::string name, std::string text) = 0;
  // What was kept or shared under this name; nothing if nothing was.
  virtual Task<Result<std::optional<std::string>>> file(std::string name) = 0;

  // The run has ended and its files are to be sealed: a journal that is elsewhere comes into the directory,
  // in an order of its own, so that it is that of any run. Blocks; before close().
  virtual Status bring_home() = 0;
  // Closes the journal, as the destructor does, and gives back the lock; nothing may be asked afterwards.
  virtual std::unique_ptr<RunLock> close() = 0;

  // What was noted, in the order of the commits.
  virtual Task<Result<std::vector<std::string>>> notes() = 0;
  virtual Task<Result<std::vector<PlanText>>> texts() = 0;
  // In the order of their writing.
  virtual Task<Result<std::vector<EffectRow>>> effects_of(std::int64_t case_index, Requests requests) = 0;
  virtual Task<Result<CaseStates>> states(std::vector<std::string> outcomes_to_retry) = 0;
  // In the order of their indices, from `first` on, at most so many.
  virtual Task<Result<std::vector<OutcomeRow>>> outcomes(std::int64_t first, std::size_t most) = 0;
  // Over all cases.
  virtual Task<Result<RunTotals>> totals() = 0;
  // An answer to the same request at the same step, whatever case it was for (`--reuse`); without the
  // request.
  virtual Task<Result<std::optional<EffectRow>>> find_answer(Digest request_hash, std::string step,
                                                             int attempt) = 0;
};

// Which run the address holds; locks nothing.
Result<RunIdentity> read_identity(const RunAddress& address);

// How far a run is, at a glance: for lists. Locks nothing.
struct RunGlance {
  RunIdentity identity;
  std::int64_t outcomes = 0;
  std::int64_t errored = 0;  // of them, not scored
  RunTotals totals;
};
Result<RunGlance> glance_at(const RunAddress& address);

// What a journal holds, each row held against the chain of hashes, or in PostgreSQL against its own.
struct JournalReport {
  std::string kept_in = {};  // the store; empty: the run's directory
  std::int64_t commits = 0;
  std::int64_t effects = 0;
  std::int64_t outcomes = 0;
  Digest head{};
  std::vector<std::string> notes;  // of commits, in their order
  std::string defect;              // what is not as it was written, in a sentence; empty: nothing
};
// Locks nothing. An error if the journal cannot be read to its end.
Result<JournalReport> check_journal(const RunAddress& address);

// The file name inside a run's directory.
inline constexpr const char* kJournalFile = "run.db";

}  // namespace assay
