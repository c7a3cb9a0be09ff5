#include "store/postgres/run_tables.h"

#include <algorithm>
#include <cstring>
#include <ranges>

#include <fmt/format.h>

#include "core/visible.h"

namespace assay::postgres {
namespace {

// `number` tells the order of writing. `home` is the head of the journal that was brought into the directory
// of the run's files; NULL while it is here that the run goes on. A row of effects or outcomes has a `digest`
// of itself. Texts that many rows share: see store/shared_texts.h.
constexpr const char* kFirst = R"(
CREATE TABLE assay_runs(
  run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text NOT NULL UNIQUE, evaluation text NOT NULL,
  assay text NOT NULL, started text NOT NULL, config bytea NOT NULL, data_path bytea NOT NULL,
  data_hash text NOT NULL, cases bigint NOT NULL, home bytea, created timestamptz NOT NULL DEFAULT now());
CREATE TABLE assay_texts(
  run bigint NOT NULL, name bytea NOT NULL, text bytea NOT NULL, PRIMARY KEY(run, name));
CREATE TABLE assay_files(
  run bigint NOT NULL, name bytea NOT NULL, text bytea NOT NULL, kept boolean NOT NULL, PRIMARY KEY(run, name));
CREATE TABLE assay_sittings(
  run bigint NOT NULL, sitting bigint NOT NULL, worked_ms bigint NOT NULL, PRIMARY KEY(run, sitting));
CREATE TABLE assay_notes(
  run bigint NOT NULL, sitting bigint NOT NULL, number bigint NOT NULL, text bytea NOT NULL,
  PRIMARY KEY(run, sitting, number));
CREATE TABLE assay_shared_texts(
  run bigint NOT NULL, hash bytea NOT NULL, before bytea, text bytea NOT NULL, PRIMARY KEY(run, hash));
CREATE TABLE assay_effects(
  number bigint GENERATED ALWAYS AS IDENTITY, run bigint NOT NULL, case_index bigint NOT NULL,
  prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL, cached_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL, cost_picousd bigint, latency_us bigint NOT NULL,
  attempt integer NOT NULL, tries integer NOT NULL, reused boolean NOT NULL,
  kind text NOT NULL, finished text NOT NULL, step bytea NOT NULL, model bytea NOT NULL,
  request_hash bytea NOT NULL, request_before bytea, reply_before bytea, digest bytea NOT NULL,
  request bytea NOT NULL, reply bytea NOT NULL, PRIMARY KEY(run, case_index, step, attempt));
CREATE TABLE assay_outcomes(
  run bigint NOT NULL, case_index bigint NOT NULL, stands boolean NOT NULL, outcome text NOT NULL,
  case_id bytea NOT NULL, digest bytea NOT NULL, result bytea NOT NULL, PRIMARY KEY(run, case_index));
)";
constexpr const char* kSteps[] = {kFirst};

constexpr std::size_t kRemembered = std::size_t{64} << 20U;  // bytes of shared texts

// A hash over values that cannot run into one another.
class RowHash {
 public:
  explicit RowHash(std::string_view what) { text(what); }
  RowHash& number(std::int64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    hash_.update({bytes, sizeof bytes});
    return *this;
  }
  RowHash& text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    hash_.update(value);
    return *this;
  }
  std::string finish() { return std::string(short_hash(hash_.finish())); }

 private:
  Sha256 hash_;
};

std::string_view all_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::vector<std::string_view> views(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

std::optional<std::string> bytes_or_none(const Rows& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return std::string(rows.bytes(row, column));
}

std::unexpected<Error> changed(std::string what) {
  return fail(ErrorKind::journal,
              fmt::format("{} is not as it was put into the store: its row was changed afterwards", what));
}

std::string name_of(const EffectRow& row) {
  return fmt::format("the answer of case {}, step {}, attempt {}", row.key.case_index, visible(row.key.step),
                     row.key.attempt);
}

ReadEffect effect_at(const Rows& rows, int at) {
  ReadEffect read;
  EffectRow& row = read.row;
  const auto text = [&](int column) { return std::string(rows.bytes(at, column)); };
  const auto number = [&](int column) { return rows.integer(at, column); };
  row.key = {number(0), text(1), static_cast<int>(number(2))};
  row.kind = text(3);
  const std::string_view hash = rows.bytes(at, 4);
  if (hash.size() == row.request_hash.size()) std::memcpy(row.request_hash.data(), hash.data(), hash.size());
  read.request_before = bytes_or_none(rows, at, 5);
  row.request = text(6);
  read.reply_before = bytes_or_none(rows, at, 7);
  row.reply = text(8);
  row.model = text(9);
  row.prompt_tokens = number(10);
  row.completion_tokens = number(11);
  row.cached_tokens = number(12);
  row.reasoning_tokens = number(13);
  row.cost_picousd = rows.integer_or_null(at, 14);
  row.latency_us = number(15);
  row.tries = static_cast<int>(number(16));
  row.finished = text(17);
  row.reused = rows.flag(at, 18);
  read.digest = text(19);
  return read;
}

Result<OutcomeRow> outcome_at(const Rows& rows, int at) {
  OutcomeRow row{rows.integer(at, 0), std::string(rows.bytes(at, 1)), std::string(rows.bytes(at, 2)),
                 std::string(rows.bytes(at, 3)), rows.flag(at, 4)};
  if (digest_of(row) != rows.bytes(at, 5))
    return changed(fmt::format("the outcome of case {}", visible(row.case_id)));
  return row;
}

}  // namespace

const Migrations kRunTables{"runs", kSteps};

std::string_view short_hash(const Digest& digest) {
  return all_of(digest).substr(0, kHashBytes);
}

std::string digest_of(const EffectRow& row) {
  RowHash hash("assay effect");
  hash.number(row.key.case_index).text(row.key.step).number(row.key.attempt).text(row.kind);
  hash.text(all_of(row.request_hash)).text(row.reply).text(row.model).text(row.finished);
  for (const std::int64_t value :
       {row.prompt_tokens, row.completion_tokens, row.cached_tokens, row.reasoning_tokens, row.latency_us,
        std::int64_t{row.tries}, std::int64_t{row.reused}, std::int64_t{row.cost_picousd.has_value()},
        row.cost_picousd.value_or(0)})
    hash.number(value);
  return hash.finish();
}

std::string digest_of(const OutcomeRow& row) {
  RowHash hash("assay outcome");
  hash.number(row.case_index).number(std::int64_t{row.stands});
  return hash.text(row.case_id).text(row.outcome).text(row.result).finish();
}

// The order of the columns below, of EffectColumns::values and of kEffectOrder is one.
const Statement kInsertEffects{
    "assay_insert_effects",
    "INSERT INTO assay_effects(run, case_index, step, attempt, kind, request_hash, request_before, request, "
    "reply_before, reply, model, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, "
    "cost_picousd, "
    "latency_us, tries, finished, reused, digest) "
    "SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::text[], $6::bytea[], "
    "$7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[], $12::bigint[], $13::bigint[], "
    "$14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::text[], $20::boolean[], "
    "$21::bytea[]) ON CONFLICT (run, case_index, step, attempt) DO NOTHING"};

void EffectColumns::add(const EffectRow& row, const Texts& texts) {
  case_index_.push_back(row.key.case_index);
  step_.push_back(row.key.step);
  attempt_.push_back(row.key.attempt);
  kind_.push_back(row.kind);
  request_hash_.push_back(all_of(row.request_hash));
  request_before_.push_back(texts.request_before);
  request_.push_back(texts.request);
  reply_before_.push_back(texts.reply_before);
  reply_.push_back(texts.reply);
  model_.push_back(row.model);
  prompt_tokens_.push_back(row.prompt_tokens);
  completion_tokens_.push_back(row.completion_tokens);
  cached_tokens_.push_back(row.cached_tokens);
  reasoning_tokens_.push_back(row.reasoning_tokens);
  cost_picousd_.push_back(row.cost_picousd);
  latency_us_.push_back(row.latency_us);
  tries_.push_back(row.tries);
  finished_.push_back(row.finished);
  reused_.push_back(row.reused);
  digest_.push_back(digest_of(row));
  bytes_ += texts.request.size() + texts.reply.size();
}

Values EffectColumns::values(std::int64_t run) const {
  Values values;
  values.integer(run).integers(case_index_).blobs(step_).integers(attempt_).texts(kind_).blobs(request_hash_);
  values.blobs_or_nulls(request_before_)
      .blobs(request_)
      .blobs_or_nulls(reply_before_)
      .blobs(reply_)
      .blobs(model_);
  values.integers(prompt_tokens_).integers(completion_tokens_).integers(cached_tokens_);
  values.integers(reasoning_tokens_).integers_or_nulls(cost_picousd_).integers(latency_us_).integers(tries_);
  values.texts(finished_).flags(reused_).blobs(views(digest_));
  return values;
}

// What a worker that came late has made of a case does not take the place of what stands.
const Statement kInsertOutcomes{
    "assay_insert_outcomes",
    "INSERT INTO assay_outcomes AS there(run, case_index, case_id, outcome, result, stands, digest) "
    "SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::bytea[], $6::boolean[], "
    "$7::bytea[]) ON CONFLICT (run, case_index) DO UPDATE SET case_id = excluded.case_id, outcome = "
    "excluded.outcome, result = excluded.result, stands = excluded.stands, digest = excluded.digest "
    "WHERE NOT there.stands"};

void OutcomeColumns::add(const OutcomeRow& row) {
  case_index_.push_back(row.case_index);
  case_id_.push_back(row.case_id);
  outcome_.push_back(row.outcome);
  result_.push_back(row.result);
  stands_.push_back(row.stands);
  digest_.push_back(digest_of(row));
}

Values OutcomeColumns::values(std::int64_t run) const {
  Values values;
  values.integer(run).integers(case_index_).blobs(case_id_).texts(outcome_).blobs(result_).flags(stands_);
  values.blobs(views(digest_));
  return values;
}

std::string effect_columns(Requests requests) {
  return fmt::format(
      "case_index, step, attempt, kind, request_hash, {}, reply_before, reply, model, prompt_tokens, "
      "completion_tokens, cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, finished, "
      "reused, digest",
      requests == Requests::whole ? "request_before, request" : "NULL::bytea, ''::bytea");
}

std::vector<ReadEffect> effects_in(const Rows& rows) {
  std::vector<ReadEffect> list;
  list.reserve(static_cast<std::size_t>(rows.count()));
  for (int row = 0; row < rows.count(); ++row) list.push_back(effect_at(rows, row));
  return list;
}

Result<std::vector<OutcomeRow>> outcomes_in(const Rows& rows) {
  std::vector<OutcomeRow> list;
  list.reserve(static_cast<std::size_t>(rows.count()));
  for (int row = 0; row < rows.count(); ++row) {
    auto outcome = outcome_at(rows, row);
    if (!outcome) return fail(std::move(outcome.error()));
    list.push_back(std::move(*outcome));
  }
  return list;
}

Status SharedTextReader::load(Connection& connection, std::int64_t run, std::vector<std::string> hashes) {
  constexpr Statement kFind{
      "assay_find_shared",
      "SELECT hash, before, text FROM assay_shared_texts WHERE run = $1::bigint AND hash = "
      "ANY($2::bytea[])"};
  if (bytes_ > kRemembered) {
    parts_.clear();
    bytes_ = 0;
  }
  while (!hashes.empty()) {
    std::ranges::sort(hashes);
    hashes.erase(std::ranges::unique(hashes).begin(), hashes.end());
    std::erase_if(hashes, [this](const std::string& hash) { return parts_.contains(hash); });
    if (hashes.empty()) return {};
    auto rows = connection.run(kFind, Values().integer(run).blobs(views(hashes)));
    if (!rows) return fail(std::move(rows.error()));
    hashes.clear();
    for (int row = 0; row < rows->count(); ++row) {
      Part part{bytes_or_none(*rows, row, 1), std::string(rows->bytes(row, 2))};
      if (part.before) hashes.push_back(*part.before);
      bytes_ += part.text.size() + 2 * kHashBytes;
      parts_.insert_or_assign(std::string(rows->bytes(row, 0)), std::move(part));
    }
  }
  return {};
}

Result<PrefixedText> SharedTextReader::joined(const std::optional<std::string>& before,
                                              std::string own) const {
  if (!before) return PrefixedText{std::move(own), {}};
  std::vector<const std::string*> parts{&own};
  for (const std::optional<std::string>* next = &before; *next;) {
    const auto found = parts_.find(**next);
    // A chain that is longer than there are texts goes in a circle.
    if (found == parts_.end() || parts.size() > parts_.size())
      return fail(ErrorKind::journal, "a text that rows of the store share is missing");
    parts.push_back(&found->second.text);
    next = &found->second.before;
  }
  PrefixedText whole;
  for (const std::string* part : std::views::reverse(parts)) {
    whole.text += *part;
    if (part != &own) whole.ends.push_back(whole.text.size());
  }
  return whole;
}

Result<std::vector<EffectRow>> SharedTextReader::whole(Connection& connection, std::int64_t run,
                                                       std::vector<ReadEffect> rows, Requests requests) {
  std::vector<std::string> hashes;
  for (const ReadEffect& read : rows) {
    if (read.request_before) hashes.push_back(*read.request_before);
    if (read.reply_before) hashes.push_back(*read.reply_before);
  }
  if (auto loaded = load(connection, run, std::move(hashes)); !loaded) return fail(std::move(loaded.error()));
  std::vector<EffectRow> effects;
  effects.reserve(rows.size());
  for (ReadEffect& read : rows) {
    EffectRow& row = read.row;
    auto request = joined(read.request_before, std::move(row.request));
    auto reply = joined(read.reply_before, std::move(row.reply));
    if (!request || !reply) return changed(name_of(row));
    row.request = std::move(request->text);
    row.request_prefixes = std::move(request->ends);
    row.reply = std::move(reply->text);
    row.reply_prefixes = std::move(reply->ends);
    if (digest_of(row) != read.digest ||
        (requests == Requests::whole && sha256(row.request) != row.request_hash))
      return changed(name_of(row));
    effects.push_back(std::move(row));
  }
  return effects;
}

}  // namespace assay::postgres
