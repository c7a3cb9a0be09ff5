#include "stats/cosine.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Cosine, IsTheCosineOfTheAngle) {
  const std::array<float, 3> x{1, 0, 0};
  // 1·4 + 2·5 + 3·6 = 32, lengths √14 and √77: by hand.
  EXPECT_DOUBLE_EQ(cosine_similarity(std::array<float, 3>{1, 2, 3}, std::array<float, 3>{4, 5, 6}),
                   32 / std::sqrt(14.0 * 77.0));
  EXPECT_DOUBLE_EQ(cosine_similarity(x, std::array<float, 3>{3, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(cosine_similarity(x, std::array<float, 3>{-2, 0, 0}), -1);
  EXPECT_DOUBLE_EQ(cosine_similarity(x, std::array<float, 3>{0, 5, 0}), 0);
  EXPECT_DOUBLE_EQ(cosine_similarity(x, std::array<float, 3>{0, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(cosine_similarity(std::array<float, 1>{3e38F}, std::array<float, 1>{3e38F}), 1)
      << "no overflow";
  const std::vector<float> long_one(3000, 0.1F);
  EXPECT_LE(cosine_similarity(long_one, long_one), 1) << "rounding does not lead out of the range";
}

}  // namespace
}  // namespace assay
