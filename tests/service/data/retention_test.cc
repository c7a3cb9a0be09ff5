#include "service/data/retention.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "evaluations/persona/persona.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(Retention, CountsBackFromNowAndLeavesWhatIsNotNamed) {
  const WallTime now = parse_iso_time("2026-11-18T00:00:00Z").value();
  const RetentionPlan plan{.items = std::nullopt, .records = 24h, .jobs = 36h};
  const KeptSince since = plan.since(now);
  EXPECT_FALSE(since.items_ms.has_value());
  EXPECT_EQ(since.records_ms, parse_iso_ms("2026-11-17T00:00:00Z").value());
  EXPECT_EQ(since.jobs_ms, parse_iso_ms("2026-11-16T12:00:00Z").value());
  EXPECT_FALSE(plan.empty());
  EXPECT_TRUE(RetentionPlan().empty());
}

TEST(Retention, IsReadFromTheConfigAndOffByDefault) {
  const Keys keys = {keep_key()};
  EXPECT_TRUE(retention_plan(resolve_config(keys, {}).config).empty());
  const auto some = resolve_config(keys, {"", {}, {{"keep.records", "90d"}}});
  ASSERT_TRUE(some.problems.empty());
  EXPECT_EQ(retention_plan(some.config).records, 90 * 24h);
  EXPECT_FALSE(retention_plan(some.config).jobs.has_value());
  EXPECT_FALSE(resolve_config(keys, {"", {}, {{"keep.jobs", "soon"}}}).problems.empty());
}

TEST(Retention, SaysWhatWentAndNothingOfTheRest) {
  EXPECT_EQ(pruned_words({}), "");
  EXPECT_EQ(
      pruned_words({.items = 0, .records = 1, .results = 2, .failures = 0, .job_ids = {"a"}, .more = false}),
      "1 record with 2 verdicts, 1 job");
  EXPECT_EQ(
      pruned_words({.items = 3, .records = 0, .results = 0, .failures = 1, .job_ids = {}, .more = false}),
      "1 failure, 3 items");
}

TEST(Retention, KnowsAJobsDirectoryFromOthers) {
  const fs::path folder = fs::temp_directory_path() / ("assay_retention_" + std::to_string(::getpid()));
  const std::string id = persona::context_id("run", "job");
  fs::create_directories(folder / id);
  EXPECT_FALSE(is_job_directory((folder / id).string())) << "without a snapshot";
  ASSERT_TRUE(write_file((folder / id / "items.jsonl").string(), "").has_value());
  EXPECT_TRUE(is_job_directory((folder / id).string()));
  fs::create_directories(folder / "notes");
  ASSERT_TRUE(write_file((folder / "notes/items.jsonl").string(), "").has_value());
  EXPECT_FALSE(is_job_directory((folder / "notes").string()));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
