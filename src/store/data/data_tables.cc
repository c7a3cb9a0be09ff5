#include "store/data/data_tables.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "store/data/data_schema.h"

namespace assay {
namespace {

constexpr int kApplication = 0x41534556;  // "ASEV": tells a store from a journal, whose format counts alike

constexpr std::string_view kWholeJson = R"(CASE WHEN r.parts IS NULL THEN r.json ELSE (
  SELECT group_concat(part, '') FROM (
    SELECT CASE json_extract(p.value, '$[0]')
      WHEN 0 THEN substr(r.json, 1 + json_extract(p.value, '$[1]'), json_extract(p.value, '$[2]'))
      ELSE (SELECT group_concat(text, '') FROM (SELECT s.text FROM shared_texts s
        WHERE s.number >= json_extract(p.value, '$[1]')
        AND s.number < json_extract(p.value, '$[1]') + json_extract(p.value, '$[2]') ORDER BY s.number)) END AS part
    FROM json_each(r.parts) p ORDER BY p.key)) END)";

constexpr const char* kFromFormat2 = R"(
ALTER TABLE records RENAME TO record_rows;
ALTER TABLE record_rows ADD COLUMN parts TEXT;
ALTER TABLE failures RENAME TO failure_rows;
ALTER TABLE failure_rows ADD COLUMN parts TEXT;
)";

constexpr const char* kFromFormat3 = R"(
ALTER TABLE results ADD COLUMN job INTEGER;
ALTER TABLE failure_rows ADD COLUMN job TEXT;
)";

// Each list of parts is ranges of texts: where they begin and end, summed up, is how many cover a text. What
// no record refers to any more goes.
constexpr const char* kCountUses = R"(
INSERT INTO shared_uses
  WITH ranges(first, behind) AS (
    SELECT json_extract(p.value, '$[1]'), json_extract(p.value, '$[1]') + json_extract(p.value, '$[2]')
      FROM record_rows r, json_each(r.parts) p WHERE r.parts IS NOT NULL AND json_extract(p.value, '$[0]') = 1
    UNION ALL
    SELECT json_extract(p.value, '$[1]'), json_extract(p.value, '$[1]') + json_extract(p.value, '$[2]')
      FROM failure_rows r, json_each(r.parts) p WHERE r.parts IS NOT NULL AND json_extract(p.value, '$[0]') = 1),
  ends(place, change) AS (SELECT first, 1 FROM ranges UNION ALL SELECT behind, -1 FROM ranges),
  sums(place, uses) AS (SELECT place, sum(sum(change)) OVER (ORDER BY place) FROM ends GROUP BY place),
  spans(place, uses, behind) AS (SELECT place, uses, lead(place) OVER (ORDER BY place) FROM sums)
  SELECT t.number, s.uses FROM spans s JOIN shared_texts t ON t.number >= s.place AND t.number < s.behind
    WHERE s.uses > 0;
DELETE FROM shared_texts WHERE number NOT IN (SELECT number FROM shared_uses);
)";

// Everything that the new tables hold stands in the old ones.
constexpr const char* kFromFormat1 = R"(
INSERT OR IGNORE INTO evaluated SELECT t.tag, r.item, r.persona, r.mode, r.perspective, r.persona_version,
  r.perspective_version FROM result_tags t JOIN results r ON r.result = t.result;
ALTER TABLE failures ADD COLUMN resolved_ms INTEGER;
INSERT OR IGNORE INTO failure_parts(failure, item_id, perspective_id)
  SELECT f.failure, i.value, coalesce(json_extract(p.value, '$.perspectiveId'), '') FROM failures f,
  json_each(json_insert(json_object('items', coalesce(json_extract(f.json, '$.items'), json('[]'))),
    '$.items[#]', f.item_id), '$.items') i,
  json_each(f.json, '$.evaluationPerspectives') p WHERE i.type = 'text' AND i.value <> '';
)";

Result<std::int64_t> pragma(Database& database, const char* name) {
  auto query = database.prepare(fmt::format("PRAGMA {}", name));
  if (!query) return fail(std::move(query.error()));
  auto row = query->step();
  if (!row) return fail(std::move(row.error()).with("file", database.path()));
  return *row ? query->integer(0) : 0;
}

// A store of an earlier format is brought up to this one, in one step.
Status check_format(Database& database) {
  const auto application = pragma(database, "application_id");
  if (!application) return fail(application.error());
  if (*application != kApplication) {
    return fail(Error{ErrorKind::io,
                      "the file is a database, but not an evaluation store of assay; choose another file",
                      {{"file", database.path()}}});
  }
  const auto format = pragma(database, "user_version");
  if (!format) return fail(format.error());
  if (*format == kDataFormat) return {};
  if (*format >= 1 && *format < kDataFormat) {
    std::string steps;
    if (*format < 2)
      steps += fmt::format("DROP TABLE evaluated; DROP INDEX IF EXISTS failures_by_item; {} {}",
                           kJudgedTables, kFromFormat1);
    if (*format < 3) {
      steps += std::string(kFromFormat2) + kSharedTables;
    } else {
      steps += "DROP VIEW records; DROP VIEW failures;";
    }
    if (*format < 4) steps += std::string(kFromFormat3) + kReadingTables + kCountUses;
    steps += kSharedJobs;
    return database.execute(fmt::format("BEGIN IMMEDIATE; {} {} PRAGMA user_version={}; COMMIT;", steps,
                                        whole_views(kWholeJson), kDataFormat));
  }
  return fail(
      Error{ErrorKind::io,
            fmt::format("found store format {}, expected {}: it was written by another version of assay",
                        *format, kDataFormat),
            {{"file", database.path()}}});
}

// Without it a power cut may take the new name back, and every record with it.
Status flush_directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail(file_error(directory, "open", errno));
  const int cause = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (cause != 0) return fail(file_error(directory, "flush", cause));
  return {};
}

// The tables appear under the final name in one step: a kill during creation leaves no half-made store.
Status make_file(const std::string& path) {
  std::error_code absent;
  const auto log_size = std::filesystem::file_size(path + "-wal", absent);
  if (!absent && log_size > 0) {  // SQLite would write its pages into the new file
    return fail(Error{ErrorKind::io,
                      "the file is missing, but its log is there: put the file back, or remove the log",
                      {{"file", path}, {"log", path + "-wal"}}});
  }
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());
  ::unlink((temporary + "-journal").c_str());
  {
    auto database = Database::open(temporary, Database::Mode::create);
    if (!database) return fail(std::move(database.error()));
    if (auto made =
            database->execute(fmt::format("PRAGMA synchronous=FULL; BEGIN; {} PRAGMA application_id={}; "
                                          "PRAGMA user_version={}; COMMIT;",
                                          std::string(kDataTables) + kJudgedTables + kSharedTables +
                                              kReadingTables + kSharedJobs + whole_views(kWholeJson),
                                          kApplication, kDataFormat));
        !made) {
      return made;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    ::unlink(temporary.c_str());
    return fail(file_error(path, "create", cause));
  }
  return flush_directory_of(path);
}

}  // namespace

Result<Database> open_data_database(const std::string& path) {
  if (!file_exists(path)) {
    if (auto made = make_file(path); !made) return fail(std::move(made.error()));
  }
  // For its owner alone, whatever made it; SQLite gives its log the same.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 && errno != EPERM)
    return fail(file_error(path, "protect", errno));
  auto database = Database::open(path, Database::Mode::read_write);
  if (!database) return fail(std::move(database.error()));
  if (auto known = check_format(*database); !known) return fail(std::move(known.error()));
  // The read at the end opens the log here: a log that only readers have opened stays behind on closing.
  if (auto configured = database->execute(
          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000; "
          "PRAGMA cache_size=-64000; PRAGMA temp_store=MEMORY; SELECT count(*) FROM sqlite_schema;");
      !configured) {
    return fail(std::move(configured.error()));
  }
  return database;
}

Result<Database> open_data_reader(const std::string& path) {
  auto database = Database::open(path, Database::Mode::read_only);
  if (!database) return fail(std::move(database.error()));
  if (auto configured = database->execute("PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY;");
      !configured) {
    return fail(std::move(configured.error()));
  }
  return database;
}

}  // namespace assay
