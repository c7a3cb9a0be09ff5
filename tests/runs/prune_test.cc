// Which runs are meant, and what of their directories goes: what the run made, and nothing else.
#include "runs/prune.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

const WallTime kNow = parse_iso_time("2026-11-18T00:00:00Z").value();

FoundRun found(const std::string& directory, const std::string& evaluation, int days, RunState state) {
  FoundRun run;
  run.directory = directory;
  run.evaluation = evaluation;
  run.written = kNow - days * 24h;
  run.complete = state != RunState::unfinished;
  run.gates_passed = state != RunState::gate_failed;
  return run;
}

// Newest first, as they are listed.
const std::vector<FoundRun> kRuns = {
    found("e", "rag_answers", 1, RunState::done), found("d", "rag_answers", 10, RunState::gate_failed),
    found("c", "retrieval", 20, RunState::done), found("b", "rag_answers", 30, RunState::unfinished),
    found("a", "rag_answers", 40, RunState::done)};

std::vector<std::string> chosen(const PruneChoice& choice) {
  std::vector<std::string> names;
  for (const FoundRun& run : chosen_runs(kRuns, choice, kNow)) names.push_back(run.directory);
  return names;
}

TEST(ChosenRuns, FitAllThatIsSaid) {
  EXPECT_THAT(chosen({.older_than = 20 * 24h}), ElementsAre("c", "b", "a"));
  EXPECT_THAT(chosen({.older_than = 20 * 24h + 1ns}), ElementsAre("b", "a"));
  EXPECT_THAT(chosen({.states = {RunState::unfinished, RunState::gate_failed}}), ElementsAre("d", "b"));
  EXPECT_THAT(chosen({.older_than = 15 * 24h, .states = {RunState::done}}), ElementsAre("c", "a"));
}

TEST(ChosenRuns, LeaveTheNewestOfEachEvaluationWhateverTheirState) {
  EXPECT_THAT(chosen({.keep = 0}), ElementsAre("e", "d", "c", "b", "a"));
  EXPECT_THAT(chosen({.keep = 1}), ElementsAre("d", "b", "a"));
  EXPECT_THAT(chosen({.keep = 2, .states = {RunState::done}}), ElementsAre("a"));
  EXPECT_THAT(chosen({.keep = 9}), IsEmpty());
}

class PruneTest : public ::testing::Test {
 protected:
  PruneTest() : folder_(fs::temp_directory_path() / ("assay_prune_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run/plots");
    write("run/config.yaml", "evaluation: rag_answers\n");
    write("run/run.db", "a journal");
    write("run/run.db.lock", "");
  }
  ~PruneTest() override { fs::remove_all(folder_); }

  std::string run() const { return (folder_ / "run").string(); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file((folder_ / name).string(), text).has_value());
  }
  // A finished run with a file of the evaluation's own, sealed.
  void finish() {
    write("run/summary.json", "{}");
    write("run/judgements.json", "[]");
    write("run/plots/own.svg", "<svg/>");
    ASSERT_TRUE(write_seal(run(), {}).has_value());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      all.push_back(entry.path().lexically_relative(folder_).string());
    std::ranges::sort(all);
    return all;
  }
  PrunedRun prune(Pruning how) {
    FoundRun found;
    found.directory = run();
    return prune_run(found, how);
  }
  fs::path folder_;
};

TEST_F(PruneTest, LookingLeavesEverythingAndTellsWhatRemovingTakes) {
  finish();
  const auto before = names();
  const PrunedRun looked = prune(Pruning::look);
  EXPECT_EQ(names(), before);
  const PrunedRun removed = prune(Pruning::remove);
  EXPECT_TRUE(looked.goes());
  EXPECT_EQ(looked.files, 7);
  EXPECT_EQ(removed.files, looked.files);
  EXPECT_EQ(removed.bytes, looked.bytes);
  EXPECT_GT(removed.bytes, 30);
  EXPECT_THAT(names(), IsEmpty()) << "the directory goes, too";
}

TEST_F(PruneTest, LeavesWhatTheRunDidNotMakeAndNamesIt) {
  finish();
  write("run/thesis.txt", "years of work");
  write("run/plots/mine.png", "");
  fs::create_directory(folder_ / "run/empty");
  const PrunedRun removed = prune(Pruning::remove);
  EXPECT_THAT(removed.left, ElementsAre("plots/mine.png", "thesis.txt"));
  EXPECT_THAT(names(), ElementsAre("run", "run/empty", "run/plots", "run/plots/mine.png", "run/thesis.txt"));
}

TEST_F(PruneTest, KnowsTheFilesOfARunThatWasNotSealed) {
  for (const char* name : {"run/run.db-wal", "run/run.db-shm", "run/run.db.head", "run/run.db.new-journal",
                           "run/results.jsonl.4711.3.tmp", "run/seal.sha256.before"})
    write(name, "x");
  write("run/run.dbs", "somebody's");
  write("run/task.yaml", "of a benchmark, perhaps changed by hand");
  const PrunedRun removed = prune(Pruning::remove);
  EXPECT_THAT(removed.left, ElementsAre("run.dbs", "task.yaml"));
  EXPECT_THAT(names(), ElementsAre("run", "run/plots", "run/run.dbs", "run/task.yaml"));
}

// Other tools write a config.yaml, a summary.json and a results.jsonl, too.
TEST_F(PruneTest, LeavesADirectoryAloneThatOnlyHasNamesLikeARuns) {
  for (const char* name : {"run/run.db", "run/run.db.lock"}) fs::remove(folder_ / name);
  write("run/summary.json", "{\"loss\": 0.1}");
  write("run/results.jsonl", "{}");
  const auto before = names();
  for (const Pruning how : {Pruning::look, Pruning::remove})
    EXPECT_THAT(prune(how).kept, HasSubstr("it may be somebody else's"));
  EXPECT_EQ(names(), before);
}

TEST_F(PruneTest, LeavesARunAloneThatIsUnderWay) {
  finish();
  const auto before = names();
  const auto lock = RunStore::lock(run());
  ASSERT_TRUE(lock.has_value());
  for (const Pruning how : {Pruning::look, Pruning::remove}) {
    const PrunedRun pruned = prune(how);
    EXPECT_THAT(pruned.kept, HasSubstr("under way"));
    EXPECT_EQ(pruned.bytes, 0);
  }
  EXPECT_EQ(names(), before);
}

TEST_F(PruneTest, FollowsNoLinks) {
  finish();
  fs::create_directory(folder_ / "elsewhere");
  write("elsewhere/summary.json", "{}");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "run/away");
  EXPECT_THAT(prune(Pruning::remove).left, ElementsAre("away"));
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere/summary.json"));
}

TEST_F(PruneTest, DoesNotReachARunThroughALink) {
  finish();
  fs::create_directory_symlink(folder_ / "run", folder_ / "link");
  FoundRun found;
  found.directory = (folder_ / "link").string();
  EXPECT_THAT(prune_run(found, Pruning::remove).kept, HasSubstr("is a link"));
  EXPECT_TRUE(fs::exists(folder_ / "run/summary.json"));
}

// What goes last is what keeps a removal that was cut off from being taken for somebody's directory.
TEST_F(PruneTest, WhatIsLeftOfARemovalIsStillSeenAsARun) {
  finish();
  for (const char* gone : {"run.db", "summary.json", "judgements.json", "plots", "seal.sha256"}) {
    fs::remove_all(folder_ / "run" / gone);
    EXPECT_TRUE(is_run_directory(run())) << gone;
  }
  EXPECT_EQ(prune(Pruning::remove).files, 2);
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace assay
