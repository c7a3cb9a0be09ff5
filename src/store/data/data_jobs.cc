// Jobs, and who of several processes works on which: a job is held until a time by the clock of the database,
// and who holds it makes that later again and again. One that died lets go by that.
#include <utility>

#include <fmt/format.h>

#include "store/data/data_writes.h"

namespace assay {
namespace {

constexpr std::string_view kUnfinished = "status IN ('INITIATED', 'PROCESSING')";

StoredJob job_of(const SqlRow& row) {
  return {.job_id = std::string(row.text(0)),
          .mode = std::string(row.text(1)),
          .status = std::string(row.text(2)),
          .persona_id = std::string(row.text(3)),
          .json = std::string(row.text(4)),
          .created_ms = row.integer(5),
          .cancel_asked = row.integer(6) != 0};
}

}  // namespace

Status DataWrites::put_job(const StoredJob& job) {
  if (job.holder.empty()) {
    if (auto done = statements_.run(
            "INSERT INTO jobs(job_id, created_ms, mode, status, persona_id, json) VALUES(?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(job_id) DO UPDATE SET mode = excluded.mode, status = excluded.status, persona_id = "
            "excluded.persona_id, json = excluded.json",
            {job.job_id, job.created_ms, job.mode, job.status, job.persona_id, job.json});
        !done) {
      return done;
    }
  } else {
    const auto still = statements_.number(
        fmt::format("UPDATE jobs SET status = ?3, json = ?4, holder = CASE WHEN ?3 IN ('INITIATED', "
                    "'PROCESSING') THEN holder END WHERE job_id = ?1 AND holder = ?2 AND {} RETURNING job",
                    kUnfinished),
        {job.job_id, job.holder, job.status, job.json});
    if (!still) return fail(still.error());
    if (!*still) return fail(ErrorKind::changed, "another process has taken the job over");
  }
  for (const JobFile& file : job.files) {
    if (auto kept = statements_.run(
            "INSERT INTO job_files(job_id, name, text) VALUES(?, ?, ?) ON CONFLICT(job_id, name) DO UPDATE "
            "SET text = excluded.text",
            {job.job_id, file.name, file.text});
        !kept) {
      return kept;
    }
  }
  return {};
}

// Those first that had been begun: somebody waits for them longest.
Result<std::optional<StoredJob>> DataWrites::take_job(const JobHold& hold, const std::string& job_id) {
  std::optional<StoredJob> taken;
  if (auto done = statements_.each(
          fmt::format("UPDATE jobs SET holder = ?1, held_until_ms = {0} + ?2 WHERE job = (SELECT job FROM "
                      "jobs WHERE {1} AND (holder IS NULL OR held_until_ms < {0}) AND ?3 IN ('', job_id) "
                      "ORDER BY status DESC, created_ms, job LIMIT 1) RETURNING job_id, mode, status, "
                      "persona_id, json, created_ms, cancel",
                      statements_.dialect().now_ms, kUnfinished),
          {std::string_view(hold.holder), hold.ms, std::string_view(job_id)},
          [&](const SqlRow& row) { taken = job_of(row); });
      !done) {
    return fail(std::move(done.error()));
  }
  return taken;
}

Result<HeldJobs> DataWrites::hold_jobs(const JobHold& hold) {
  HeldJobs held;
  if (auto done = statements_.each(
          fmt::format("UPDATE jobs SET held_until_ms = {} + ?2 WHERE holder = ?1 AND {} RETURNING job_id, "
                      "cancel",
                      statements_.dialect().now_ms, kUnfinished),
          {std::string_view(hold.holder), hold.ms},
          [&](const SqlRow& row) {
            held.job_ids.emplace_back(row.text(0));
            if (row.integer(1) != 0) held.to_cancel.emplace_back(row.text(0));
          });
      !done) {
    return fail(std::move(done.error()));
  }
  return held;
}

Status DataWrites::let_go_of_jobs(const std::string& holder, const std::string& job_id) {
  return statements_.run("UPDATE jobs SET holder = NULL WHERE holder = ?1 AND ?2 IN ('', job_id)",
                         {holder, job_id});
}

Result<bool> DataWrites::ask_to_cancel(const std::string& job_id) {
  const auto asked = statements_.number(
      fmt::format("UPDATE jobs SET cancel = 1 WHERE job_id = ? AND {} RETURNING job", kUnfinished), {job_id});
  if (!asked) return fail(asked.error());
  return asked->has_value();
}

Status DataWrites::remove_jobs(const std::vector<std::string>& job_ids) {
  for (const std::string& id : job_ids) {
    for (const char* sql : {"DELETE FROM job_files WHERE job_id = ?", "DELETE FROM jobs WHERE job_id = ?"}) {
      if (auto done = statements_.run(sql, {id}); !done) return done;
    }
  }
  return {};
}

}  // namespace assay
