#include "store/run_reads.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/json/json.h"
#include "core/saturating.h"
#include "store/run_tables.h"

namespace assay {
namespace {

// A sum from the sums of the upper and lower 32 bits of its parts.
std::int64_t joined(std::int64_t upper, std::int64_t lower) {
  constexpr std::int64_t kMostUpper = std::numeric_limits<std::int64_t>::max() >> 32;
  if (upper > kMostUpper) return std::numeric_limits<std::int64_t>::max();
  return saturating_add(upper << 32, lower);
}

// Names of outcomes, which are our own words and need no escaping.
std::string quoted_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += fmt::format("{}'{}'", list.empty() ? "" : ",", name);
  return list;
}

Result<std::vector<std::int64_t>> indices(Database& database, const std::string& sql) {
  auto query = database.prepare(sql);
  if (!query) return fail(std::move(query.error()));
  return run_tables::rows(*query, [](const Statement& row) { return row.integer(0); });
}

}  // namespace

Result<std::vector<std::string>> RunReads::notes() {
  return run_tables::notes(database_);
}

Result<std::vector<PlanText>> RunReads::texts() {
  return run_tables::texts(database_);
}

Result<std::vector<EffectRow>> RunReads::effects_of(std::int64_t case_index, Requests requests) {
  std::optional<Statement>& statement = effects_of_[requests == Requests::whole ? 1 : 0];
  if (!statement) {
    auto query =
        database_.prepare(fmt::format("SELECT {} FROM effects WHERE case_index = ? ORDER BY row_number",
                                      run_tables::effect_columns(requests)));
    if (!query) return fail(std::move(query.error()));
    statement = std::move(*query);
  }
  statement->bind(1, case_index);
  return run_tables::rows(*statement, run_tables::effect);
}

Result<CaseStates> RunReads::states(const std::vector<std::string>& outcomes_to_retry) {
  const std::string again = quoted_list(outcomes_to_retry);
  auto ended = indices(database_, "SELECT case_index FROM outcomes ORDER BY case_index");
  if (!ended) return fail(std::move(ended.error()));
  auto finished = indices(
      database_,
      fmt::format("SELECT case_index FROM outcomes WHERE outcome NOT IN ({}) ORDER BY case_index", again));
  if (!finished) return fail(std::move(finished.error()));
  auto begun = indices(
      database_,
      fmt::format("SELECT DISTINCT case_index FROM effect_rows WHERE case_index >= 0 AND case_index NOT IN "
                  "(SELECT case_index FROM outcomes WHERE outcome NOT IN ({})) "
                  "ORDER BY case_index",
                  again));
  if (!begun) return fail(std::move(begun.error()));
  return CaseStates{std::move(*ended), std::move(*finished), std::move(*begun)};
}

Result<std::vector<OutcomeRow>> RunReads::outcomes(std::int64_t first, std::size_t most) {
  if (!outcomes_) {
    auto query = database_.prepare(
        "SELECT case_index, case_id, outcome, result FROM outcomes WHERE case_index >= ? ORDER BY "
        "case_index LIMIT ?");
    if (!query) return fail(std::move(query.error()));
    outcomes_ = std::move(*query);
  }
  outcomes_->bind(1, first);
  outcomes_->bind(2, static_cast<std::int64_t>(most));
  return run_tables::rows(*outcomes_, run_tables::outcome);
}

Result<RunTotals> RunReads::totals() {
  // SQLite's sum() is an error where it passes 64 bits: the halves of the numbers are summed apart.
  std::string columns;
  for (const char* counted :
       {"tries * (1 - reused)", "prompt_tokens * (1 - reused)", "completion_tokens * (1 - reused)",
        "cached_tokens * (1 - reused)", "reasoning_tokens * (1 - reused)", "cost_picousd"}) {
    columns += fmt::format("coalesce(sum({0} >> 32), 0), coalesce(sum({0} & 4294967295), 0), ", counted);
  }
  auto query = database_.prepare(fmt::format(
      "SELECT {}coalesce(sum(kind IN (SELECT row_number FROM words WHERE text IN ('model', "
      "'embedding', 'promptql')) AND cost_picousd IS NULL), 0), "
      "coalesce(sum(reused), 0), coalesce(sum((tries - 1) * (1 - reused)), 0), "
      "coalesce(sum(kind = (SELECT row_number FROM words WHERE text = 'model') AND attempt > 1 AND "
      "NOT reused), 0), "
      "(SELECT json_group_array(text) FROM words WHERE text GLOB 'sim/*' AND row_number IN (SELECT "
      "model FROM effect_rows)), "
      "(SELECT coalesce(sum(worked), 0) FROM (SELECT max(worked_ms) AS worked FROM commits GROUP "
      "BY sitting)) "
      "FROM effect_rows WHERE case_index >= 0",
      columns));
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  const auto sum = [&](int column) {
    return joined(query->integer(2 * column), query->integer(2 * column + 1));
  };
  RunTotals totals{.requests = sum(0),
                   .prompt_tokens = sum(1),
                   .completion_tokens = sum(2),
                   .cached_tokens = sum(3),
                   .reasoning_tokens = sum(4),
                   .cost_picousd = sum(5),
                   .cost_known = query->integer(12) == 0,
                   .reused = query->integer(13),
                   .worked_seconds = static_cast<double>(query->integer(17)) / 1000,
                   .retries = query->integer(14),
                   .repairs = query->integer(15),
                   .simulated = {}};
  auto simulated = parse_json(query->text(16));
  if (!simulated) return fail(std::move(simulated.error()));
  for (const Json& name : simulated->as_array()) totals.simulated.emplace_back(as_text(name).value_or(""));
  std::ranges::sort(totals.simulated);
  return totals;
}

Result<std::optional<EffectRow>> RunReads::find_answer(const Digest& hash, const std::string& step,
                                                       int attempt) {
  if (auto ready = index_answers(); !ready) return fail(std::move(ready.error()));
  const auto [first, last] = answers_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    by_row_->bind(1, entry->second);
    auto row = by_row_->step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) continue;
    EffectRow effect = run_tables::effect(*by_row_);
    by_row_->reset();
    if (effect.key.step == step && effect.key.attempt == attempt) return effect;
  }
  return std::nullopt;
}

Status RunReads::index_answers() {
  if (by_row_) return {};
  auto all = database_.prepare("SELECT row_number, request_hash FROM effect_rows");
  if (!all) return fail(std::move(all.error()));
  for (;;) {
    auto row = all->step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) break;
    Digest digest{};
    const auto bytes = all->blob(1);
    if (bytes.size() != digest.size()) continue;
    std::copy(bytes.begin(), bytes.end(), digest.begin());
    answers_.emplace(digest, all->integer(0));
  }
  auto by_row = database_.prepare(fmt::format("SELECT {} FROM effects WHERE row_number = ?",
                                              run_tables::effect_columns(Requests::left_out)));
  if (!by_row) return fail(std::move(by_row.error()));
  by_row_ = std::move(*by_row);
  return {};
}

}  // namespace assay
