#include "evaluations/benchmark/run_state.h"

#include <filesystem>

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "core/file.h"

namespace assay::benchmark {
namespace {

RunOutcome ended(std::int64_t sitting) {
  RunOutcome outcome;
  outcome.failed = false;
  outcome.sitting = sitting;
  return outcome;
}

RunState brought_back(const RunState& state) {
  Case input;
  input.payload = to_payload(state);
  return run_state_of(input.travelling());
}

TEST(EarlierSittings, LastIsTheHighestThatCameToItsEnd) {
  EarlierSittings earlier;
  take_outcome(ended(2), earlier);
  take_outcome(ended(1), earlier);
  take_outcome(RunOutcome(), earlier);  // cut off: a file that could not be read, a disk that was full
  EXPECT_EQ(earlier.last, 2);
}

TEST(EarlierSittings, BringEveryVerdictOfTheJudgeOnceAndNoneWhereItFailed) {
  EarlierSittings earlier;
  RunOutcome judged = ended(1);
  judged.judged = "score/1f0c";
  judged.score = 0.75;
  judged.details = {{"verdicts", 3}};
  take_outcome(judged, earlier);
  judged.sitting = 2;
  take_outcome(judged, earlier);
  take_outcome(ended(3), earlier);
  ASSERT_EQ(earlier.verdicts.size(), 1U);
  EXPECT_EQ(earlier.verdicts[0].of, "score/1f0c");
  EXPECT_EQ(earlier.verdicts[0].score, 0.75);
  EXPECT_EQ(earlier.last, 3);
}

TEST(RunState, TravelsWithItsCase) {
  RunState state;
  state.sitting = 3;
  state.path = "out/a.yaml";
  state.text = "conversation:\n- user_message: \"\u00fc\"\n";
  state.verdicts = {{"score/1f0c", 0.5, {{"verdicts", 1}}}};
  const RunState back = brought_back(state);
  EXPECT_EQ(back.sitting, 3);
  EXPECT_EQ(back.path, state.path);
  EXPECT_EQ(back.text, state.text);
  ASSERT_EQ(back.verdicts.size(), 1U);
  EXPECT_EQ(back.verdicts[0].score, 0.5);
  EXPECT_EQ(to_text(back.verdicts[0].details), R"({"verdicts":1})");
}

TEST(RunState, OfACaseWithoutPayloadIsThatOfARunThatHasNotBegun) {
  const RunState state = run_state_of(Case());
  EXPECT_EQ(state.sitting, 1);
  EXPECT_FALSE(state.text.has_value());
  EXPECT_EQ(state.problem, "");
}

TEST(RunState, HoldsTheFileAsItIsWhenTheCaseIsMade) {
  const std::string folder = testing::TempDir() + "run_state";
  std::filesystem::create_directories(folder + "");
  std::filesystem::remove(folder + "/run.yaml");
  EXPECT_FALSE(run_state({}, folder + "/run.yaml").text.has_value());
  ASSERT_TRUE(write_file(folder + "/run.yaml", "conversation: []\n"));
  const RunState state = run_state({.last = 2, .verdicts = {}}, folder + "/run.yaml");
  EXPECT_EQ(state.sitting, 3);
  EXPECT_EQ(state.text, "conversation: []\n");
  ASSERT_TRUE(write_file(folder + "/run.yaml", "answer: \xff\n"));
  EXPECT_EQ(brought_back(run_state({}, folder + "/run.yaml")).text, "answer: \uFFFD\n")
      << "bytes that are no text do not lose the rest";
}

}  // namespace
}  // namespace assay::benchmark
