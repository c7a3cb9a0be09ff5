#include "stats/comparisons/planning.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

// Miller 2024 (arXiv:2411.00640): δ = 0.03, ω² = 1/9, α = 0.05, power 0.8 needs 969 cases; with σ² = 1/6 and
// one answer each 3,875.99; 500 cases show 0.041764.
TEST(PairedPlan, GivesThePublishedFigures) {
  const SampleSize size = paired_sample_size(0.03, {.omega_squared = 1.0 / 9});
  EXPECT_NEAR(size.exact.value(), 968.997, 5e-4);
  EXPECT_EQ(size.cases, 969);
  const PairedSpread noisy{.omega_squared = 1.0 / 9, .sigma_squared_a = 1.0 / 6, .sigma_squared_b = 1.0 / 6};
  EXPECT_NEAR(paired_sample_size(0.03, noisy).exact.value(), 3875.99, 5e-3);
  EXPECT_NEAR(paired_minimum_effect({.omega_squared = 1.0 / 9}, 500).value.value(), 0.041764, 5e-7);
  EXPECT_NEAR(paired_power(0.03, {.omega_squared = 1.0 / 9}, 969).value.value(), 0.8, 1e-5);
}

// Variance ratio by repeats when Var(x) = 1/12 and σ² = 1/6: 1, 0.6667, 0.5556, 0.5, 0.4667, 0.4444.
TEST(PairedPlan, GainsFromRepeatsAsPublished) {
  const double ratios[] = {1, 0.6667, 0.5556, 0.5, 0.4667, 0.4444};
  const auto cases = [](double repeats) {
    return paired_sample_size(0.03,
                              {.omega_squared = 1.0 / 12, .sigma_squared_a = 1.0 / 6, .repeats_a = repeats})
        .exact.value();
  };
  for (int k = 1; k <= 6; ++k) EXPECT_NEAR(cases(k) / cases(1), ratios[k - 1], 5e-5);
}

// Clusters {1111},{0001},{1101},{0000},{1011}: design effect 2.0727.
TEST(DesignEffect, OfDataIsThePublishedOne) {
  const std::vector<double> values = {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1};
  std::vector<std::string> clusters;
  for (const char name : {'a', 'b', 'c', 'd', 'e'}) clusters.insert(clusters.end(), 4, std::string(1, name));
  EXPECT_NEAR(observed_design_effect(values, clusters).value.value(), 2.0727, 5e-5);
  EXPECT_EQ(observed_design_effect(values, std::vector<std::string>(20, "q")).undefined,
            "one cluster shows no spread between clusters");
  EXPECT_FALSE(observed_design_effect(values, std::vector<std::string>(3, "q")).value.has_value());
  EXPECT_FALSE(observed_design_effect(std::vector<double>(20, 1), clusters).value.has_value());
  EXPECT_EQ(observed_design_effect({}, {}).undefined, "no observations");
}

TEST(DesignEffect, GrowsWithSizeCorrelationAndVariation) {
  EXPECT_DOUBLE_EQ(design_effect(5, 0.1).value.value(), 1.4);
  EXPECT_DOUBLE_EQ(design_effect(5, 0.1, 1).value.value(), 1.9);
  EXPECT_DOUBLE_EQ(design_effect(1, 0.5).value.value(), 1);
  EXPECT_FALSE(design_effect(0.5, 0.1).value.has_value());
  EXPECT_FALSE(design_effect(5, 1.1).value.has_value());
  EXPECT_FALSE(design_effect(5, -0.9).value.has_value());
  EXPECT_FALSE(design_effect(5, 0.1, std::nan("")).value.has_value());
}

TEST(Planning, AgreesWithR) {
  for (const Json& row : values_from_r("means").as_array()) {
    const std::vector<double> input = numbers(row.at("input"));
    const GroupSpread spread{.deviation = input[1]};
    const PowerGoal goal{.alpha = input[2], .power = input[3]};
    const auto at = static_cast<std::int64_t>(number(row.at("at")));
    const SampleSize size = means_sample_size(input[0], spread, goal);
    EXPECT_NEAR(size.exact.value(), number(row.at("n")), 1e-6 * number(row.at("n")));
    EXPECT_EQ(size.cases, at);
    EXPECT_NEAR(means_power(input[0], spread, at, input[2]).value.value(), number(row.at("power")), 1e-9);
    EXPECT_NEAR(means_minimum_effect(spread, at, goal).value.value(), number(row.at("delta")), 1e-7);
  }
  for (const Json& row : values_from_r("proportions").as_array()) {
    const std::vector<double> input = numbers(row.at("input"));
    const PowerGoal goal{.alpha = input[2], .power = input[3]};
    const auto at = static_cast<std::int64_t>(number(row.at("at")));
    const SampleSize size = rates_sample_size(input[0], input[1], goal);
    EXPECT_NEAR(size.exact.value(), number(row.at("n")), 1e-6 * number(row.at("n")));
    EXPECT_EQ(size.cases, at);
    EXPECT_NEAR(rates_power(input[0], input[1], at, input[2]).value.value(), number(row.at("power")), 1e-10);
    EXPECT_NEAR(rates_minimum_effect(input[0], Direction::up, at, goal).value.value(), number(row.at("up")),
                1e-7);
  }
}

TEST(Planning, MultipliesCasesByTheDesignEffect) {
  EXPECT_NEAR(paired_sample_size(0.03, {.omega_squared = 1.0 / 9, .design_effect = 2}).exact.value(),
              2 * 968.997, 2e-3);
  const double n = means_sample_size(0.5, {.deviation = 1}).exact.value();
  EXPECT_NEAR(means_sample_size(0.5, {.deviation = 1, .design_effect = 3}).exact.value(), 3 * n, 1e-6);
  EXPECT_NEAR(means_power(0.5, {.deviation = 1, .design_effect = 3}, 192).value.value(),
              means_power(0.5, {.deviation = 1}, 64).value.value(), 1e-12);
  EXPECT_NEAR(rates_sample_size(0.5, 0.75, {}, 2).exact.value(),
              2 * rates_sample_size(0.5, 0.75).exact.value(), 1e-9);
}

TEST(Planning, SaysWhatIsImpossible) {
  const PairedSpread spread{.omega_squared = 1};
  EXPECT_NE(paired_sample_size(0, spread).undefined, "");
  EXPECT_FALSE(paired_sample_size(std::nan(""), spread).cases.has_value());
  EXPECT_NE(paired_sample_size(0.1, {}).undefined, "");
  EXPECT_NE(paired_sample_size(0.1, {.omega_squared = -1}).undefined, "");
  EXPECT_NE(paired_sample_size(0.1, {.omega_squared = 1, .repeats_a = 0}).undefined, "");
  EXPECT_NE(paired_sample_size(0.1, spread, {.power = 1}).undefined, "");
  EXPECT_NE(paired_sample_size(0.1, spread, {.power = 0.01}).undefined, "");
  EXPECT_NE(paired_sample_size(0.1, spread, {.alpha = 0}).undefined, "");
  EXPECT_NE(paired_sample_size(1e-12, spread).undefined, "");
  EXPECT_NE(paired_power(0.1, spread, 0).undefined, "");
  EXPECT_NE(paired_minimum_effect(spread, -3).undefined, "");
  EXPECT_NE(means_power(0.1, {}, 1).undefined, "");
  EXPECT_NE(means_sample_size(0.1, {.deviation = 0}).undefined, "");
  EXPECT_NE(means_sample_size(1e-12, {}).undefined, "");
  EXPECT_NE(means_minimum_effect({.design_effect = 0}, 10).undefined, "");
  EXPECT_NE(rates_sample_size(0.5, 0.5).undefined, "");
  EXPECT_NE(rates_sample_size(0.5, 1.5).undefined, "");
  EXPECT_NE(rates_power(-0.1, 0.5, 10).undefined, "");
  EXPECT_NE(rates_minimum_effect(1, Direction::up, 1000).undefined, "");
  EXPECT_NE(rates_minimum_effect(0.9, Direction::up, 10).undefined, "");
  EXPECT_TRUE(rates_minimum_effect(0.9, Direction::down, 40).value.has_value());
  EXPECT_FALSE(rates_power(0.2, 0.5, 10, 2).value.has_value());
}

TEST(Planning, TakesHugeEffectsAndTinyOnes) {
  EXPECT_EQ(means_sample_size(1000, {.deviation = 1}).cases, 2);
  EXPECT_NEAR(means_power(1000, {.deviation = 1}, 50).value.value(), 1, 1e-12);
  EXPECT_NEAR(means_sample_size(1e-4, {.deviation = 1}).exact.value() / 1.5697758e9, 1, 1e-6);
  EXPECT_NEAR(rates_power(0, 1, 10).value.value(), 1, 1e-12);
}

RC_GTEST_PROP(Planning, SizePowerAndEffectAreInversesOfEachOther, (unsigned effect, unsigned chance)) {
  const double delta = 0.05 + effect % 100 / 100.0;
  const PowerGoal goal{.alpha = 0.05, .power = 0.5 + chance % 49 / 100.0};
  const PairedSpread spread{.omega_squared = 0.3, .sigma_squared_a = 0.2, .repeats_a = 3};
  const auto cases = paired_sample_size(delta, spread, goal).cases.value();
  RC_ASSERT(paired_power(delta, spread, cases).value.value() >= goal.power - 1e-9);
  RC_ASSERT(cases == 1 || paired_power(delta, spread, cases - 1).value.value() < goal.power);
  RC_ASSERT(paired_minimum_effect(spread, cases, goal).value.value() <= delta + 1e-9);
  const auto each = means_sample_size(delta, {}, goal).cases.value();
  RC_ASSERT(means_power(delta, {}, each).value.value() >= goal.power - 1e-9);
  RC_ASSERT(means_power(-delta, {}, each).value == means_power(delta, {}, each).value);
  RC_ASSERT(means_minimum_effect({}, each, goal).value.value() <= delta + 1e-6);
}

}  // namespace
}  // namespace assay
