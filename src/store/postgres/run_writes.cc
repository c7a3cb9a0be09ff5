#include "store/postgres/run_writes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/run_reads.h"

namespace assay::postgres {
namespace {

constexpr std::size_t kStatementBytes = std::size_t{8} << 20U;  // of texts that go over in one statement
constexpr std::chrono::seconds kTell(1);  // how long a sitting may have worked before that is written again

constexpr Statement kShare{
    "assay_share",
    "INSERT INTO assay_shared_texts(run, hash, before, text) SELECT $1::bigint, * FROM "
    "unnest($2::bytea[], $3::bytea[], $4::bytea[]) ON CONFLICT DO NOTHING"};
constexpr Statement kWorked{
    "assay_worked",
    "INSERT INTO assay_sittings(run, sitting, worked_ms) VALUES($1::bigint, $2::bigint, "
    "$3::bigint) ON CONFLICT (run, sitting) DO UPDATE SET worked_ms = excluded.worked_ms"};
constexpr Statement kNote{
    "assay_note",
    "INSERT INTO assay_notes(run, sitting, number, text) VALUES($1::bigint, $2::bigint, "
    "$3::bigint, $4::bytea) ON CONFLICT DO NOTHING"};
// It goes on here.
constexpr Statement kNotHome{"assay_not_home",
                             "UPDATE assay_runs SET home = NULL WHERE run = $1::bigint AND home IS NOT NULL"};

auto key_of(const EffectRow& row) {
  return std::tie(row.key.case_index, row.key.step, row.key.attempt);
}

}  // namespace

Result<std::optional<std::int64_t>> RunWrites::SharedRows::find(const Digest& /*hash*/) {
  return std::nullopt;
}

Result<std::int64_t> RunWrites::SharedRows::add(const SharedText& text) {
  const std::int64_t number = ++last_;
  New row{std::string(short_hash(text.hash)), std::nullopt, std::string(text.text)};
  if (text.before) row.before = std::string(hash_of(*text.before));
  hashes_[static_cast<std::size_t>(number) % kKept] = row.hash;
  added_.push_back(std::move(row));
  return number;
}

RunWrites::RunWrites(std::unique_ptr<LastingConnection> connection, std::int64_t run,
                     std::optional<Sitting> sitting)
    : connection_(std::move(connection)), run_(run), sitting_(std::move(sitting)) {}

Result<std::vector<RunWrites::Standing>> RunWrites::commit(std::span<const Row* const> rows) {
  std::vector<const EffectRow*> effects;
  std::map<std::int64_t, const OutcomeRow*> by_case;  // one statement may touch a row once
  std::vector<const Note*> notes;
  for (const Row* row : rows) {
    if (const auto* effect = std::get_if<EffectRow>(row)) effects.push_back(effect);
    if (const auto* note = std::get_if<Note>(row); note != nullptr && !note->text.empty())
      notes.push_back(note);
    const auto* outcome = std::get_if<OutcomeRow>(row);
    if (outcome == nullptr) continue;
    const auto [there, fresh] = by_case.try_emplace(outcome->case_index, outcome);
    if (!fresh && !there->second->stands) there->second = outcome;
  }
  // Whoever else writes the same keys does it in the same order, so that nobody waits for nobody.
  std::ranges::sort(effects, [](const auto* a, const auto* b) { return key_of(*a) < key_of(*b); });
  std::vector<const OutcomeRow*> outcomes;
  outcomes.reserve(by_case.size());
  for (const auto& [index, outcome] : by_case) outcomes.push_back(outcome);
  auto group = group_of(effects, outcomes, notes);
  if (!group) return fail(std::move(group.error()));
  bool all_ours = true;
  if (!group->steps.empty()) {
    auto done = connection_->ask([&](Connection& connection) { return connection.commit(group->steps); });
    if (!done) {
      Error error = std::move(done.error());
      error.kind = ErrorKind::journal;
      return fail(std::move(error));
    }
    for (const auto& [step, count] : group->effects) all_ours = all_ours && (*done)[step].changed() == count;
  }
  if (all_ours) return std::vector<Standing>(rows.size());
  return standing(rows);
}

Result<RunWrites::Group> RunWrites::group_of(std::span<const EffectRow* const> effects,
                                             std::span<const OutcomeRow* const> outcomes,
                                             std::span<const Note* const> notes) {
  Group group;
  if (sitting_ && !told_) {
    if (auto begun = sitting_->begin(); !begun) return fail(std::move(begun.error()));
    group.steps.push_back({kNotHome, Values().integer(run_)});
  }
  if (auto added = add_effects(group, effects); !added) return fail(std::move(added.error()));
  OutcomeColumns columns;
  for (const OutcomeRow* row : outcomes) columns.add(*row);
  if (columns.size() > 0) group.steps.push_back({kInsertOutcomes, columns.values(run_)});
  add_sitting(group.steps, notes);
  return group;
}

// Shared texts come before the rows that name them.
Status RunWrites::add_effects(Group& group, std::span<const EffectRow* const> effects) {
  EffectColumns columns;
  std::deque<std::string> hashes;  // that the columns view
  Steps insert;
  std::vector<std::int64_t> counts;
  const auto flush = [&] {
    if (columns.size() == 0) return;
    counts.push_back(static_cast<std::int64_t>(columns.size()));
    insert.push_back({kInsertEffects, columns.values(run_)});
    columns = EffectColumns();
  };
  const auto before_of = [&](const SharedTexts::Split& split) -> std::optional<std::string_view> {
    if (!split.before) return std::nullopt;
    return hashes.emplace_back(shared_rows_.hash_of(*split.before));
  };
  for (const EffectRow* row : effects) {
    auto request = shared_texts_.split(row->request, row->request_prefixes, shared_rows_);
    if (!request) return fail(std::move(request.error()));
    auto reply = shared_texts_.split(row->reply, row->reply_prefixes, shared_rows_);
    if (!reply) return fail(std::move(reply.error()));
    columns.add(*row, {before_of(*request), request->own, before_of(*reply), reply->own});
    if (columns.bytes() >= kStatementBytes) flush();
  }
  flush();
  add_shared_texts(group.steps);
  for (std::size_t i = 0; i < insert.size(); ++i) {
    group.effects.emplace_back(group.steps.size(), counts[i]);
    group.steps.push_back(std::move(insert[i]));
  }
  return {};
}

void RunWrites::add_shared_texts(Steps& steps) {
  auto added = shared_rows_.take();
  std::ranges::sort(added, {}, &SharedRows::New::hash);
  for (std::size_t next = 0; next < added.size();) {
    std::vector<std::string_view> hashes;
    std::vector<std::optional<std::string_view>> before;
    std::vector<std::string_view> texts;
    for (std::size_t bytes = 0; next < added.size() && bytes < kStatementBytes; ++next) {
      const SharedRows::New& row = added[next];
      hashes.push_back(row.hash);
      before.push_back(row.before ? std::optional<std::string_view>(*row.before) : std::nullopt);
      texts.push_back(row.text);
      bytes += row.text.size();
    }
    steps.push_back({kShare, Values().integer(run_).blobs(hashes).blobs_or_nulls(before).blobs(texts)});
  }
}

void RunWrites::add_sitting(Steps& steps, std::span<const Note* const> notes) {
  if (!sitting_) return;
  const auto now = std::chrono::steady_clock::now();
  // A group with nothing else is there to tell it.
  if (steps.empty() || !notes.empty() || !told_ || now - *told_ >= kTell) {
    const auto worked = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_).count();
    steps.push_back({kWorked, Values().integer(run_).integer(sitting_->number).integer(worked)});
    told_ = now;
    sitting_->goes_on();
  }
  for (const Note* note : notes) {
    steps.push_back(
        {kNote, Values().integer(run_).integer(sitting_->number).integer(next_note_++).bytes(note->text)});
  }
}

// Of each effect the row that its key has now; ours, if it says the same.
Result<std::vector<RunWrites::Standing>> RunWrites::standing(std::span<const Row* const> rows) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM assay_effects JOIN unnest($2::bigint[], $3::bytea[], $4::bigint[]) AS asked(a, b, c) "
      "ON "
      "case_index = a AND step = b AND attempt = c WHERE run = $1::bigint",
      effect_columns(Requests::left_out));
  const Statement statement{"assay_standing", sql.c_str()};
  std::vector<std::int64_t> indices;
  std::vector<std::string_view> steps;
  std::vector<std::int64_t> attempts;
  for (const Row* row : rows) {
    const auto* effect = std::get_if<EffectRow>(row);
    if (effect == nullptr) continue;
    indices.push_back(effect->key.case_index);
    steps.push_back(effect->key.step);
    attempts.push_back(effect->key.attempt);
  }
  SharedTextReader shared;
  auto there = connection_->ask([&](Connection& connection) -> Result<std::vector<EffectRow>> {
    auto found =
        connection.run(statement, Values().integer(run_).integers(indices).blobs(steps).integers(attempts));
    if (!found) return fail(std::move(found.error()));
    return shared.whole(connection, run_, effects_in(*found), Requests::left_out);
  });
  if (!there) return fail(std::move(there.error()));
  std::map<std::tuple<std::int64_t, std::string, int>, const EffectRow*> by_key;
  for (const EffectRow& row : *there) by_key.emplace(key_of(row), &row);
  std::vector<Standing> all;
  for (const Row* row : rows) {
    Standing& answer = all.emplace_back();
    const auto* effect = std::get_if<EffectRow>(row);
    if (effect == nullptr) continue;
    const auto found = by_key.find(key_of(*effect));
    if (found == by_key.end())
      return fail(ErrorKind::journal, "PostgreSQL: an answer that was committed is gone");
    if (digest_of(*found->second) != digest_of(*effect)) answer = *found->second;
  }
  return all;
}

}  // namespace assay::postgres
