#include "stats/items/wrong_keys.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.h"

namespace assay {
namespace {

// Six systems from weak to strong, 120 cases with five classes; the keys of the last six cases are wrong.
struct Planted {
  SolvedTable table{6, 120, std::vector<double>(720)};
  std::vector<int> answers = std::vector<int>(720);

  Planted() {
    Random random = Random::keyed("six wrong keys");
    for (std::size_t i = 0; i < table.cases; ++i) {
      const double ease = random.normal();
      const int key = i >= 114 ? 1 : 0;  // the right answer is 0
      for (std::size_t j = 0; j < table.systems; ++j) {
        const double ability = 0.5 + 0.4 * static_cast<double>(j);
        const bool able = random.uniform() < 1 / (1 + std::exp(-(ability + ease)));
        const int answer = able ? 0 : 1 + static_cast<int>(random.below(4));
        answers[j * table.cases + i] = answer;
        table.cells[j * table.cases + i] = answer == key ? 1 : 0;
      }
    }
  }
};

TEST(WrongKeys, ArePlacedBeforeHardCasesWhereTheAnswersAgree) {
  const Planted planted;
  const WrongKeys keys = suspect_keys(planted.table, planted.answers);
  ASSERT_EQ(keys.undefined, "");
  int found = 0;
  int in_vain = 0;
  for (std::size_t i = 0; i < planted.table.cases; ++i) {
    if (keys.probability[i] >= 0.5) (i >= 114 ? found : in_vain) += 1;
  }
  EXPECT_GE(found, 3);
  EXPECT_LE(in_vain, 1);
  EXPECT_GT(keys.abilities.back(), keys.abilities.front());
  EXPECT_NEAR(keys.spread, 1, 0.6);
}

TEST(WrongKeys, AreNotClaimedWhereNoneIs) {
  Planted planted;
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 114; i < 120; ++i)
      planted.table.cells[j * 120 + i] = planted.answers[j * 120 + i] == 0 ? 1 : 0;
  }
  const WrongKeys keys = suspect_keys(planted.table, planted.answers);
  EXPECT_LT(keys.share, 0.02);
  for (const double probability : keys.probability) EXPECT_LT(probability, 0.5);
}

TEST(WrongKeys, NeedTwoSystemsAndTwoCases) {
  EXPECT_NE(suspect_keys({1, 2, {1, 0}}).undefined, "");
  EXPECT_NE(suspect_keys({2, 1, {1, 0}}).undefined, "");
  EXPECT_NE(suspect_keys({2, 2, {1, 0, 1, 0}}, std::vector<int>{1}).undefined, "");
  // A system that solves everything, and one without any score, stay at finite places.
  const double absent = std::nan("");
  for (const double ability : suspect_keys({2, 2, {1, 1, absent, absent}}).abilities)
    EXPECT_TRUE(std::isfinite(ability));
}

}  // namespace
}  // namespace assay
