#include "evaluations/case_spread.h"

#include <cmath>
#include <limits>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const Summary& summary) {
  std::vector<std::string> names;
  for (const Plot& plot : summary.plots) names.push_back(plot.name);
  return names;
}

TEST(BinnedValues, GivesBackValuesThatAreAloneInTheirBin) {
  BinnedValues values = BinnedValues::linear({0, 1}, 1000);
  for (const double value : {0.25, 0.25, 0.5, 0.75, 1.0}) values.add(value);
  values.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(values.n(), 5);
  EXPECT_DOUBLE_EQ(values.quantile(0.25), 0.25);
  EXPECT_DOUBLE_EQ(values.quantile(0.5), 0.5);
  EXPECT_DOUBLE_EQ(values.quantile(1), 1);
  const Box box = values.box("b");
  EXPECT_DOUBLE_EQ(box.low, 0.25);
  EXPECT_DOUBLE_EQ(box.high, 1);
}

TEST(BinnedValues, CountsEveryValueOnceWhateverTheBins) {
  BinnedValues values = BinnedValues::linear({0, 1}, 1000);
  for (int i = 0; i <= 1000; ++i) values.add(i / 1000.0);
  values.add(7);
  values.add(-7);
  std::int64_t counted = 0;
  for (const HistogramBin& bin : values.histogram(20)) counted += bin.count;
  EXPECT_EQ(counted, 1003);
  EXPECT_DOUBLE_EQ(values.histogram(20).back().to, 1);
}

TEST(BinnedValues, OnALogarithmicAxisRiseToTheWholeInAsManyPointsAsAskedFor) {
  BinnedValues values = BinnedValues::logarithmic({0.01, 1e8});
  for (int i = 0; i < 10'000; ++i) values.add(std::pow(10, i % 700 / 100.0));
  values.add(0);
  const auto points = values.cumulative(50);
  ASSERT_EQ(points.size(), 50U);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].value, points[i - 1].value);
    EXPECT_GT(points[i].share, points[i - 1].share);
  }
  EXPECT_DOUBLE_EQ(points.back().share, 1);
}

TEST(CaseSpread, DrawsScoresThatAreMoreThanYesOrNo) {
  CaseSpread spread({{"coherence"}, {"accuracy"}, {"relevance"}});
  for (int i = 0; i < 8; ++i) {
    const Score scores[] = {{"coherence", i / 8.0}, {"accuracy", i % 2}, {"relevance", 0.5}, {"unknown", 3}};
    spread.add_scores(scores);
  }
  Summary summary;
  spread.add_plots(summary);
  EXPECT_THAT(names_of(summary), ElementsAre("scores", "distribution_coherence", "distribution_relevance"));
}

FinishedCase finished(double latency_ms, Json cost) {
  FinishedCase one;
  one.latency_ms = latency_ms;
  one.usage = JsonObject{{"cost_usd", std::move(cost)}};
  return one;
}

TEST(CaseSpread, DrawsLatencyAndCostOfCasesThatAskedOutside) {
  CaseSpread spread({});
  for (int i = 1; i <= 10; ++i) spread.add_finished(finished(100.0 * i, 0.01 * i));
  Summary summary;
  spread.add_plots(summary);
  ASSERT_THAT(names_of(summary), ElementsAre("latency", "cost"));
  EXPECT_THAT(summary.plots[0].caption,
              HasSubstr("Half of the cases: at most 500 ms; nine of ten: 900 ms; all of them: 1.0 s."));
}

// 20.0 and 20.1 ms fall into one bin, whose mean is neither.
TEST(CaseSpread, SaysOfNoMoreCasesThanThereAreHowLongTheyTook) {
  const auto caption = [](int cases) {
    CaseSpread spread({});
    for (int i = 1; i <= cases; ++i)
      spread.add_finished(finished(i == cases ? 20.1 : i + 1 == cases ? 20.0 : 10.0, nullptr));
    Summary summary;
    spread.add_plots(summary);
    return summary.plots[0].caption;
  };
  EXPECT_THAT(caption(9), HasSubstr("Half of the cases: at most 10 ms; all of them: 20.1 ms."));
  EXPECT_THAT(caption(99), HasSubstr("; nine of ten: 10 ms; all of them: 20.1 ms."));
  EXPECT_THAT(caption(100), HasSubstr("; nine of ten: 10 ms; 99 of 100: "));
}

TEST(CaseSpread, DrawsNoCostWhereAPriceIsUnknown) {
  CaseSpread spread({});
  for (int i = 1; i <= 10; ++i) spread.add_finished(finished(100, i == 2 ? Json(nullptr) : Json(0.01)));
  Summary summary;
  spread.add_plots(summary);
  EXPECT_THAT(names_of(summary), ElementsAre("latency"));
}

TEST(CaseSpread, DrawsNothingOfTwoCases) {
  CaseSpread spread({{"coherence"}});
  for (int i = 0; i < 2; ++i) {
    const Score scores[] = {{"coherence", 0.5}};
    spread.add_scores(scores);
    spread.add_finished(finished(100, 0.01));
  }
  Summary summary;
  spread.add_plots(summary);
  EXPECT_TRUE(summary.plots.empty());
}

}  // namespace
}  // namespace assay
