#include "stats/intervals/cluster_numbers.h"

#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ClusterNumbers, FollowTheOrderOfFirstSightHoweverManyThereAre) {
  ClusterNumbers numbers;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 100'000; ++i)
      ASSERT_EQ(numbers.of("document " + std::to_string(i * 7919)), i) << round;
  }
  EXPECT_EQ(numbers.of(""), 100'000U);
  EXPECT_EQ(numbers.count(), 100'001U);
}

}  // namespace
}  // namespace assay
