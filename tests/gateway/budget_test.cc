#include "gateway/budget.h"

#include <limits>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Budget, ReservesWhatIsUnderWayAndNeverPassesTheLimit) {
  Budget budget(100);
  EXPECT_TRUE(budget.reserve(60));
  EXPECT_FALSE(budget.reserve(60));
  budget.settle(60, 10);
  EXPECT_TRUE(budget.reserve(90));
  EXPECT_FALSE(budget.reserve(1));
  EXPECT_EQ(budget.spent(), 10);
}

TEST(Budget, WithoutALimitEverythingMayBeSpent) {
  Budget unlimited(std::nullopt);
  EXPECT_TRUE(unlimited.reserve(1'000'000'000'000'000));
  unlimited.settle(1'000'000'000'000'000, 5);
  EXPECT_EQ(unlimited.spent(), 5);
}

TEST(Budget, WhatAnEarlierSittingSpentCounts) {
  Budget budget(100);
  budget.spend(95);
  EXPECT_FALSE(budget.reserve(6));
  EXPECT_TRUE(budget.reserve(5));
}

// A billion dollars are a way to say "none".
TEST(Budget, AHugeLimitIsHeldInsteadOfOverflowing) {
  EXPECT_EQ(picousd(20), 20'000'000'000'000);
  EXPECT_EQ(picousd(9.1e6), 9'100'000'000'000'000'000);
  EXPECT_EQ(picousd(9.3e6), kMost);
  EXPECT_EQ(picousd(1e300), kMost);
  Budget budget(picousd(1e9));
  EXPECT_TRUE(budget.reserve(picousd(1000)));
  budget.settle(picousd(1000), picousd(1000));
  EXPECT_TRUE(budget.reserve(picousd(1000)));
}

TEST(Budget, SumsStayAtTheLargestNumber) {
  EXPECT_EQ(saturating_add(kMost - 1, 5), kMost);
  EXPECT_EQ(saturating_add(2, 3), 5);
  Budget budget(100);
  budget.spend(kMost);
  budget.spend(kMost);
  EXPECT_EQ(budget.spent(), kMost);
  EXPECT_FALSE(budget.reserve(1));
}

}  // namespace
}  // namespace assay
