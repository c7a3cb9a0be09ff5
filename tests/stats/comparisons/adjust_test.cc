#include "stats/comparisons/adjust.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

using PValues = std::vector<std::optional<double>>;

PValues given(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

int rejected(const PValues& adjusted, double level) {
  return static_cast<int>(std::ranges::count_if(adjusted, [&](const auto& p) { return p && *p <= level; }));
}

void expect_near(const PValues& adjusted, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i].value(), expected[i], tolerance);
}

// Benjamini, Hochberg 1995: fifteen p-values at level 0.05; Bonferroni, Holm and Hochberg reject 3, BH 4,
// BY 3.
const PValues kPublished = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                            .0459, .3240, .4262, .5719, .6528, .7590, 1.000};

TEST(Adjust, GivesThePublishedValues) {
  expect_near(holm(kPublished),
              {.0015, .0056, .0247, .1140, .2211, .2780, .2780, .2780, .3213, 1, 1, 1, 1, 1, 1}, 1e-12);
  expect_near(benjamini_hochberg(kPublished),
              {.0015, .0030, .0095, .035625, .0603, .06386, .06386, .0645, .0765, .486, .58118, .71488,
               .75323, .81321, 1},
              5.1e-6);  // printed to five digits
  EXPECT_EQ(rejected(holm(kPublished), 0.05), 3);
  EXPECT_EQ(rejected(benjamini_hochberg(kPublished), 0.05), 4);
  EXPECT_EQ(rejected(benjamini_yekutieli(kPublished), 0.05), 3);
  // Neither Bonferroni's m·p nor Hochberg's step up, min over j >= i of (m-j+1)·p_(j), finds more here.
  PValues bonferroni;
  PValues hochberg;
  double least = 1;
  for (std::size_t i = kPublished.size(); i > 0; --i) {
    least = std::min(least, static_cast<double>(16 - i) * *kPublished[i - 1]);
    hochberg.push_back(least);
    bonferroni.push_back(15 * *kPublished[i - 1]);
  }
  EXPECT_EQ(rejected(bonferroni, 0.05), 3);
  EXPECT_EQ(rejected(hochberg, 0.05), 3);
}

TEST(Adjust, AgreesWithR) {
  for (const Json& row : values_from_r("families").as_array()) {
    const PValues p = given(numbers(row.at("p")));
    expect_near(holm(p), numbers(row.at("holm")), 1e-13);
    expect_near(benjamini_hochberg(p), numbers(row.at("bh")), 1e-13);
    expect_near(benjamini_yekutieli(p), numbers(row.at("by")), 1e-13);
  }
}

TEST(Adjust, DoesNotCountWhatIsUndefined) {
  const PValues p = {0.02, std::nullopt, 0.01, std::nan(""), -0.5, 1.5};
  const PValues adjusted = holm(p);
  EXPECT_DOUBLE_EQ(adjusted[0].value(), 0.02);
  EXPECT_DOUBLE_EQ(adjusted[2].value(), 0.02);
  for (const std::size_t i : {1, 3, 4, 5}) EXPECT_FALSE(adjusted[i].has_value());
  EXPECT_DOUBLE_EQ(benjamini_hochberg(p)[2].value(), 0.02);
  EXPECT_DOUBLE_EQ(benjamini_yekutieli(p)[2].value(), 0.03);
  EXPECT_FALSE(benjamini_yekutieli(p)[1].has_value());
}

TEST(Adjust, LeavesOneTestAlone) {
  const PValues one = {0.04};
  EXPECT_EQ(holm(one), one);
  EXPECT_EQ(benjamini_hochberg(one), one);
  EXPECT_EQ(benjamini_yekutieli(one), one);
  EXPECT_TRUE(holm(PValues{}).empty());
  EXPECT_FALSE(benjamini_hochberg(PValues{std::nullopt})[0].has_value());
}

RC_GTEST_PROP(Adjust, KeepsTheOrderOfTheInputAndOfThePValues,
              (const std::vector<unsigned>& raw, unsigned seed)) {
  PValues p;
  for (const unsigned value : raw) p.emplace_back(value % 1001 / 1000.0);
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  PValues shuffled;
  for (const std::size_t i : order) shuffled.push_back(p[i]);
  for (const auto& adjust : {holm, benjamini_hochberg, benjamini_yekutieli}) {
    const PValues adjusted = adjust(p);
    const PValues other = adjust(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(other[i] == adjusted[order[i]]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      RC_ASSERT(*adjusted[i] >= *p[i] && *adjusted[i] <= 1);
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (*p[i] <= *p[j]) RC_ASSERT(*adjusted[i] <= *adjusted[j]);
      }
    }
  }
}

}  // namespace
}  // namespace assay
