#include "stats/classification/classification.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference.h"

namespace assay {
namespace {

TEST(BinaryCounts, SortsEachCaseIntoItsCell) {
  BinaryCounts counts;
  counts.add(true, true);
  counts.add(true, false);
  counts.add(true, false);
  for (int i = 0; i < 3; ++i) counts.add(false, true);
  for (int i = 0; i < 4; ++i) counts.add(false, false);
  EXPECT_EQ(counts.tp, 1);
  EXPECT_EQ(counts.fn, 2);
  EXPECT_EQ(counts.fp, 3);
  EXPECT_EQ(counts.tn, 4);
  counts += {.tp = 10, .tn = 20, .fp = 30, .fn = 40};
  EXPECT_EQ(counts.total(), 110);
  EXPECT_EQ(counts.fn, 42);
}

// By hand: tp 6, tn 3, fp 1, fn 2. P 6/7, R 6/8, F1 12/15, F2 30/(30 + 8 + 1), accuracy 9/12,
// balanced (6/8 + 3/4)/2, MCC (18 - 2)/sqrt(7·8·4·5).
TEST(BinaryFigures, AreTheContractsFormulas) {
  const BinaryFigures figures = binary_figures({.tp = 6, .tn = 3, .fp = 1, .fn = 2});
  EXPECT_DOUBLE_EQ(figures.precision.value.value(), 6.0 / 7);
  EXPECT_DOUBLE_EQ(figures.recall.value.value(), 6.0 / 8);
  EXPECT_DOUBLE_EQ(figures.f1.value.value(), 12.0 / 15);
  EXPECT_DOUBLE_EQ(figures.f2.value.value(), 30.0 / 39);
  EXPECT_DOUBLE_EQ(figures.accuracy.value.value(), 9.0 / 12);
  EXPECT_DOUBLE_EQ(figures.balanced_accuracy.value.value(), 0.75);
  EXPECT_DOUBLE_EQ(figures.matthews_correlation.value.value(), 16 / std::sqrt(1120.0));

  EXPECT_EQ(figures.precision.method, "wilson");
  EXPECT_EQ(figures.precision.count, 6);
  EXPECT_EQ(figures.precision.n, 7);
  EXPECT_EQ(figures.recall.n, 8);
  EXPECT_EQ(figures.accuracy.n, 12);
  EXPECT_EQ(figures.f1.n, 9);
  for (const Estimate* figure :
       {&figures.f1, &figures.f2, &figures.balanced_accuracy, &figures.matthews_correlation}) {
    EXPECT_EQ(figure->method, "bootstrap_percentile");
    ASSERT_TRUE(figure->ci.has_value()) << figure->undefined;
    EXPECT_LT(figure->ci->low, *figure->value);
    EXPECT_GT(figure->ci->high, *figure->value);
  }
}

TEST(BinaryFigures, AgreeWithScikitLearn) {
  const Json table = reference_values("matrices").at(0);  // labels no, yes
  BinaryCounts counts;
  for (std::size_t i = 0; i < table.at("expected").as_array().size(); ++i) {
    counts.add(table.at("expected").at(i) == "yes", table.at("actual").at(i) == "yes");
  }
  EXPECT_NEAR(precision(counts).value(), number(table.at("per_label").at("precision").at(1)), 1e-12);
  EXPECT_NEAR(recall(counts).value(), number(table.at("per_label").at("recall").at(1)), 1e-12);
  EXPECT_NEAR(f_beta(counts, 1).value(), number(table.at("per_label").at("f1").at(1)), 1e-12);
  EXPECT_NEAR(f_beta(counts, 2).value(), number(table.at("per_label").at("f2").at(1)), 1e-12);
  EXPECT_NEAR(accuracy(counts).value(), number(table.at("accuracy")), 1e-12);
  EXPECT_NEAR(balanced_accuracy(counts).value(), number(table.at("balanced_accuracy")), 1e-12);
  EXPECT_NEAR(matthews_correlation(counts).value(), number(table.at("matthews_correlation")), 1e-12);
}

// scikit-learn with zero_division=nan (shared reference/chat-components.md, 2.2).
TEST(BinaryFigures, OfAGuardrailNeverExpectedAndNeverTriggeredAreUndefined) {
  const BinaryFigures figures = binary_figures({.tn = 5});
  EXPECT_FALSE(figures.precision.value.has_value());
  EXPECT_FALSE(figures.recall.value.has_value());
  EXPECT_FALSE(figures.f1.value.has_value());
  EXPECT_EQ(figures.precision.undefined, "no case was classified as positive");
  EXPECT_EQ(figures.recall.undefined, "no case was expected to be positive");
  EXPECT_EQ(figures.f1.undefined, "no case was expected or classified as positive");
  EXPECT_DOUBLE_EQ(figures.accuracy.value.value(), 1);
}

TEST(BinaryFigures, OfAFalseAlarmOnlyHaveNoRecallAndZeroF) {
  const BinaryFigures figures = binary_figures({.tn = 5, .fp = 2});
  EXPECT_EQ(figures.precision.value, 0);
  EXPECT_FALSE(figures.recall.value.has_value());
  EXPECT_EQ(figures.f1.value, 0);
  EXPECT_FALSE(figures.balanced_accuracy.value.has_value());
  EXPECT_FALSE(figures.matthews_correlation.value.has_value());
}

TEST(BinaryFigures, OfMissedPositivesOnlyHaveNoPrecisionAndZeroF) {
  const BinaryFigures figures = binary_figures({.tn = 5, .fn = 2});
  EXPECT_FALSE(figures.precision.value.has_value());
  EXPECT_EQ(figures.recall.value, 0);
  EXPECT_EQ(figures.f1.value, 0);
  EXPECT_EQ(f_beta({.tn = 5, .fn = 2}, 0), 0);
}

TEST(BinaryFigures, OfAPerfectRunClaimNoCertaintyForF) {
  const BinaryFigures figures = binary_figures({.tp = 4, .tn = 4});
  EXPECT_EQ(figures.f1.value, 1);
  EXPECT_FALSE(figures.f1.ci.has_value());
  EXPECT_NE(figures.f1.undefined.find("every resample gives the same"), std::string::npos);
  // Wilson for 4 of 4: 4/(4 + 3.8415) = 0.5101.
  EXPECT_NEAR(figures.recall.ci.value().low, 0.5101, 5e-5);
}

TEST(BinaryFigures, LoseTheIntervalWhenMostResamplesAreUndefined) {
  // One positive among 1000: a resample misses it with (1 - 1/1000)^1000 = 37 %, so F1 keeps its interval …
  EXPECT_TRUE(binary_figures({.tp = 1, .tn = 997, .fp = 1, .fn = 1}).f1.ci.has_value());
  // … while Matthews' needs both sides: with one tp alone it is 1 or undefined, and never spreads.
  const Estimate mcc = binary_figures({.tp = 1, .tn = 999}).matthews_correlation;
  EXPECT_EQ(mcc.value, 1);
  EXPECT_FALSE(mcc.ci.has_value());
}

TEST(BinaryFigures, OfNothingAreUndefined) {
  const BinaryFigures figures = binary_figures({});
  for (const Estimate* figure :
       {&figures.precision, &figures.recall, &figures.f1, &figures.f2, &figures.accuracy,
        &figures.balanced_accuracy, &figures.matthews_correlation}) {
    EXPECT_FALSE(figure->value.has_value());
    EXPECT_EQ(figure->undefined, "no observations");
  }
}

RC_GTEST_PROP(BinaryFigures, StayInRangeAndFLiesBetweenPrecisionAndRecall, ()) {
  const auto any = rc::gen::inRange<std::int64_t>(0, 50);
  const BinaryCounts counts{.tp = *any, .tn = *any, .fp = *any, .fn = *any};
  for (const double beta : {0.5, 1.0, 2.0}) {
    const auto f = f_beta(counts, beta);
    RC_ASSERT(f.has_value() == (counts.tp + counts.fp + counts.fn > 0));
    const auto p = precision(counts);
    const auto r = recall(counts);
    if (p && r) RC_ASSERT(*f >= std::min(*p, *r) - 1e-12 && *f <= std::max(*p, *r) + 1e-12);
  }
  if (const auto mcc = matthews_correlation(counts)) RC_ASSERT(std::fabs(*mcc) <= 1 + 1e-12);
}

RC_GTEST_PROP(BinaryFigures, MatthewsIsUnchangedWhenTheClassesSwapNames, ()) {
  const auto any = rc::gen::inRange<std::int64_t>(0, 50);
  const BinaryCounts counts{.tp = *any, .tn = *any, .fp = *any, .fn = *any};
  const BinaryCounts swapped{.tp = counts.tn, .tn = counts.tp, .fp = counts.fn, .fn = counts.fp};
  const auto one = matthews_correlation(counts);
  const auto other = matthews_correlation(swapped);
  RC_ASSERT(one.has_value() == other.has_value());
  if (one) RC_ASSERT(std::fabs(*one - *other) < 1e-12);
}

}  // namespace
}  // namespace assay
