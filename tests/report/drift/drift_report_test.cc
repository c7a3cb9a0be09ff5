#include "report/drift/drift_report.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

// Runs one a day; 30 anchors, of which every other one is right. From `changed` on, eight more pass.
AnchorRun run(int day, bool changed, const char* judge = "openai/gpt-4o") {
  AnchorRun one;
  one.run.directory = fmt::format("results/day{:02}", day);
  one.run.summary.evaluation = "rag_answers";
  one.run.summary.started = fmt::format("2026-11-{:02}T06:00:00Z", day);
  one.run.summary.anchors = AnchorsReport{"anchors.jsonl", "abc", "coherence.mean", {0, 1}, 30, 30};
  one.run.judging = JsonObject{{"judge", JsonObject{{"model", judge}}}};
  for (int i = 0; i < 30; ++i) {
    const std::string id = fmt::format("a{}", i);
    one.labels[id] = i % 2;
    one.scores[id] = i % 2 == 1 || (changed && i < 16) ? 1 : 0;
  }
  return one;
}

TEST(DriftReport, NamesTheRunWithWhichTheJudgeChangedWhateverTheOrderOfTheRuns) {
  std::vector<AnchorRun> runs;
  for (int day = 9; day >= 1; --day) runs.push_back(run(day, day >= 7));
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_TRUE(report.drifted);
  ASSERT_EQ(report.series.size(), 1U);
  ASSERT_EQ(report.series[0].course.drifts.size(), 1U);
  EXPECT_EQ(report.series[0].runs[report.series[0].course.drifts[0].changed].directory, "results/day07");
  // Eight of thirty rise by 1: mean 0.2667; t with 29 degrees of freedom.
  EXPECT_TRUE(
      report.sentences.front().starts_with("The judge has changed: from results/day07 (2026-11-07 06:00:00 "
                                           "UTC) on it scores Coherence · mean 0.267 "
                                           "higher (95% interval 0.099 – 0.435) on 30 anchors"))
      << report.sentences.front();
  EXPECT_TRUE(drift_text(report).contains("results/day07  <- changed"));
}

// Scores from 0 to 1 with a threshold are hardly ever equal to people's: the run knows what is the same.
TEST(DriftReport, HasTheAgreementThatTheRunsHave) {
  std::vector<AnchorRun> runs;
  for (int day = 1; day <= 2; ++day) {
    AnchorRun& one = runs.emplace_back(run(day, false));
    for (auto& [id, score] : one.scores) score = score * 0.9 + 0.01;
    Metric agreement;
    agreement.name = "anchors.agreement";
    if (day == 1) agreement.estimate.value = 0.9;
    one.run.summary.metrics.push_back(agreement);
  }
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_EQ(report.series[0].runs[0].agreement, 0.9);
  EXPECT_FALSE(report.series[0].runs[1].agreement);
}

TEST(DriftReport, TellsAnotherJudgeFromDrift) {
  std::vector<AnchorRun> runs;
  for (int day = 1; day <= 6; ++day) runs.push_back(run(day, false));
  for (int day = 7; day <= 9; ++day) runs.push_back(run(day, true, "openai/gpt-5"));
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_FALSE(report.drifted);
  ASSERT_EQ(report.series.size(), 2U);
  EXPECT_TRUE(report.series[0].differs.empty());
  ASSERT_EQ(report.series[1].differs.size(), 1U);
  EXPECT_TRUE(report.series[1].differs[0].contains("openai/gpt-4o")) << report.series[1].differs[0];
  EXPECT_TRUE(report.sentences.back().contains("not drift, with a series of its own"))
      << report.sentences.back();
}

// The task that an anchor answers was corrected: the judge answers otherwise because it was asked otherwise.
TEST(DriftReport, TellsWhatTheJudgeIsShownFromDrift) {
  std::vector<AnchorRun> runs;
  for (int day = 1; day <= 9; ++day) {
    runs.push_back(run(day, day >= 7));
    // The first run is of a program that did not keep it.
    for (const auto& [id, label] : runs.back().labels)
      if (day > 1) runs.back().shown[id] = day >= 7 && id.size() == 2 ? "corrected" : "as it was";
  }
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_FALSE(report.drifted);
  ASSERT_EQ(report.series.size(), 2U);
  EXPECT_EQ(report.series[0].runs.size(), 6U);
  EXPECT_TRUE(report.sentences.back().contains(
      "(what the judge is shown with 10 anchors differs: a0, a1, a2, a3, a4, …): not drift"))
      << report.sentences.back();
}

TEST(DriftReport, HasNothingToSayOfOneRun) {
  std::vector<AnchorRun> runs;
  runs.push_back(run(1, false));
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_TRUE(report.sentences.front().starts_with("One run is nothing to compare with"));
  EXPECT_FALSE(report.drifted);
}

// Other anchors are another series, even with the same judge.
TEST(DriftReport, NeverMixesAnchors) {
  std::vector<AnchorRun> runs;
  for (int day = 1; day <= 4; ++day) runs.push_back(run(day, false));
  for (int day = 5; day <= 8; ++day) {
    runs.push_back(run(day, true));
    runs.back().run.summary.anchors->hash = "def";
  }
  const DriftReport report = drift_report(std::move(runs));
  EXPECT_EQ(report.series.size(), 2U);
  EXPECT_FALSE(report.drifted);
}

}  // namespace
}  // namespace assay
