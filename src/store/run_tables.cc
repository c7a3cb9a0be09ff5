#include "store/run_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace assay::run_tables {
namespace {

// 1: requests were identified by a model's alias. 2: by what was really asked; the plan's texts are kept.
// 3: rows are numbered and chained by their hashes; texts that many share are kept once.
constexpr int kFormat = 3;

// `words` are short texts that come again and again: steps, kinds, models. `replaced_outcomes` holds outcomes
// that a later sitting has replaced, since the chain goes through them.
constexpr const char* kTables = R"(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE texts(name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE words(row_number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE shared_texts(
  row_number INTEGER PRIMARY KEY, before INTEGER, text TEXT NOT NULL, hash BLOB NOT NULL UNIQUE);
CREATE TABLE effect_rows(
  row_number INTEGER PRIMARY KEY,
  case_index INTEGER NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, kind INTEGER NOT NULL,
  request_hash BLOB NOT NULL, request_before INTEGER, request TEXT NOT NULL, reply_before INTEGER,
  reply TEXT NOT NULL, model INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, cost_picousd INTEGER, latency_us INTEGER NOT NULL, tries INTEGER NOT NULL,
  finished TEXT NOT NULL, reused INTEGER NOT NULL);
CREATE UNIQUE INDEX effects_by_key ON effect_rows(case_index, step, attempt);
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

// A word by its number.
std::string word(std::string_view column) {
  return fmt::format("(SELECT w.text FROM words w WHERE w.row_number = e.{0}) AS {0}", column);
}

// Effects as a reader wants them, put together from the tables.
std::string effects_view() {
  return fmt::format(
      "CREATE VIEW effects AS SELECT e.row_number, e.case_index, {} , e.attempt, {}, e.request_hash, {} AS "
      "request, {} AS reply, {}, e.prompt_tokens, e.completion_tokens, e.cached_tokens, e.reasoning_tokens, "
      "e.cost_picousd, e.latency_us, e.tries, e.finished, e.reused FROM effect_rows e;",
      word("step"), word("kind"), whole_text("e.row_number", "e.request_before", "e.request"),
      whole_text("e.row_number", "e.reply_before", "e.reply"), word("model"));
}

constexpr std::array<std::pair<const char*, std::string RunIdentity::*>, 7> kIdentity = {
    {{"run_id", &RunIdentity::run_id},
     {"evaluation", &RunIdentity::evaluation},
     {"assay", &RunIdentity::assay},
     {"started", &RunIdentity::started},
     {"config", &RunIdentity::config},
     {"data_path", &RunIdentity::data_path},
     {"data_hash", &RunIdentity::data_hash}}};

constexpr const char* kCases = "cases";

std::optional<std::int64_t> number_or_none(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

void bind_number(Statement& insert, int index, const std::optional<std::int64_t>& value) {
  if (value) {
    insert.bind(index, *value);
  } else {
    insert.bind_null(index);
  }
}

std::string_view bytes_at(const Statement& row, int column) {
  const auto blob = row.blob(column);
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

std::span<const unsigned char> blob_of(std::string_view bytes) {
  return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

Status insert_pair(Statement& insert, std::string_view first, std::string_view second) {
  insert.bind(1, first);
  insert.bind(2, second);
  auto stepped = insert.step();
  return stepped ? Status() : fail(std::move(stepped.error()));
}

}  // namespace

Result<Digest> make(Database& database, const RunIdentity& identity, const std::vector<PlanText>& texts) {
  if (auto made = database.execute(
          fmt::format("BEGIN; {} {} PRAGMA user_version={};", kTables, effects_view(), kFormat));
      !made)
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

std::string whole_text(std::string_view row, std::string_view before, std::string_view text) {
  return fmt::format(
      "(WITH RECURSIVE part(row, before, text) AS (SELECT {}, {}, {} UNION ALL SELECT s.row_number, "
      "s.before, "
      "s.text || part.text FROM part JOIN shared_texts s ON s.row_number = part.before AND s.row_number < "
      "part.row) SELECT text FROM part WHERE before IS NULL)",
      row, before, text);
}

std::string effect_columns(Requests requests) {
  return fmt::format(
      "case_index, step, attempt, kind, request_hash, {}, reply, model, prompt_tokens, completion_tokens, "
      "cached_tokens, reasoning_tokens, cost_picousd, latency_us, tries, finished, reused",
      requests == Requests::whole ? "request" : "''");
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
  const auto number = [&](int column) { return number_or_none(row, first + column); };
  EffectValues values;
  values.case_index = integer(0);
  values.step = integer(1);
  values.attempt = integer(2);
  values.kind = integer(3);
  values.request_hash = bytes_at(row, first + 4);
  values.request_before = number(5);
  values.request = text(6);
  values.reply_before = number(7);
  values.reply = text(8);
  values.model = integer(9);
  values.prompt_tokens = integer(10);
  values.completion_tokens = integer(11);
  values.cached_tokens = integer(12);
  values.reasoning_tokens = integer(13);
  values.cost_picousd = number(14);
  values.latency_us = integer(15);
  values.tries = integer(16);
  values.finished = text(17);
  values.reused = integer(18);
  return values;
}

SharedTextValues shared_text_values(const Statement& row, int first) {
  return {number_or_none(row, first), row.text(first + 1), bytes_at(row, first + 2)};
}

void bind(Statement& insert, std::int64_t row_number, const EffectValues& row) {
  insert.bind(1, row.case_index);
  insert.bind(2, row.step);
  insert.bind(3, row.attempt);
  insert.bind(4, row.kind);
  insert.bind_blob(5, blob_of(row.request_hash));
  bind_number(insert, 6, row.request_before);
  insert.bind(7, row.request);
  bind_number(insert, 8, row.reply_before);
  insert.bind(9, row.reply);
  insert.bind(10, row.model);
  insert.bind(11, row.prompt_tokens);
  insert.bind(12, row.completion_tokens);
  insert.bind(13, row.cached_tokens);
  insert.bind(14, row.reasoning_tokens);
  bind_number(insert, 15, row.cost_picousd);
  insert.bind(16, row.latency_us);
  insert.bind(17, row.tries);
  insert.bind(18, row.finished);
  insert.bind(19, row.reused);
  insert.bind(20, row_number);
}

void bind(Statement& insert, std::int64_t row_number, const SharedTextValues& row) {
  bind_number(insert, 1, row.before);
  insert.bind(2, row.text);
  insert.bind_blob(3, blob_of(row.hash));
  insert.bind(4, row_number);
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
