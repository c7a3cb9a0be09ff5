#include "store/run_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace assay::run_tables {
namespace {

// 1: requests were identified by a model's alias. 2: by what was really asked; the plan's texts are kept.
// 3: rows are numbered and chained by their hashes.
constexpr int kFormat = 3;

// `replaced_outcomes` holds outcomes that a later sitting has replaced, since the chain goes through them.
constexpr const char* kTables = R"(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE texts(name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE effects(
  row_number INTEGER PRIMARY KEY,
  case_index INTEGER NOT NULL, step TEXT NOT NULL, attempt INTEGER NOT NULL, kind TEXT NOT NULL,
  request_hash BLOB NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL, model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, cost_picousd INTEGER, latency_us INTEGER NOT NULL, tries INTEGER NOT NULL,
  finished TEXT NOT NULL, reused INTEGER NOT NULL);
CREATE UNIQUE INDEX effects_by_key ON effects(case_index, step, attempt);
CREATE TABLE outcomes(
  row_number INTEGER PRIMARY KEY,
  case_index INTEGER NOT NULL UNIQUE, case_id TEXT NOT NULL, outcome TEXT NOT NULL, result TEXT NOT NULL);
CREATE TABLE replaced_outcomes(
  row_number INTEGER PRIMARY KEY,
  case_index INTEGER NOT NULL, case_id TEXT NOT NULL, outcome TEXT NOT NULL, result TEXT NOT NULL);
CREATE TABLE commits(
  number INTEGER PRIMARY KEY, last_row INTEGER NOT NULL, sitting INTEGER NOT NULL, worked_ms INTEGER NOT NULL,
  anew INTEGER NOT NULL, note TEXT NOT NULL, head BLOB NOT NULL);
)";

constexpr std::array<std::pair<const char*, std::string RunIdentity::*>, 7> kIdentity = {
    {{"run_id", &RunIdentity::run_id},
     {"evaluation", &RunIdentity::evaluation},
     {"assay", &RunIdentity::assay},
     {"started", &RunIdentity::started},
     {"config", &RunIdentity::config},
     {"data_path", &RunIdentity::data_path},
     {"data_hash", &RunIdentity::data_hash}}};

constexpr const char* kCases = "cases";

Status insert_pair(Statement& insert, std::string_view first, std::string_view second) {
  insert.bind(1, first);
  insert.bind(2, second);
  auto stepped = insert.step();
  return stepped ? Status() : fail(std::move(stepped.error()));
}

}  // namespace

Result<Digest> make(Database& database, const RunIdentity& identity, const std::vector<PlanText>& texts) {
  if (auto made = database.execute(fmt::format("BEGIN; {} PRAGMA user_version={};", kTables, kFormat)); !made)
    return fail(std::move(made.error()));
  auto run = database.prepare("INSERT INTO run(key, value) VALUES(?, ?)");
  if (!run) return fail(std::move(run.error()));
  for (const auto& [name, member] : kIdentity) {
    if (auto done = insert_pair(*run, name, identity.*member); !done) return fail(std::move(done.error()));
  }
  if (auto done = insert_pair(*run, kCases, std::to_string(identity.cases)); !done)
    return fail(std::move(done.error()));
  auto plan = database.prepare("INSERT OR REPLACE INTO texts(name, text) VALUES(?, ?)");
  if (!plan) return fail(std::move(plan.error()));
  for (const PlanText& text : texts) {
    if (auto done = insert_pair(*plan, text.name, text.text); !done) return fail(std::move(done.error()));
  }
  auto kept = run_tables::texts(database);
  if (!kept) return fail(std::move(kept.error()));
  const JournalCommit first{.anew = true};
  const Digest head = JournalChain(identity, *kept).commit(first);
  auto commit = database.prepare(kInsertCommit);
  if (!commit) return fail(std::move(commit.error()));
  if (auto done = insert_commit(*commit, first, head); !done) return fail(std::move(done.error()));
  if (auto done = database.execute("COMMIT"); !done) return fail(std::move(done.error()));
  return head;
}

Status check_format(Database& database) {
  auto query = database.prepare("PRAGMA user_version");
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()));
  const std::int64_t found = *row ? query->integer(0) : 0;
  if (found == kFormat) return {};
  return fail(
      ErrorKind::journal,
      fmt::format("found journal format {}, expected {}: {}", found, kFormat,
                  found == 1
                      ? "an earlier version of assay began this run and knew models by their alias only; "
                        "finish it with that version, or start a new run"
                  : found == 2 ? "an earlier version of assay began this run, and its rows are not chained; "
                                 "finish it with that version, or start a new run"
                               : "it was written by another version of assay"));
}

Result<RunIdentity> identity(Database& database) {
  auto query = database.prepare("SELECT key, value FROM run");
  if (!query) return fail(std::move(query.error()));
  auto pairs = rows(*query, [](const Statement& row) {
    return std::pair<std::string, std::string>(row.text(0), row.text(1));
  });
  if (!pairs) return fail(std::move(pairs.error()));
  std::unordered_map<std::string, std::string> values(pairs->begin(), pairs->end());
  RunIdentity identity;
  for (const auto& [name, member] : kIdentity) identity.*member = values[name];
  const std::string& cases = values[kCases];
  std::from_chars(cases.data(), cases.data() + cases.size(), identity.cases);
  return identity;
}

Result<std::vector<PlanText>> texts(Database& database) {
  auto query = database.prepare("SELECT name, text FROM texts ORDER BY name");
  if (!query) return fail(std::move(query.error()));
  return rows(*query, [](const Statement& row) {
    return PlanText{std::string(row.text(0)), std::string(row.text(1))};
  });
}

Result<std::vector<std::string>> notes(Database& database) {
  auto query = database.prepare("SELECT note FROM commits WHERE note != '' ORDER BY number");
  if (!query) return fail(std::move(query.error()));
  return rows(*query, [](const Statement& row) { return std::string(row.text(0)); });
}

EffectRow effect(const Statement& row) {
  EffectRow effect;
  effect.key = {row.integer(0), std::string(row.text(1)), static_cast<int>(row.integer(2))};
  effect.kind = row.text(3);
  const auto hash = row.blob(4);
  if (hash.size() == effect.request_hash.size())
    std::copy(hash.begin(), hash.end(), effect.request_hash.begin());
  effect.request = row.text(5);
  effect.reply = row.text(6);
  effect.model = row.text(7);
  effect.prompt_tokens = row.integer(8);
  effect.completion_tokens = row.integer(9);
  effect.cached_tokens = row.integer(10);
  effect.reasoning_tokens = row.integer(11);
  if (!row.is_null(12)) effect.cost_picousd = row.integer(12);
  effect.latency_us = row.integer(13);
  effect.tries = static_cast<int>(row.integer(14));
  effect.finished = row.text(15);
  effect.reused = row.integer(16) != 0;
  return effect;
}

EffectValues effect_values(const Statement& row, int first) {
  const auto integer = [&](int column) { return row.integer(first + column); };
  const auto text = [&](int column) { return row.text(first + column); };
  const auto hash = row.blob(first + 4);
  EffectValues values;
  values.case_index = integer(0);
  values.step = text(1);
  values.attempt = integer(2);
  values.kind = text(3);
  values.request_hash = {reinterpret_cast<const char*>(hash.data()), hash.size()};
  values.request = text(5);
  values.reply = text(6);
  values.model = text(7);
  values.prompt_tokens = integer(8);
  values.completion_tokens = integer(9);
  values.cached_tokens = integer(10);
  values.reasoning_tokens = integer(11);
  if (!row.is_null(first + 12)) values.cost_picousd = integer(12);
  values.latency_us = integer(13);
  values.tries = integer(14);
  values.finished = text(15);
  values.reused = integer(16);
  return values;
}

void bind(Statement& insert, std::int64_t row_number, const EffectRow& row) {
  insert.bind(1, row.key.case_index);
  insert.bind(2, std::string_view(row.key.step));
  insert.bind(3, std::int64_t{row.key.attempt});
  insert.bind(4, std::string_view(row.kind));
  insert.bind_blob(5, row.request_hash);
  insert.bind(6, std::string_view(row.request));
  insert.bind(7, std::string_view(row.reply));
  insert.bind(8, std::string_view(row.model));
  insert.bind(9, row.prompt_tokens);
  insert.bind(10, row.completion_tokens);
  insert.bind(11, row.cached_tokens);
  insert.bind(12, row.reasoning_tokens);
  if (row.cost_picousd) {
    insert.bind(13, *row.cost_picousd);
  } else {
    insert.bind_null(13);
  }
  insert.bind(14, row.latency_us);
  insert.bind(15, std::int64_t{row.tries});
  insert.bind(16, std::string_view(row.finished));
  insert.bind(17, std::int64_t{row.reused ? 1 : 0});
  insert.bind(18, row_number);
}

OutcomeRow outcome(const Statement& row) {
  return {row.integer(0), std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3))};
}

OutcomeValues outcome_values(const Statement& row, int first) {
  return {row.integer(first), row.text(first + 1), row.text(first + 2), row.text(first + 3)};
}

void bind(Statement& insert, std::int64_t row_number, const OutcomeRow& row) {
  insert.bind(1, row.case_index);
  insert.bind(2, std::string_view(row.case_id));
  insert.bind(3, std::string_view(row.outcome));
  insert.bind(4, std::string_view(row.result));
  insert.bind(5, row_number);
}

WrittenCommit commit(const Statement& row) {
  WrittenCommit written{{row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4) != 0,
                         std::string(row.text(5))}};
  const auto head = row.blob(6);
  if (head.size() == written.head.size()) std::copy(head.begin(), head.end(), written.head.begin());
  return written;
}

Status insert_commit(Statement& insert, const JournalCommit& commit, const Digest& head) {
  insert.bind(1, commit.number);
  insert.bind(2, commit.last_row);
  insert.bind(3, commit.sitting);
  insert.bind(4, commit.worked_ms);
  insert.bind(5, std::int64_t{commit.anew ? 1 : 0});
  insert.bind(6, std::string_view(commit.note));
  insert.bind_blob(7, head);
  auto stepped = insert.step();
  return stepped ? Status() : fail(std::move(stepped.error()));
}

}  // namespace assay::run_tables
