#include "stats/judging/sway.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

// n cases in which the change takes the score from `before` to `after`, and the judge never wavers.
std::vector<JudgedThrice> steady(int n, double before, double after) {
  return std::vector<JudgedThrice>(static_cast<std::size_t>(n), JudgedThrice{after, before, before});
}

TEST(ExchangeTest, CountsTheWaysToSayWhichJudgementWasOfTheChangedText) {
  // Of four cases that all rose by one, the changed one is the odd one out in all: the mean is at its
  // largest, 1, in one of 3^4 ways, and no way goes as far down (the lowest is −½). p = 1/81 = 0.01235.
  const TestResult test = exchange_test(steady(4, 0, 1), {.draws = 200'000});
  EXPECT_NEAR(*test.p, 1.0 / 81, 0.002);
  EXPECT_DOUBLE_EQ(*test.statistic, 1);
}

TEST(ExchangeTest, FindsNothingWhereNothingDiffers) {
  EXPECT_DOUBLE_EQ(*exchange_test(steady(20, 0.5, 0.5), {}).p, 1);
  EXPECT_FALSE(exchange_test({}, {}).p);
}

TEST(Sway, OfAJudgeThatIsMovedSaysHowOftenAndHowFar) {
  std::vector<JudgedThrice> cases = steady(14, 0, 1);
  for (const JudgedThrice& one : steady(6, 1, 1)) cases.push_back(one);
  const Sway sway = sway_of(cases, {});
  EXPECT_EQ(sway.n, 20);
  EXPECT_EQ(*sway.moved.count, 14);
  EXPECT_NEAR(sway.moved.ci->low, 0.4810, 1e-3);  // Wilson of 14 in 20
  EXPECT_NEAR(sway.moved.ci->high, 0.8545, 1e-3);
  EXPECT_DOUBLE_EQ(*sway.shift.value, 0.7);
  EXPECT_EQ(sway.own, 0);
  EXPECT_NEAR(*sway.more_often.p, 2 * std::pow(0.5, 14), 1e-12);
  EXPECT_LT(*sway.p, 0.001);
}

TEST(Sway, OfAJudgeThatNeverMovesSaysWhatSoManyCasesLeaveOpen) {
  const Sway sway = sway_of(steady(40, 1, 1), {});
  EXPECT_DOUBLE_EQ(*sway.shift.value, 0);
  EXPECT_EQ(sway.shift.method, "all_equal");
  EXPECT_NEAR(sway.shift.ci->high, 1 - std::pow(0.05, 1.0 / 40), 1e-12);
  EXPECT_DOUBLE_EQ(*sway.p, 1);
}

TEST(Sway, DoesNotCountWhatTheJudgeDoesByItself) {
  // The score of every case goes up and down by itself as often as by the change.
  std::vector<JudgedThrice> cases;
  for (int i = 0; i < 30; ++i)
    cases.push_back({i % 3 == 0 ? 1.0 : 0.0, i % 3 == 1 ? 1.0 : 0.0, i % 3 == 2 ? 1.0 : 0.0});
  const Sway sway = sway_of(cases, {});
  EXPECT_EQ(*sway.moved.count, 20);
  EXPECT_EQ(sway.own, 20);
  EXPECT_GT(*sway.p, 0.9);
}

TEST(Sway, TakesSmallDifferencesForNone) {
  const Sway sway = sway_of(steady(10, 3, 3.3), {.range = {1, 5}, .moved = 0.1});
  EXPECT_EQ(*sway.moved.count, 0);
  EXPECT_NEAR(*sway.shift.value, 0.3, 1e-12);
}

TEST(Sway, HonoursClusters) {
  std::vector<JudgedThrice> cases = steady(20, 0, 0);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].cluster = i < 10 ? "a" : "b";
  const Sway sway = sway_of(cases, {});
  EXPECT_EQ(sway.shift.method, "all_equal_clustered");
  EXPECT_NEAR(sway.shift.ci->high, 1 - std::sqrt(0.05), 1e-12);  // two units, not twenty
}

TEST(Notice, CountsCasesThatCouldFall) {
  std::vector<JudgedThrice> cases = steady(18, 1, 0.2);
  for (const JudgedThrice& one : steady(5, 0.2, 0)) cases.push_back(one);  // too low to fall
  const Notice notice = notice_of(cases, BetterScore::higher, {});
  EXPECT_EQ(notice.n, 18);
  EXPECT_EQ(notice.left_out, 5);
  EXPECT_EQ(*notice.noticed.count, 18);
  EXPECT_EQ(notice.verdict, Notice::Verdict::noticed);
}

TEST(Notice, OverlooksWhatMovesNothing) {
  const Notice notice = notice_of(steady(20, 1, 1), BetterScore::higher, {});
  EXPECT_EQ(*notice.noticed.count, 0);
  EXPECT_EQ(notice.verdict, Notice::Verdict::overlooked);
  // Two cases say nothing.
  EXPECT_EQ(notice_of(steady(2, 1, 1), BetterScore::higher, {}).verdict, Notice::Verdict::open);
}

TEST(Notice, OfAScaleOnWhichLessIsBetterTurnsRound) {
  const Notice notice = notice_of(steady(12, 0, 1), BetterScore::lower, {});
  EXPECT_EQ(notice.verdict, Notice::Verdict::noticed);
  EXPECT_DOUBLE_EQ(*notice.shift.value, -1);
  EXPECT_EQ(notice_of(steady(12, 1, 0), BetterScore::lower, {}).n, 0);
}

TEST(Notice, IsNotFooledByAJudgeThatFallsByItself) {
  // A judge by the throw of a coin: of the cases that it liked at first half fall, with the fault and
  // without.
  std::vector<JudgedThrice> cases;
  for (int i = 0; i < 60; ++i) cases.push_back({i % 2 == 0 ? 0.0 : 1.0, 1.0, (i / 2) % 2 == 0 ? 0.0 : 1.0});
  const Notice notice = notice_of(cases, BetterScore::higher, {});
  EXPECT_EQ(*notice.noticed.count, 30);
  EXPECT_EQ(notice.own, 30);
  EXPECT_EQ(notice.verdict, Notice::Verdict::open);
}

}  // namespace
}  // namespace assay
