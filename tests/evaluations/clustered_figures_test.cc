#include "evaluations/clustered_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

Metric figure(std::string name, double value) {
  Metric metric;
  metric.name = std::move(name);
  metric.estimate = plain_figure(value, 20);
  metric.estimate.ci = Interval{0.1, 0.2};
  metric.estimate.method = "wilson";
  return metric;
}

// Five clusters of four: mean 0.55, clustered standard error 0.1837117 with C/(C−1); t with 4 degrees of
// freedom is 2.776445, so the half width is 0.5100653.
TEST(ClusteredFigures, AMeanOverCasesGetsTheClusteredInterval) {
  ClusteredFigures clustered;
  const std::pair<const char*, const char*> clusters[] = {
      {"a", "1111"}, {"b", "0001"}, {"c", "1101"}, {"d", "0000"}, {"e", "1011"}};
  for (const auto& [name, scores] : clusters) {
    for (const char* score = scores; *score != '\0'; ++score) clustered.add(name, "accuracy", *score - '0');
  }
  Summary summary;
  summary.metrics.push_back(figure("accuracy", 0.55));
  clustered.apply(summary);
  const Estimate& accuracy = summary.metrics[0].estimate;
  EXPECT_EQ(accuracy.method, "t_clustered");
  ASSERT_TRUE(accuracy.ci);
  EXPECT_NEAR(accuracy.ci->low, 0.55 - 0.5100653, 1e-6);
  EXPECT_EQ(accuracy.ci->high, 1) << "a mean of scores up to 1 lies there too";
}

TEST(ClusteredFigures, AnyOtherIntervalIsTakenAwayWithTheReason) {
  ClusteredFigures clustered;
  clustered.add("a", "accuracy", 1);
  clustered.add("b", "accuracy", 0);
  Summary summary;
  summary.metrics.push_back(figure("macro.f1", 0.5));
  clustered.apply(summary);
  EXPECT_FALSE(summary.metrics[0].estimate.ci);
  EXPECT_EQ(summary.metrics[0].estimate.value, 0.5);
  EXPECT_THAT(summary.metrics[0].estimate.undefined, testing::HasSubstr("the cases come in clusters"));
}

TEST(ClusteredFigures, OneClusterSaysNothingAboutTheError) {
  ClusteredFigures clustered;
  clustered.add("a", "accuracy", 1);
  clustered.add("a", "accuracy", 0);
  Summary summary;
  summary.metrics.push_back(figure("accuracy", 0.5));
  clustered.apply(summary);
  EXPECT_FALSE(summary.metrics[0].estimate.ci);
  EXPECT_NE(summary.metrics[0].estimate.undefined, "");
}

TEST(ClusteredFigures, WithoutClustersNothingChanges) {
  Summary summary;
  summary.metrics.push_back(figure("accuracy", 0.5));
  ClusteredFigures().apply(summary);
  EXPECT_EQ(summary.metrics[0].estimate.method, "wilson");
}

// Two clusters with means −0.5 and 0.5: SE = 0.5, and t with one degree of freedom 12.706.
TEST(ClusteredFigures, AnIntervalIsCutAtTheRangeOfItsFigure) {
  ClusteredFigures clustered;
  for (const char* name : {"correct.difference.new", "paired.difference.new"}) {
    clustered.add("a", name, -0.5);
    clustered.add("b", name, 0.5);
  }
  Summary summary;
  summary.metrics = {figure("correct.difference.new", 0), figure("paired.difference.new", 0)};
  summary.metrics[1].estimate.method = "paired_t_clustered_plus_one";
  const std::vector<MeanFigure> means = {{"correct.difference.new", {-1, 1}}};
  clustered.apply(summary, means);
  EXPECT_EQ(summary.metrics[0].estimate.ci->low, -1);
  EXPECT_EQ(summary.metrics[0].estimate.ci->high, 1);
  EXPECT_EQ(summary.metrics[1].estimate.ci->low, 0.1) << "a paired difference has its own";
}

}  // namespace
}  // namespace assay
