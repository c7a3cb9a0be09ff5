// Answers that several runs share, whatever process they are in: a request that was answered once is not
// asked again. At an address: a directory (SQLite's answers.db in it), "sqlite:FILE", or "postgres://…".
//
// It is a convenience beside the journal, which alone decides what a run knows: an answer is put in when it
// is durable there, what cannot be read is asked for, and what cannot be written is left out. After the first
// failure it is not used any more, and whoever opened it is told once. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/sha256.h"
#include "core/task.h"
#include "store/group_commit.h"
#include "store/work_thread.h"

namespace assay {

struct CachedAnswer {
  Digest key{};
  std::string reply;  // as the journal has it: without secrets
  std::string model;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  bool operator==(const CachedAnswer&) const = default;
};

// Everything that decides an answer: what was asked (the hash of the canonical request), and the step and
// attempt that ask, by which two answers to one question (n_runs, votes) stay two. No case is in it.
Digest cache_key(std::string_view kind, const Digest& request_hash, std::string_view step, int attempt);

// One connection to where the answers are. Blocks; belongs to one thread at a time.
class CacheTable {
 public:
  virtual ~CacheTable() = default;
  virtual Result<std::optional<CachedAnswer>> find(const Digest& key) = 0;
  // All of it or nothing; an answer that is there already stays.
  virtual Status add(std::span<const CachedAnswer> answers) = 0;
};
// Both make what is missing. Kind config or io: it cannot be used, and why; no password is in the message.
Result<std::unique_ptr<CacheTable>> open_sqlite_cache(const std::string& file);
Result<std::unique_ptr<CacheTable>> open_postgres_cache(const std::string& url);

class AnswerCache {
 public:
  // `failed` hears, once and on any thread, why it is not used any more. Blocks.
  static Result<std::unique_ptr<AnswerCache>> open(const std::string& address,
                                                   std::function<void(const Error&)> failed);
  AnswerCache(std::unique_ptr<CacheTable> reading, std::unique_ptr<CacheTable> writing,
              std::function<void(const Error&)> failed);
  AnswerCache(const AnswerCache&) = delete;
  AnswerCache& operator=(const AnswerCache&) = delete;

  Task<std::optional<CachedAnswer>> find(Digest key);
  // Some time later, at the end of this object at the latest.
  void put(CachedAnswer answer);

 private:
  void give_up(const Error& error);

  std::unique_ptr<CacheTable> reading_;
  std::unique_ptr<CacheTable> writing_;
  std::function<void(const Error&)> failed_;
  std::atomic<bool> given_up_ = false;
  WorkThread reader_;
  GroupCommit<CachedAnswer> writer_;  // last: both threads use what is above
};

}  // namespace assay
