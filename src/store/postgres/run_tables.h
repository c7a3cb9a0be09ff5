// The tables of runs in PostgreSQL, and rows to and from them. What comes from outside (steps with the names
// of tools in them, replies, ids of cases) is kept as bytes, since a text of PostgreSQL takes no zero and
// nothing but UTF-8, and an answer that was paid for must not fail on that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/prefixed_text.h"
#include "core/sha256.h"
#include "store/postgres/connection.h"
#include "store/postgres/migrations.h"
#include "store/run_store.h"

namespace assay::postgres {

extern const Migrations kRunTables;

// A shared text is known by the first half of its SHA-256.
inline constexpr std::size_t kHashBytes = 16;
std::string_view short_hash(const Digest& digest);

// What a row is held against when it is read: a hash of all that it says but its request, which has its own.
std::string digest_of(const EffectRow& row);
std::string digest_of(const OutcomeRow& row);

// The parameters of kInsertEffects: columns, from rows that are there as long as this object.
class EffectColumns {
 public:
  struct Texts {
    std::optional<std::string_view> request_before;
    std::string_view request;
    std::optional<std::string_view> reply_before;
    std::string_view reply;
  };
  void add(const EffectRow& row, const Texts& texts);
  std::size_t size() const { return case_index_.size(); }
  std::size_t bytes() const { return bytes_; }
  Values values(std::int64_t run) const;

 private:
  using Integers = std::vector<std::int64_t>;
  using Texts1 = std::vector<std::string_view>;
  using Optional = std::vector<std::optional<std::string_view>>;
  std::size_t bytes_ = 0;
  Integers case_index_, attempt_, prompt_tokens_, completion_tokens_, cached_tokens_, reasoning_tokens_,
      latency_us_, tries_;
  std::vector<std::optional<std::int64_t>> cost_picousd_;
  std::vector<bool> reused_;
  Texts1 step_, kind_, request_hash_, request_, reply_, model_, finished_;
  Optional request_before_, reply_before_;
  std::vector<std::string> digest_;
};
extern const Statement kInsertEffects;

class OutcomeColumns {
 public:
  void add(const OutcomeRow& row);
  std::size_t size() const { return case_index_.size(); }
  Values values(std::int64_t run) const;

 private:
  std::vector<std::int64_t> case_index_;
  std::vector<std::string_view> case_id_, outcome_, result_;
  std::vector<bool> stands_;
  std::vector<std::string> digest_;
};
extern const Statement kInsertOutcomes;

// Rows as they are read: what a text goes on from is not put before it yet.
struct ReadEffect {
  EffectRow row;
  std::string digest;
  std::optional<std::string> request_before;
  std::optional<std::string> reply_before;
};
// Columns of a SELECT that effects_in() reads.
std::string effect_columns(Requests requests);
std::vector<ReadEffect> effects_in(const Rows& rows);
inline constexpr const char* kOutcomeColumns = "case_index, case_id, outcome, result, stands, digest";
// An error of kind journal names the first row that is not as it was put.
Result<std::vector<OutcomeRow>> outcomes_in(const Rows& rows);

// Whole texts from their parts. Remembers those that many rows share, within a bound.
class SharedTextReader {
 public:
  // The rows with their whole texts, each held against its hash; an error of kind journal names the first
  // that is not as it was put.
  Result<std::vector<EffectRow>> whole(Connection& connection, std::int64_t run, std::vector<ReadEffect> rows,
                                       Requests requests);

 private:
  struct Part {
    std::optional<std::string> before;
    std::string text;
  };
  Status load(Connection& connection, std::int64_t run, std::vector<std::string> hashes);
  // With the places where its parts end, so that who keeps it elsewhere can share them again.
  Result<PrefixedText> joined(const std::optional<std::string>& before, std::string own) const;

  std::unordered_map<std::string, Part> parts_;
  std::size_t bytes_ = 0;
};

}  // namespace assay::postgres
