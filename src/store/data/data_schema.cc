#include "store/data/data_schema.h"

#include <fmt/format.h>

namespace assay {

const char* const kDataTables = R"(
CREATE TABLE names(name INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

CREATE TABLE items(
  item INTEGER PRIMARY KEY, item_id TEXT NOT NULL UNIQUE, published_ms INTEGER NOT NULL, position INTEGER UNIQUE);
CREATE INDEX items_by_time ON items(published_ms) WHERE position IS NOT NULL;
CREATE TABLE item_contents(item INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE item_tags(
  tag INTEGER NOT NULL, position INTEGER NOT NULL, item INTEGER NOT NULL, published_ms INTEGER NOT NULL,
  PRIMARY KEY(tag, position)) WITHOUT ROWID;
CREATE INDEX item_tags_by_time ON item_tags(tag, published_ms);
CREATE INDEX item_tags_by_item ON item_tags(item);
CREATE TABLE subset_members(
  tag INTEGER NOT NULL, percent INTEGER NOT NULL, position INTEGER NOT NULL, item INTEGER NOT NULL,
  PRIMARY KEY(tag, percent, position)) WITHOUT ROWID;

CREATE TABLE persona_versions(id INTEGER NOT NULL, version INTEGER NOT NULL, hash BLOB NOT NULL, json TEXT NOT NULL,
  UNIQUE(id, version), UNIQUE(id, hash));
CREATE TABLE perspective_versions(id INTEGER NOT NULL, version INTEGER NOT NULL, hash BLOB NOT NULL, json TEXT NOT NULL,
  UNIQUE(id, version), UNIQUE(id, hash));

CREATE TABLE record_rows(record INTEGER PRIMARY KEY, recorded_ms INTEGER NOT NULL, json TEXT NOT NULL, parts TEXT);
CREATE TABLE results(
  result INTEGER PRIMARY KEY, record INTEGER NOT NULL, item INTEGER NOT NULL, classification INTEGER NOT NULL,
  persona INTEGER NOT NULL, persona_version INTEGER NOT NULL, perspective INTEGER NOT NULL,
  perspective_version INTEGER NOT NULL, agent INTEGER NOT NULL, mode INTEGER NOT NULL, published_ms INTEGER NOT NULL,
  recorded_ms INTEGER NOT NULL, likert INTEGER, context_id TEXT NOT NULL, agreement TEXT, selection TEXT, value TEXT,
  text TEXT NOT NULL, job INTEGER);
CREATE UNIQUE INDEX results_by_key ON results(
  item, classification, persona, persona_version, perspective, perspective_version, agent, mode, context_id);
CREATE INDEX results_by_persona ON results(persona, mode);
CREATE TABLE result_tags(
  tag INTEGER NOT NULL, result INTEGER NOT NULL, persona INTEGER NOT NULL, mode INTEGER NOT NULL,
  published_ms INTEGER NOT NULL, PRIMARY KEY(tag, result)) WITHOUT ROWID;
CREATE INDEX result_tags_by_result ON result_tags(result);
CREATE TABLE failure_rows(
  failure INTEGER PRIMARY KEY, recorded_ms INTEGER NOT NULL, agent TEXT NOT NULL, context_id TEXT NOT NULL,
  persona_id TEXT NOT NULL, mode TEXT NOT NULL, item_id TEXT NOT NULL, json TEXT NOT NULL, resolved_ms INTEGER,
  parts TEXT, job TEXT);
CREATE INDEX failures_by_persona ON failure_rows(persona_id, mode);
CREATE UNIQUE INDEX failures_by_context ON failure_rows(context_id, agent, item_id, persona_id, mode);

CREATE TABLE jobs(
  job INTEGER PRIMARY KEY, job_id TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL, mode TEXT NOT NULL,
  status TEXT NOT NULL, persona_id TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX jobs_by_time ON jobs(created_ms, mode, status, persona_id);

CREATE TABLE feedback(
  feedback INTEGER PRIMARY KEY, result INTEGER NOT NULL, person TEXT NOT NULL, likert INTEGER, agreement TEXT,
  recorded_ms INTEGER NOT NULL, json TEXT NOT NULL);
CREATE INDEX feedback_by_result ON feedback(result);
)";

// What has been judged, by version of persona and perspective, and what failures were about: tables of
// format 2.
const char* const kJudgedTables = R"(
CREATE TABLE evaluated(
  tag INTEGER NOT NULL, item INTEGER NOT NULL, persona INTEGER NOT NULL, mode INTEGER NOT NULL,
  perspective INTEGER NOT NULL, persona_version INTEGER NOT NULL, perspective_version INTEGER NOT NULL,
  PRIMARY KEY(tag, item, persona, mode, perspective, persona_version, perspective_version)) WITHOUT ROWID;
CREATE TABLE failure_parts(
  failure INTEGER NOT NULL, item_id TEXT NOT NULL, perspective_id TEXT NOT NULL, judged INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(failure, item_id, perspective_id)) WITHOUT ROWID;
CREATE INDEX failure_parts_by_item ON failure_parts(item_id);
)";

// Pieces of records that came more than once: a table of format 3. Records are put together in the views;
// those of earlier formats are whole, and have no parts.
const char* const kSharedTables = R"(
CREATE TABLE shared_texts(number INTEGER PRIMARY KEY, text TEXT NOT NULL, hash BLOB NOT NULL UNIQUE);
)";

// What reading back and removing need: tables and indexes of format 4. How often a shared text is referred to
// is counted, so that it goes with the last record that does; the last number of what was removed is kept, so
// that a cursor never meets a number twice.
const char* const kReadingTables = R"(
CREATE TABLE shared_uses(number INTEGER PRIMARY KEY, uses INTEGER NOT NULL);
CREATE TABLE last_numbers(kind TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX records_by_time ON record_rows(recorded_ms);
CREATE INDEX results_by_record ON results(record);
CREATE INDEX results_by_context ON results(context_id, agent);
CREATE INDEX results_by_job ON results(job) WHERE job IS NOT NULL;
CREATE INDEX results_by_persona_version ON results(persona, persona_version);
CREATE INDEX results_by_perspective ON results(perspective, perspective_version);
CREATE INDEX failures_by_job ON failure_rows(job) WHERE job IS NOT NULL;
CREATE INDEX feedback_by_person ON feedback(person);
)";

// Who of several processes works on a job, and what he needs of it: columns and a table of format 5.
const char* const kSharedJobs = R"(
ALTER TABLE jobs ADD COLUMN holder TEXT;
ALTER TABLE jobs ADD COLUMN held_until_ms INTEGER;
ALTER TABLE jobs ADD COLUMN cancel INTEGER NOT NULL DEFAULT 0;
CREATE TABLE job_files(job_id TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY(job_id, name));
CREATE INDEX unfinished_jobs ON jobs(created_ms) WHERE status IN ('INITIATED', 'PROCESSING');
)";

std::string whole_views(std::string_view whole_json) {
  return fmt::format(
      "CREATE VIEW records AS SELECT r.record, r.recorded_ms, {0} AS json FROM record_rows r;"
      "CREATE VIEW failures AS SELECT r.failure, r.recorded_ms, r.agent, r.context_id, r.persona_id, r.mode, "
      "r.item_id, {0} AS json, r.resolved_ms, r.job FROM failure_rows r;",
      whole_json);
}

}  // namespace assay
