#include "store/postgres/run_reads.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace assay::postgres {
namespace {

constexpr std::int64_t kPage = 50'000;
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

std::uint64_t first_bytes(const Digest& digest) {
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

// A sum as it fits; sum(bigint) of PostgreSQL is exact, however large.
std::string sum_of(std::string_view column, std::string_view where) {
  return fmt::format("least(coalesce(sum({}) FILTER (WHERE {}), 0), 9223372036854775807)::bigint", column,
                     where);
}

const std::string& totals_sql() {
  static const std::string sql = fmt::format(
      "SELECT {}, {}, {}, {}, {}, {}, count(*) FILTER (WHERE kind IN ('model', 'embedding', 'promptql') AND "
      "cost_picousd "
      "IS NULL), "
      "count(*) FILTER (WHERE reused), {}, "
      "count(*) FILTER (WHERE kind = 'model' AND attempt > 1 AND NOT reused), "
      "(SELECT coalesce(sum(worked_ms), 0)::bigint FROM assay_sittings WHERE run = $1::bigint) "
      "FROM assay_effects WHERE run = $1::bigint AND case_index >= 0",
      sum_of("tries", "NOT reused"), sum_of("prompt_tokens", "NOT reused"),
      sum_of("completion_tokens", "NOT reused"), sum_of("cached_tokens", "NOT reused"),
      sum_of("reasoning_tokens", "NOT reused"), sum_of("cost_picousd", "true"),
      sum_of("tries - 1", "NOT reused"));
  return sql;
}

}  // namespace

Result<std::vector<std::string>> RunReads::notes() {
  auto sittings = this->sittings();
  if (!sittings) return fail(std::move(sittings.error()));
  std::vector<std::string> all;
  for (Sitting& sitting : *sittings) std::ranges::move(sitting.notes, std::back_inserter(all));
  return all;
}

Result<std::vector<RunReads::Sitting>> RunReads::sittings() {
  constexpr Statement kSittings{
      "assay_sittings",
      "SELECT s.sitting, s.worked_ms, n.text FROM assay_sittings s LEFT JOIN assay_notes n "
      "USING (run, sitting) WHERE s.run = $1::bigint ORDER BY s.sitting, n.number"};
  return connection_.ask([&](Connection& connection) -> Result<std::vector<Sitting>> {
    auto rows = connection.run(kSittings, Values().integer(run_));
    if (!rows) return fail(std::move(rows.error()));
    std::vector<Sitting> list;
    for (int row = 0; row < rows->count(); ++row) {
      if (list.empty() || list.back().number != rows->integer(row, 0))
        list.push_back({rows->integer(row, 0), rows->integer(row, 1)});
      if (!rows->is_null(row, 2)) list.back().notes.emplace_back(rows->bytes(row, 2));
    }
    return list;
  });
}

Result<std::vector<PlanText>> RunReads::texts() {
  constexpr Statement kTexts{"assay_texts",
                             "SELECT name, text FROM assay_texts WHERE run = $1::bigint ORDER BY name"};
  return connection_.ask([&](Connection& connection) -> Result<std::vector<PlanText>> {
    auto rows = connection.run(kTexts, Values().integer(run_));
    if (!rows) return fail(std::move(rows.error()));
    std::vector<PlanText> list;
    list.reserve(static_cast<std::size_t>(rows->count()));
    for (int row = 0; row < rows->count(); ++row)
      list.push_back({std::string(rows->bytes(row, 0)), std::string(rows->bytes(row, 1))});
    return list;
  });
}

Result<std::vector<std::pair<std::string, std::string>>> RunReads::kept_files() {
  constexpr Statement kFiles{
      "assay_kept_files", "SELECT name, text FROM assay_files WHERE run = $1::bigint AND kept ORDER BY name"};
  return files(kFiles, Values().integer(run_));
}

Result<std::vector<std::pair<std::string, std::string>>> RunReads::files_below(std::string_view folder) {
  constexpr Statement kFiles{"assay_files_below",
                             "SELECT substr(name, length($2::bytea) + 1), text FROM assay_files WHERE run = "
                             "$1::bigint AND substr(name, 1, length($2::bytea)) = $2::bytea ORDER BY name"};
  return files(kFiles, Values().integer(run_).bytes(folder));
}

Result<std::vector<std::pair<std::string, std::string>>> RunReads::files(const Statement& statement,
                                                                         const Values& values) {
  using Files = std::vector<std::pair<std::string, std::string>>;
  return connection_.ask([&](Connection& connection) -> Result<Files> {
    auto rows = connection.run(statement, values);
    if (!rows) return fail(std::move(rows.error()));
    Files list;
    for (int row = 0; row < rows->count(); ++row)
      list.emplace_back(std::string(rows->bytes(row, 0)), std::string(rows->bytes(row, 1)));
    return list;
  });
}

Result<std::optional<std::string>> RunReads::file(const std::string& name) {
  constexpr Statement kFile{"assay_file",
                            "SELECT text FROM assay_files WHERE run = $1::bigint AND name = $2::bytea"};
  return connection_.ask([&](Connection& connection) -> Result<std::optional<std::string>> {
    auto rows = connection.run(kFile, Values().integer(run_).bytes(name));
    if (!rows) return fail(std::move(rows.error()));
    if (rows->count() == 0) return std::nullopt;
    return std::string(rows->bytes(0, 0));
  });
}

Result<std::vector<EffectRow>> RunReads::effects(const Statement& statement, const Values& values,
                                                 Requests requests) {
  return connection_.ask([&](Connection& connection) -> Result<std::vector<EffectRow>> {
    auto rows = connection.run(statement, values);
    if (!rows) return fail(std::move(rows.error()));
    return shared_.whole(connection, run_, effects_in(*rows), requests);
  });
}

Result<std::vector<EffectRow>> RunReads::effects_of(std::int64_t case_index, Requests requests) {
  constexpr std::string_view kWhere =
      "FROM assay_effects WHERE run = $1::bigint AND case_index = $2::bigint ORDER BY number";
  static const std::string whole = fmt::format("SELECT {} {}", effect_columns(Requests::whole), kWhere);
  static const std::string without = fmt::format("SELECT {} {}", effect_columns(Requests::left_out), kWhere);
  const Statement statement = requests == Requests::whole ? Statement{"assay_effects_of", whole.c_str()}
                                                          : Statement{"assay_replies_of", without.c_str()};
  return effects(statement, Values().integer(run_).integer(case_index), requests);
}

Result<std::vector<std::int64_t>> RunReads::indices(const Statement& statement,
                                                    const std::vector<std::string>& names) {
  const std::vector<std::string_view> list(names.begin(), names.end());
  std::vector<std::int64_t> all;
  for (std::int64_t after = std::numeric_limits<std::int64_t>::min();;) {
    auto page = connection_.ask([&](Connection& connection) {
      return connection.run(statement, Values().integer(run_).texts(list).integer(after).integer(kPage));
    });
    if (!page) return fail(std::move(page.error()));
    for (int row = 0; row < page->count(); ++row) all.push_back(page->integer(row, 0));
    if (page->count() < kPage) return all;
    after = all.back();
  }
}

Result<CaseStates> RunReads::states(const std::vector<std::string>& outcomes_to_retry) {
  constexpr Statement kEnded{"assay_ended",
                             "SELECT case_index FROM assay_outcomes WHERE run = $1::bigint AND case_index > "
                             "$3::bigint AND $2::text[] IS NOT NULL ORDER BY case_index LIMIT $4::bigint"};
  constexpr Statement kFinished{
      "assay_finished",
      "SELECT case_index FROM assay_outcomes WHERE run = $1::bigint AND case_index > "
      "$3::bigint AND outcome <> ALL($2::text[]) ORDER BY case_index LIMIT $4::bigint"};
  constexpr Statement kBegun{
      "assay_begun",
      "SELECT DISTINCT e.case_index FROM assay_effects e WHERE e.run = $1::bigint AND e.case_index >= 0 AND "
      "e.case_index > $3::bigint AND NOT EXISTS (SELECT FROM assay_outcomes o WHERE o.run = e.run AND "
      "o.case_index = "
      "e.case_index AND o.outcome <> ALL($2::text[])) ORDER BY e.case_index LIMIT $4::bigint"};
  CaseStates states;
  for (const auto& [statement, list] :
       {std::pair(kEnded, &states.ended), std::pair(kFinished, &states.finished),
        std::pair(kBegun, &states.begun)}) {
    auto found = indices(statement, outcomes_to_retry);
    if (!found) return fail(std::move(found.error()));
    *list = std::move(*found);
  }
  return states;
}

Result<std::vector<OutcomeRow>> RunReads::outcomes(std::int64_t first, std::size_t most) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM assay_outcomes WHERE run = $1::bigint AND case_index >= $2::bigint ORDER BY case_index "
      "LIMIT "
      "$3::bigint",
      kOutcomeColumns);
  const Statement statement{"assay_outcomes_from", sql.c_str()};
  return connection_.ask([&](Connection& connection) -> Result<std::vector<OutcomeRow>> {
    auto rows = connection.run(
        statement, Values().integer(run_).integer(first).integer(static_cast<std::int64_t>(most)));
    if (!rows) return fail(std::move(rows.error()));
    return outcomes_in(*rows);
  });
}

Result<RunTotals> RunReads::totals() {
  const Statement sums{"assay_totals", totals_sql().c_str()};
  constexpr Statement kSimulated{
      "assay_simulated",
      "SELECT DISTINCT model FROM assay_effects WHERE run = $1::bigint AND case_index >= 0 "
      "AND substring(model FROM 1 FOR 4) = 'sim/'::bytea ORDER BY model"};
  return connection_.ask([&](Connection& connection) -> Result<RunTotals> {
    auto row = connection.run(sums, Values().integer(run_));
    if (!row) return fail(std::move(row.error()));
    const auto sum = [&](int column) { return row->integer(0, column); };
    RunTotals totals{.requests = sum(0),
                     .prompt_tokens = sum(1),
                     .completion_tokens = sum(2),
                     .cached_tokens = sum(3),
                     .reasoning_tokens = sum(4),
                     .cost_picousd = sum(5),
                     .cost_known = sum(6) == 0,
                     .reused = sum(7),
                     .worked_seconds = static_cast<double>(sum(10)) / 1000,
                     .retries = sum(8),
                     .repairs = sum(9),
                     .simulated = {}};
    auto models = connection.run(kSimulated, Values().integer(run_));
    if (!models) return fail(std::move(models.error()));
    for (int i = 0; i < models->count(); ++i) totals.simulated.emplace_back(models->bytes(i, 0));
    return totals;
  });
}

Status RunReads::index_answers() {
  if (answers_) return {};
  constexpr Statement kHashes{
      "assay_hashes",
      "SELECT case_index, step, attempt, request_hash FROM assay_effects WHERE run = $1::bigint AND "
      "(case_index, step, "
      "attempt) > ($2::bigint, $3::bytea, $4::bigint) ORDER BY case_index, step, attempt LIMIT $5::bigint"};
  std::unordered_multimap<std::uint64_t, std::int64_t> answers;
  EffectKey last{std::numeric_limits<std::int64_t>::min(), "", 0};
  for (;;) {
    auto page = connection_.ask([&](Connection& connection) {
      return connection.run(kHashes, Values()
                                         .integer(run_)
                                         .integer(last.case_index)
                                         .bytes(last.step)
                                         .integer(last.attempt)
                                         .integer(kPage));
    });
    if (!page) return fail(std::move(page.error()));
    for (int row = 0; row < page->count(); ++row) {
      Digest digest{};
      const std::string_view bytes = page->bytes(row, 3);
      if (bytes.size() != digest.size()) continue;
      std::memcpy(digest.data(), bytes.data(), bytes.size());
      answers.emplace(first_bytes(digest), page->integer(row, 0));
    }
    if (page->count() < kPage) break;
    const int end = page->count() - 1;
    last = {page->integer(end, 0), std::string(page->bytes(end, 1)), static_cast<int>(page->integer(end, 2))};
  }
  answers_ = std::move(answers);
  return {};
}

Result<std::optional<EffectRow>> RunReads::find_answer(const Digest& hash, const std::string& step,
                                                       int attempt) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM assay_effects WHERE run = $1::bigint AND case_index = $2::bigint AND step = $3::bytea "
      "AND "
      "attempt = $4::bigint",
      effect_columns(Requests::left_out));
  const Statement one{"assay_answer", sql.c_str()};
  if (auto ready = index_answers(); !ready) return fail(std::move(ready.error()));
  const auto [first, last] = answers_->equal_range(first_bytes(hash));
  for (auto entry = first; entry != last; ++entry) {
    auto found = effects(one, Values().integer(run_).integer(entry->second).bytes(step).integer(attempt),
                         Requests::left_out);
    if (!found) return fail(std::move(found.error()));
    if (!found->empty() && found->front().request_hash == hash) return std::move(found->front());
  }
  return std::nullopt;
}

Result<std::optional<RunReads::Part>> RunReads::part(std::int64_t first, std::int64_t rows) {
  constexpr Statement kLast{
      "assay_part_end",
      "SELECT coalesce((SELECT case_index FROM assay_effects WHERE run = $1::bigint AND case_index "
      ">= $2::bigint ORDER BY case_index OFFSET $3::bigint LIMIT 1), 9223372036854775807)"};
  static const std::string effects_sql = fmt::format(
      "SELECT {} FROM assay_effects WHERE run = $1::bigint AND case_index BETWEEN $2::bigint AND $3::bigint "
      "ORDER BY "
      "case_index, number",
      effect_columns(Requests::whole));
  static const std::string outcomes_sql = fmt::format(
      "SELECT {} FROM assay_outcomes WHERE run = $1::bigint AND case_index BETWEEN $2::bigint AND $3::bigint "
      "ORDER BY "
      "case_index LIMIT $4::bigint",
      kOutcomeColumns);
  const Statement effects_between{"assay_part_effects", effects_sql.c_str()};
  const Statement outcomes_between{"assay_part_outcomes", outcomes_sql.c_str()};
  return connection_.ask([&](Connection& connection) -> Result<std::optional<Part>> {
    auto end = connection.run(kLast, Values().integer(run_).integer(first).integer(rows));
    if (!end) return fail(std::move(end.error()));
    std::int64_t last = end->integer(0, 0);
    auto outcomes =
        connection.run(outcomes_between, Values().integer(run_).integer(first).integer(last).integer(rows));
    if (!outcomes) return fail(std::move(outcomes.error()));
    // Many cases without an answer: so far only.
    if (outcomes->count() == rows) last = outcomes->integer(outcomes->count() - 1, 0);
    auto between = connection.run(effects_between, Values().integer(run_).integer(first).integer(last));
    if (!between) return fail(std::move(between.error()));
    if (between->count() == 0 && outcomes->count() == 0) return std::nullopt;
    Part part;
    auto whole = shared_.whole(connection, run_, effects_in(*between), Requests::whole);
    if (!whole) return fail(std::move(whole.error()));
    part.effects = std::move(*whole);
    auto ended = outcomes_in(*outcomes);
    if (!ended) return fail(std::move(ended.error()));
    part.outcomes = std::move(*ended);
    part.next = last == kNone ? kNone : last + 1;
    return part;
  });
}

}  // namespace assay::postgres
