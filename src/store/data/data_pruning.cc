// What is too old is taken away in steps, each inside a transaction of the writer. Records and failures are
// numbered in the order of their recording, so the oldest are a beginning of their table, and so are the
// verdicts of the oldest records: each step finds them without an index, in time that follows from its size.
#include <utility>
#include <vector>

#include "store/data/data_database.h"
#include "store/data/data_writes.h"

namespace assay {
namespace {

// The last of the oldest rows that are to go; none if the first one stays. The newest row always stays.
struct Oldest {
  std::optional<std::int64_t> last;
  std::int64_t count = 0;
};

Result<Oldest> oldest(DataSql& statements, std::string_view rows, std::int64_t since_ms, std::int64_t most) {
  Oldest found;
  bool ended = false;
  std::optional<std::int64_t> held;  // goes if another row follows
  const auto read = statements.each(rows, {most + 1}, [&](const SqlRow& row) {
    if (held) {
      found.last = std::exchange(held, std::nullopt);
      ++found.count;
    }
    ended = ended || row.integer(1) >= since_ms;
    if (!ended && found.count < most) held = row.integer(0);
  });
  if (!read) return fail(read.error());
  return found;
}

constexpr std::string_view kOldestRecords =
    "SELECT record, recorded_ms FROM record_rows ORDER BY record LIMIT ?";
constexpr std::string_view kOldestFailures =
    "SELECT failure, recorded_ms FROM failure_rows ORDER BY failure LIMIT ?";

Status run_all(DataSql& statements, std::initializer_list<std::string_view> all, std::int64_t value) {
  for (const std::string_view sql : all) {
    if (auto done = statements.run(sql, {value}); !done) return done;
  }
  return {};
}

// Behind the verdicts of all records up to this one.
// Results are numbered in the order of their records, so that the first that fits is found at once; by the
// index over records (hence the +) all behind it would be sorted.
Result<std::optional<std::int64_t>> first_result_behind(DataSql& statements, std::int64_t record) {
  return statements.number("SELECT result FROM results WHERE +record > ? ORDER BY result LIMIT 1", {record});
}

Status prune_items(DataSql& statements, std::int64_t since_ms, std::int64_t most, Pruned& pruned) {
  std::vector<std::int64_t> rows;
  if (auto read = statements.each(
          "SELECT item FROM items WHERE published_ms < ?1 AND position IS NOT NULL AND position < (SELECT "
          "max(position) FROM items) ORDER BY published_ms LIMIT ?2",
          {since_ms, most}, [&](const SqlRow& row) { rows.push_back(row.integer(0)); });
      !read) {
    return read;
  }
  for (const std::int64_t item : rows) {
    if (auto done = take_item_away(statements, item); !done) return done;
  }
  pruned.items += static_cast<std::int64_t>(rows.size());
  pruned.more = pruned.more || static_cast<std::int64_t>(rows.size()) == most;
  return {};
}

Status find_jobs(DataSql& statements, std::int64_t since_ms, std::int64_t most, Pruned& pruned) {
  return statements.each(
      "SELECT job_id FROM jobs WHERE created_ms < ?1 AND status IN ('COMPLETE', 'ERROR', 'CANCELLED') ORDER "
      "BY created_ms LIMIT ?2",
      {since_ms, most}, [&](const SqlRow& row) { pruned.job_ids.emplace_back(row.text(0)); });
}

Result<std::int64_t> counted(DataSql& statements, std::string_view sql, std::int64_t value) {
  return given_number(statements.number(sql, {value}));
}

}  // namespace

Status take_item_away(DataSql& statements, std::int64_t item) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;  // tag and position
  if (auto read =
          statements.each("SELECT tag, position FROM item_tags WHERE item = ?", {item},
                          [&](const SqlRow& row) { places.emplace_back(row.integer(0), row.integer(1)); });
      !read) {
    return read;
  }
  for (const auto& [tag, position] : places) {
    // Subsets of a tag are few; each is found by its size, not by reading its members.
    if (auto done = statements.run(
            "WITH RECURSIVE sizes(percent) AS (SELECT min(percent) FROM subset_members WHERE tag = ?1 UNION "
            "ALL SELECT (SELECT min(m.percent) FROM subset_members m WHERE m.tag = ?1 AND m.percent > "
            "sizes.percent) FROM sizes WHERE sizes.percent IS NOT NULL) DELETE FROM subset_members WHERE tag "
            "= ?1 AND percent IN (SELECT percent FROM sizes WHERE percent IS NOT NULL) AND position = ?2",
            {tag, position});
        !done) {
      return done;
    }
  }
  return run_all(statements,
                 {"DELETE FROM item_tags WHERE item = ?", "DELETE FROM item_contents WHERE item = ?",
                  "UPDATE items SET position = NULL WHERE item = ?"},
                 item);
}

Status DataWrites::prune_records(std::int64_t since_ms, std::int64_t most, Pruned& pruned) {
  const auto old = oldest(statements_, kOldestRecords, since_ms, most);
  if (!old) return fail(old.error());
  if (!old->last) return {};
  if (auto kept = keep_last_number(Numbered::feedback); !kept) return kept;
  const auto behind = first_result_behind(statements_, *old->last);
  if (!behind) return fail(behind.error());
  if (*behind) {
    const auto verdicts = statements_.number("SELECT count(*) FROM results WHERE result < ?", {**behind});
    if (!verdicts) return fail(verdicts.error());
    pruned.results += verdicts->value_or(0);
    if (auto done =
            run_all(statements_,
                    {"DELETE FROM feedback WHERE result < ?", "DELETE FROM result_tags WHERE result < ?",
                     "DELETE FROM results WHERE result < ?"},
                    **behind);
        !done) {
      return done;
    }
  }
  pruned.records += old->count;
  pruned.more = pruned.more || old->count == most;
  if (auto done = release_texts(Rows::records, Which::up_to, *old->last); !done) return done;
  return statements_.run("DELETE FROM record_rows WHERE record <= ?", {*old->last});
}

Status DataWrites::prune_failures(std::int64_t since_ms, std::int64_t most, Pruned& pruned) {
  const auto old = oldest(statements_, kOldestFailures, since_ms, most);
  if (!old) return fail(old.error());
  if (!old->last) return {};
  if (auto done = release_texts(Rows::failures, Which::up_to, *old->last); !done) return done;
  pruned.failures += old->count;
  pruned.more = pruned.more || old->count == most;
  return run_all(
      statements_,
      {"DELETE FROM failure_parts WHERE failure <= ?", "DELETE FROM failure_rows WHERE failure <= ?"},
      *old->last);
}

Status DataWrites::prune_jobs(std::int64_t since_ms, std::int64_t most, Pruned& pruned) {
  if (auto found = find_jobs(statements_, since_ms, most, pruned); !found) return found;
  if (auto done = remove_jobs(pruned.job_ids); !done) return done;
  pruned.more = pruned.more || static_cast<std::int64_t>(pruned.job_ids.size()) == most;
  return {};
}

Result<Pruned> DataWrites::prune(const KeptSince& since, std::int64_t most) {
  Pruned pruned;
  const auto part = [](const std::optional<std::int64_t>& since_ms, const auto& step) -> Status {
    return since_ms ? step(*since_ms) : Status();
  };
  for (const Status& done :
       {part(since.records_ms, [&](std::int64_t ms) { return prune_records(ms, most, pruned); }),
        part(since.records_ms, [&](std::int64_t ms) { return prune_failures(ms, most, pruned); }),
        part(since.items_ms, [&](std::int64_t ms) { return prune_items(statements_, ms, most, pruned); }),
        part(since.jobs_ms, [&](std::int64_t ms) { return prune_jobs(ms, most, pruned); })}) {
    if (!done) return fail(done.error());
  }
  return pruned;
}

Result<Pruned> prunable(const StoreAddress& address, const KeptSince& since) {
  auto reader = DataDatabase::open_reader(address);
  if (!reader) return fail(std::move(reader.error()));
  DataSql& statements = **reader;
  Pruned pruned;
  // The oldest up to the first that stays, as the steps take them.
  if (since.records_ms) {
    auto records =
        counted(statements,
                "SELECT count(*) FROM records WHERE record < coalesce((SELECT record FROM records "
                "WHERE recorded_ms >= ? ORDER BY record LIMIT 1), (SELECT max(record) FROM records))",
                *since.records_ms);
    auto results =
        counted(statements,
                "SELECT count(*) FROM results WHERE record < coalesce((SELECT record FROM records "
                "WHERE recorded_ms >= ? ORDER BY record LIMIT 1), (SELECT max(record) FROM records))",
                *since.records_ms);
    auto failures =
        counted(statements,
                "SELECT count(*) FROM failures WHERE failure < coalesce((SELECT failure FROM failures WHERE "
                "recorded_ms >= ? ORDER BY failure LIMIT 1), (SELECT max(failure) FROM failures))",
                *since.records_ms);
    for (const auto* one : {&records, &results, &failures}) {
      if (!*one) return fail(one->error());
    }
    pruned.records = *records;
    pruned.results = *results;
    pruned.failures = *failures;
  }
  if (since.items_ms) {
    auto items = counted(statements,
                         "SELECT count(*) FROM items WHERE published_ms < ? AND position IS NOT NULL AND "
                         "position < (SELECT max(position) FROM items)",
                         *since.items_ms);
    if (!items) return fail(std::move(items.error()));
    pruned.items = *items;
  }
  if (since.jobs_ms) {
    if (auto found = find_jobs(statements, *since.jobs_ms, kAllRows, pruned); !found)
      return fail(std::move(found.error()));
  }
  return pruned;
}

}  // namespace assay
