// What is removed by name: at once, with all that follows from it, inside one write. Other than what is
// pruned for its age it counts as never recorded: what a removed record had judged may be asked about again.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "store/data/data_writes.h"

namespace assay {
namespace {

// The numbers that the statement gives.
Result<std::vector<std::int64_t>> numbers(DataSql& statements, std::string_view sql,
                                          std::initializer_list<SqlValue> values) {
  std::vector<std::int64_t> found;
  if (auto read = statements.each(sql, values, [&](const SqlRow& row) { found.push_back(row.integer(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  return found;
}

// How many rows a statement with RETURNING has deleted.
Status count_deleted(DataSql& statements, std::string_view sql, SqlValue value, std::int64_t& sum) {
  return statements.each(sql, {value}, [&](const SqlRow& /*row*/) { ++sum; });
}

// Each part of it names the rows of one verdict; another verdict may have said the same under the same tag.
// What has a + before it is no way to find that one: few personas and perspectives have most of the results.
constexpr std::string_view kForgetJudged =
    "DELETE FROM evaluated WHERE (tag, item, persona, mode, perspective, persona_version, "
    "perspective_version) IN (SELECT t.tag, r.item, r.persona, r.mode, r.perspective, r.persona_version, "
    "r.perspective_version FROM results r JOIN result_tags t ON t.result = r.result WHERE r.record = ?1) AND "
    "NOT EXISTS (SELECT 1 FROM results o JOIN result_tags u ON u.result = o.result WHERE o.item = "
    "evaluated.item AND u.tag = evaluated.tag AND +o.persona = evaluated.persona AND o.mode = evaluated.mode "
    "AND +o.perspective = evaluated.perspective AND o.persona_version = evaluated.persona_version AND "
    "o.perspective_version = evaluated.perspective_version AND o.record <> ?1)";

}  // namespace

Status DataWrites::release_texts(Rows rows, Which which, std::int64_t last) {
  constexpr std::string_view kLists[2][2] = {
      {"SELECT parts FROM record_rows WHERE record <= ? AND parts IS NOT NULL",
       "SELECT parts FROM record_rows WHERE record = ? AND parts IS NOT NULL"},
      {"SELECT parts FROM failure_rows WHERE failure <= ? AND parts IS NOT NULL",
       "SELECT parts FROM failure_rows WHERE failure = ? AND parts IS NOT NULL"}};
  std::vector<PiecedTexts::Range> ranges;
  if (auto read = statements_.each(
          kLists[static_cast<std::size_t>(rows)][static_cast<std::size_t>(which)], {last},
          [&](const SqlRow& row) {
            std::ranges::copy(PiecedTexts::shared_ranges(row.text(0)), std::back_inserter(ranges));
          });
      !read) {
    return read;
  }
  bool gone = false;
  for (const auto& [first, count] : ranges) {
    if (auto done = statements_.run("UPDATE shared_uses SET uses = uses - 1 WHERE number >= ? AND number < ?",
                                    {first, first + count});
        !done) {
      return done;
    }
    std::int64_t deleted = 0;
    if (auto done = statements_.each(
            "DELETE FROM shared_uses WHERE number >= ? AND number < ? AND uses < 1 RETURNING number",
            {first, first + count}, [&](const SqlRow& /*row*/) { ++deleted; });
        !done) {
      return done;
    }
    if (deleted == 0) continue;
    gone = true;
    if (auto done = statements_.run(
            "DELETE FROM shared_texts WHERE number >= ? AND number < ? AND number NOT IN (SELECT number FROM "
            "shared_uses WHERE number >= ?1 AND number < ?2)",
            {first, first + count});
        !done) {
      return done;
    }
  }
  if (!gone) return {};
  texts_.forget_numbers();
  return statements_.run(
      "INSERT INTO last_numbers(kind, number) VALUES(?, 1) ON CONFLICT(kind) DO UPDATE SET number = "
      "last_numbers.number + 1",
      {kTextsGone});
}

Status DataWrites::remove_record(std::int64_t record, Removed& removed) {
  for (const Numbered kind : {Numbered::record, Numbered::result, Numbered::feedback}) {
    if (auto kept = keep_last_number(kind); !kept) return kept;
  }
  if (auto done = statements_.run(kForgetJudged, {record}); !done) return done;
  if (auto done = count_deleted(statements_,
                                "DELETE FROM feedback WHERE result IN (SELECT result FROM results WHERE "
                                "record = ?) RETURNING feedback",
                                record, removed.feedback);
      !done) {
    return done;
  }
  if (auto done = statements_.run(
          "DELETE FROM result_tags WHERE result IN (SELECT result FROM results WHERE record = ?)", {record});
      !done) {
    return done;
  }
  if (auto done = count_deleted(statements_, "DELETE FROM results WHERE record = ? RETURNING result", record,
                                removed.results);
      !done) {
    return done;
  }
  if (auto done = release_texts(Rows::records, Which::only, record); !done) return done;
  return count_deleted(statements_, "DELETE FROM record_rows WHERE record = ? RETURNING record", record,
                       removed.records);
}

Status DataWrites::remove_failure(std::int64_t failure, Removed& removed) {
  if (auto kept = keep_last_number(Numbered::failure); !kept) return kept;
  if (auto done = release_texts(Rows::failures, Which::only, failure); !done) return done;
  if (auto done = statements_.run("DELETE FROM failure_parts WHERE failure = ?", {failure}); !done)
    return done;
  return count_deleted(statements_, "DELETE FROM failure_rows WHERE failure = ? RETURNING failure", failure,
                       removed.failures);
}

Status DataWrites::remove_item(const std::string& item_id, bool with_records, Removed& removed) {
  if (with_records) {
    const auto records = numbers(statements_,
                                 "SELECT DISTINCT r.record FROM results r WHERE r.item = (SELECT item FROM "
                                 "items WHERE item_id = ?)",
                                 {item_id});
    if (!records) return fail(records.error());
    for (const std::int64_t record : *records) {
      if (auto done = remove_record(record, removed); !done) return done;
    }
    const auto failures =
        numbers(statements_, "SELECT DISTINCT failure FROM failure_parts WHERE item_id = ?", {item_id});
    if (!failures) return fail(failures.error());
    for (const std::int64_t failure : *failures) {
      if (auto done = remove_failure(failure, removed); !done) return done;
    }
  }
  const auto row =
      statements_.number("SELECT item FROM items WHERE item_id = ? AND position IS NOT NULL", {item_id});
  if (!row) return fail(row.error());
  if (!*row) return {};
  if (auto kept = keep_last_number(Numbered::position); !kept) return kept;
  removed.items = 1;
  return take_item_away(statements_, **row);
}

Result<Removed> DataWrites::remove(const Removal& what) {
  Removed removed;
  Status done;
  switch (what.kind) {
    case Removal::Kind::record:
      done = remove_record(what.number, removed);
      break;
    case Removal::Kind::item:
    case Removal::Kind::item_and_records:
      done = remove_item(what.id, what.kind == Removal::Kind::item_and_records, removed);
      break;
    case Removal::Kind::failure:
      done = remove_failure(what.number, removed);
      break;
    case Removal::Kind::feedback:
      done = keep_last_number(Numbered::feedback);
      if (done)
        done = count_deleted(statements_, "DELETE FROM feedback WHERE feedback = ? RETURNING feedback",
                             what.number, removed.feedback);
      break;
    case Removal::Kind::job:
      done = statements_.run("DELETE FROM job_files WHERE job_id = ?", {what.id});
      if (done)
        done = count_deleted(statements_, "DELETE FROM jobs WHERE job_id = ? RETURNING job",
                             std::string_view(what.id), removed.jobs);
      break;
  }
  if (!done) return fail(std::move(done.error()));
  return removed;
}

}  // namespace assay
