#include "stats/intervals/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/intervals/mean.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Efron's law-school data: fifteen schools.
const std::vector<double> kLsat = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
const std::vector<double> kGpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                                  3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};
constexpr double kLawCorrelation = 0.776374491;

double law_correlation(std::span<const std::size_t> rows) {
  double x = 0;
  double y = 0;
  for (const std::size_t row : rows) {
    x += kLsat[row] / static_cast<double>(rows.size());
    y += kGpa[row] / static_cast<double>(rows.size());
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const std::size_t row : rows) {
    xx += (kLsat[row] - x) * (kLsat[row] - x);
    xy += (kLsat[row] - x) * (kGpa[row] - y);
    yy += (kGpa[row] - y) * (kGpa[row] - y);
  }
  return xx < 1e-9 || yy < 1e-9 ? kNaN : xy / std::sqrt(xx * yy);
}

std::vector<double> law_without_each() {
  std::vector<double> figures;
  for (std::size_t left_out = 0; left_out < kLsat.size(); ++left_out) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < kLsat.size(); ++row) {
      if (row != left_out) rows.push_back(row);
    }
    figures.push_back(law_correlation(rows));
  }
  return figures;
}

// shared/reference/statistics.md 4.10: a = -0.075672, jackknife SE 0.142519.
TEST(Bca, TakesItsAccelerationFromTheJackknife) {
  const std::vector<double> figures = law_without_each();
  EXPECT_NEAR(bca_acceleration(figures), -0.075672, 5e-7);
  const double mean = std::accumulate(figures.begin(), figures.end(), 0.0) / 15;
  double squares = 0;
  for (const double figure : figures) squares += (figure - mean) * (figure - mean);
  EXPECT_NEAR(std::sqrt(squares * 14 / 15), 0.142519, 5e-7);
  EXPECT_NEAR(14 * (mean - kLawCorrelation), -0.006474, 5e-7);  // jackknife bias
}

// The exact distribution has 77,558,760 resamples (reference/law_school.cc); z0 = -0.096989 and a = -0.075672
// must pick the shares of it that lie below the published limits: 90 % (0.429105, 0.926860),
// 95 % (0.332638, 0.941715).
TEST(Bca, PicksTheSharesOfTheExactLawSchoolDistribution) {
  const Json below = reference_file("law_school.json").at("below");
  const auto share = [&](std::size_t i) { return as_number(below.at(i).at(1)).value(); };
  const Interval ninety = bca_shares(-0.096989, -0.075672, 0.90);
  EXPECT_NEAR(ninety.low, share(0), 3e-6);
  EXPECT_NEAR(ninety.high, share(1), 3e-6);
  const Interval ninety_five = bca_shares(-0.096989, -0.075672, 0.95);
  EXPECT_NEAR(ninety_five.low, share(2), 3e-6);
  EXPECT_NEAR(ninety_five.high, share(3), 3e-6);
  EXPECT_NEAR(share(4), 0.461366, 5e-7);  // P(r* < r)
}

// The same limits from 4,001 quantiles of the exact distribution; the count below r is then good to 1/4001.
TEST(Bca, GivesTheExactLawSchoolIntervals) {
  const std::vector<double> exact = reference_numbers(reference_file("law_school.json").at("quantiles"));
  ASSERT_EQ(exact.size(), 4001U);
  EXPECT_NEAR(bca_bias(kLawCorrelation, exact), -0.096989, 4e-4);
  const double acceleration = bca_acceleration(law_without_each());
  const ResampledInterval ninety = bca_interval(kLawCorrelation, exact, acceleration, 0.90);
  EXPECT_NEAR(ninety.ci.value().low, 0.429105, 3e-4);
  EXPECT_NEAR(ninety.ci.value().high, 0.926860, 1e-4);
  const ResampledInterval ninety_five = bca_interval(kLawCorrelation, exact, acceleration, 0.95);
  EXPECT_NEAR(ninety_five.ci.value().low, 0.332638, 5e-4);
  EXPECT_NEAR(ninety_five.ci.value().high, 0.941715, 1e-4);
  // Percentiles: 5 % .523065, 95 % .947531, 2.5 % .459556, 97.5 % .961846.
  const ResampledInterval percentile = percentile_interval(exact, 0.90);
  EXPECT_NEAR(percentile.ci.value().low, 0.523065, 1e-6);
  EXPECT_NEAR(percentile.ci.value().high, 0.947531, 1e-6);
  EXPECT_NEAR(percentile_interval(exact, 0.95).ci.value().low, 0.459556, 1e-6);
  EXPECT_NEAR(percentile_interval(exact, 0.95).ci.value().high, 0.961846, 1e-6);
}

// 4.10, of the exact distribution: mean 0.770645, bias -0.005729, deviation 0.133560, median .789649. Ten
// thousand draws have the same to within ±0.004.
TEST(Bootstrap, MovesAboutTheLawSchoolCorrelationAsPublished) {
  const Json exact = reference_file("law_school.json");
  const double mean = as_number(exact.at("mean")).value();
  EXPECT_NEAR(mean, 0.770645, 5e-7);
  EXPECT_NEAR(mean - kLawCorrelation, -0.005729, 5e-7);
  EXPECT_NEAR(as_number(exact.at("deviation")).value(), 0.133560, 5e-7);
  std::vector<double> quantiles = reference_numbers(exact.at("quantiles"));
  EXPECT_NEAR(quantile_of(quantiles, 0.5), 0.789649, 1e-6);

  Moments draws;
  const RowFigure watched = [&](std::span<const std::size_t> rows) {
    const double figure = law_correlation(rows);
    if (rows.size() == 15) draws.add(figure);  // not the jackknife's
    return figure;
  };
  EXPECT_TRUE(bootstrap(15, {}, watched, {.threads = 1}).ci.has_value());
  EXPECT_GE(draws.n(), 10'000);
  EXPECT_NEAR(draws.mean().value(), 0.770645, 0.004);
  EXPECT_NEAR(draws.sample_deviation().value(), 0.133560, 0.004);
}

// Tolerances of 4.10 at 10,000 draws: lower limit ±0.035, upper ±0.006.
TEST(Bca, DrawsTheLawSchoolIntervalToMonteCarloError) {
  const Estimate estimate = bootstrap(15, {}, law_correlation, {.level = 0.90});
  EXPECT_NEAR(estimate.value.value(), kLawCorrelation, 1e-8);
  EXPECT_NEAR(estimate.ci.value().low, 0.429105, 0.035);
  EXPECT_NEAR(estimate.ci.value().high, 0.926860, 0.006);
  EXPECT_EQ(estimate.method, "bootstrap_bca");
  EXPECT_EQ(estimate.n, 15);
  const Estimate percentile =
      bootstrap(15, {}, law_correlation, {.kind = BootstrapKind::percentile, .level = 0.90});
  EXPECT_NEAR(percentile.ci.value().low, 0.523065, 0.02);
  EXPECT_NEAR(percentile.ci.value().high, 0.947531, 0.006);
  EXPECT_EQ(percentile.method, "bootstrap_percentile");
}

TEST(Bca, CountsTiesHalf) {
  EXPECT_NEAR(bca_bias(1, std::vector<double>{0, 1, 1, 2}), 0, 1e-12);
  EXPECT_NEAR(bca_bias(1, std::vector<double>{0, 0, 1, 2}), 0.3186393639643752, 1e-9);  // qnorm(2.5/4)
  EXPECT_NEAR(bca_bias(0, std::vector<double>{-1e-18, 1, -1}), 0, 1e-12);               // rounding is a tie
  EXPECT_EQ(bca_bias(5, std::vector<double>{1, 2}), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(bca_bias(5, std::vector<double>{kNaN})));
}

TEST(Bca, WithoutBiasOrSkewIsThePercentileInterval) {
  std::vector<double> draws;
  for (int i = 0; i <= 1000; ++i) draws.push_back(i - 500);
  const ResampledInterval bca = bca_interval(0, draws, 0, 0.95);
  EXPECT_NEAR(bca.ci.value().low, percentile_interval(draws, 0.95).ci->low, 1e-9);
  EXPECT_NEAR(bca.ci.value().high, percentile_interval(draws, 0.95).ci->high, 1e-9);
}

TEST(Bca, SaysWhyThereIsNoInterval) {
  EXPECT_EQ(bca_interval(5, {1, 2, 3}, 0, 0.95).undefined,
            "no interval: all resamples lie on one side of the figure");
  EXPECT_EQ(bca_interval(1, {1, 1, 1}, 0, 0.95).undefined,
            "no interval: every resample gives the same figure, which says nothing about its error");
  EXPECT_EQ(bca_interval(2, {1, 2, 3}, 1, 0.95).undefined,
            "no interval: the figure is too skewed for the BCa correction");
  EXPECT_EQ(bca_interval(1, {1, kNaN, kNaN}, 0, 0.95).undefined,
            "no interval: the figure is undefined in 2 of 3 resamples");
  EXPECT_FALSE(bca_interval(kNaN, {1, 2}, 0, 0.95).ci.has_value());
  EXPECT_FALSE(bca_interval(1, {}, 0, 0.95).ci.has_value());
  EXPECT_FALSE(bca_interval(1, {0, 1, 2}, 0, 1).ci.has_value());
  EXPECT_FALSE(bca_interval(1, {0, 1, 2}, kNaN, 0.95).ci.has_value());
  EXPECT_EQ(bca_acceleration(std::vector<double>{}), 0);
  EXPECT_EQ(bca_acceleration(std::vector<double>{0.1, 0.1, 0.1}), 0);
}

// Nearly every draw is the same point, so both quantiles fall onto it.
TEST(Bca, NeverClaimsAPoint) {
  std::vector<double> draws(1000, 1.0);
  draws.front() = 0;
  draws.back() = 2;
  EXPECT_FALSE(bca_interval(1, draws, 0, 0.95).ci.has_value());
}

// Clusters of 4.1: five queries with four answers each; mean 0.55, clustered SE 0.1643168 (without C/(C-1)),
// which is the exact bootstrap standard error of clusters of equal size.
TEST(Bootstrap, ResamplesClustersAndNotRows) {
  const std::vector<double> answers = {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1};
  std::vector<std::string> clusters;
  for (const char* name : {"a", "b", "c", "d", "e"}) clusters.insert(clusters.end(), 4, name);
  const Bootstrap narrow{.kind = BootstrapKind::percentile, .level = 0.6826895};
  const Estimate clustered = bootstrap_mean(answers, clusters, narrow);
  const Estimate rows = bootstrap_mean(answers, {}, narrow);
  EXPECT_NEAR(clustered.value.value(), 0.55, 1e-12);
  EXPECT_EQ(clustered.n, 20);
  const auto half = [](const Estimate& estimate) { return (estimate.ci->high - estimate.ci->low) / 2; };
  // The distribution has steps of 0.05.
  EXPECT_NEAR(half(clustered), 0.1643168, 0.05);
  EXPECT_NEAR(half(rows), std::sqrt(0.55 * 0.45 / 20), 0.03);
  EXPECT_GT(half(clustered), 1.3 * half(rows));
}

TEST(Bootstrap, AgreesWithRsBoot) {
  const Json cases = reference_file("bootstrap.json");
  for (const Json& item : cases.as_array()) {
    const std::vector<double> values = reference_numbers(item.at("value"));
    std::vector<std::string> clusters;
    for (const double cluster : reference_numbers(item.at("cluster"))) {
      clusters.push_back(std::to_string(static_cast<int>(cluster)));
    }
    const double error = as_number(item.at("se")).value();
    const Estimate bca = bootstrap_mean(values, clusters, {.draws = 50'000});
    const Estimate percentile =
        bootstrap_mean(values, clusters, {.kind = BootstrapKind::percentile, .draws = 50'000});
    EXPECT_NEAR(bca.value.value(), as_number(item.at("mean")).value(), 1e-6);
    // A quantile at 2.5 % of 50,000 draws is good to about 0.012 standard errors, R's to 0.009.
    const std::vector<double> expected = reference_numbers(item.at("bca"));
    EXPECT_NEAR(bca.ci.value().low, expected[0], 0.06 * error);
    EXPECT_NEAR(bca.ci.value().high, expected[1], 0.09 * error);
    const std::vector<double> plain = reference_numbers(item.at("percentile"));
    EXPECT_NEAR(percentile.ci.value().low, plain[0], 0.06 * error);
    EXPECT_NEAR(percentile.ci.value().high, plain[1], 0.06 * error);

    std::vector<double> without_each;
    for (const std::string& left_out : std::set<std::string>(clusters.begin(), clusters.end())) {
      Moments rest;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (clusters[i] != left_out) rest.add(values[i]);
      }
      without_each.push_back(*rest.mean());
    }
    EXPECT_NEAR(bca_acceleration(without_each), as_number(item.at("acceleration")).value(), 1e-6);
  }
}

// A Likert mean with clusters of unequal size, drawn both ways.
TEST(Bootstrap, GivesTheSameByRowsAndBySums) {
  std::vector<double> values;
  std::vector<std::string> clusters;
  Random random = Random::keyed("rows and sums");
  for (int cluster = 0; cluster < 30; ++cluster) {
    const double level = random.uniform();
    const int size = 1 + static_cast<int>(random.below(5));
    for (int i = 0; i < size; ++i) {
      values.push_back(std::floor(5 * (level + random.uniform()) / 2) + 1);
      clusters.push_back("query " + std::to_string(cluster));
    }
  }
  const auto mean = [&](std::span<const std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  };
  const Estimate by_rows = bootstrap(values.size(), clusters, mean);
  const Estimate by_sums = bootstrap_mean(values, clusters);
  EXPECT_NEAR(*by_rows.value, *by_sums.value, 1e-12);
  EXPECT_NEAR(by_rows.ci.value().low, by_sums.ci.value().low, 0.015);
  EXPECT_NEAR(by_rows.ci.value().high, by_sums.ci.value().high, 0.015);
}

TEST(Bootstrap, DoesNotDependOnTheNumberOfThreads) {
  std::vector<double> values;
  Random random = Random::keyed("threads");
  for (int i = 0; i < 300; ++i) values.push_back(random.uniform());
  const auto middle = [&](std::span<const std::size_t> rows) {
    std::vector<double> drawn;
    for (const std::size_t row : rows) drawn.push_back(values[row]);
    std::ranges::nth_element(drawn, drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2));
    return drawn[drawn.size() / 2];
  };
  for (const unsigned threads : {2U, 3U, 8U}) {
    const Estimate one = bootstrap_mean(values, {}, {.threads = 1});
    const Estimate many = bootstrap_mean(values, {}, {.threads = threads});
    EXPECT_EQ(one.ci->low, many.ci->low);
    EXPECT_EQ(one.ci->high, many.ci->high);
    const Estimate one_middle = bootstrap(300, {}, middle, {.draws = 1000, .threads = 1});
    const Estimate many_middle = bootstrap(300, {}, middle, {.draws = 1000, .threads = threads});
    EXPECT_EQ(one_middle.ci->low, many_middle.ci->low);
    EXPECT_EQ(one_middle.ci->high, many_middle.ci->high);
  }
}

TEST(Bootstrap, HandsOnWhatAFigureThrows) {
  const auto fails = [](std::span<const std::size_t> rows) -> double {
    if (rows[0] != 0) throw std::runtime_error("no figure");
    return static_cast<double>(rows[1]);
  };
  EXPECT_THROW(bootstrap(50, {}, fails, {.threads = 4}), std::runtime_error);
}

TEST(Bootstrap, OfNothingOneOrEqualRowsHasNoInterval) {
  EXPECT_EQ(bootstrap_mean({}).undefined, "no observations");
  EXPECT_FALSE(bootstrap_mean({}).value.has_value());
  EXPECT_EQ(bootstrap(0, {}, law_correlation).undefined, "no observations");
  const Estimate one = bootstrap_mean(std::vector<double>{3});
  EXPECT_EQ(one.value, 3);
  EXPECT_FALSE(one.ci.has_value());
  EXPECT_EQ(one.undefined, "no interval: one observation has no spread");
  const Estimate all_pass = bootstrap_mean(std::vector<double>(40, 1.0));
  EXPECT_EQ(all_pass.value, 1);
  EXPECT_EQ(all_pass.undefined,
            "no interval: every resample gives the same figure, which says nothing about its error");
  const Estimate cluster =
      bootstrap_mean(std::vector<double>{1, 0, 1}, std::vector<std::string>{"q", "q", "q"});
  EXPECT_EQ(cluster.undefined, "no interval: one cluster shows no spread between clusters");
}

TEST(Bootstrap, OfTwoSpansBoth) {
  const Estimate two = bootstrap_mean(std::vector<double>{1, 2});
  EXPECT_EQ(two.value, 1.5);
  EXPECT_EQ(two.ci.value().low, 1);
  EXPECT_EQ(two.ci.value().high, 2);
}

TEST(Bootstrap, LeavesOutWhatIsNotFinite) {
  const std::vector<double> clean = {1, 2, 4, 8, 16};
  const std::vector<double> dirty = {kNaN, 1, 2, 4, std::numeric_limits<double>::infinity(), 8, 16};
  const Estimate expected = bootstrap_mean(clean);
  const Estimate estimate = bootstrap_mean(dirty);
  EXPECT_EQ(estimate.ci->low, expected.ci->low);
  EXPECT_EQ(estimate.ci->high, expected.ci->high);
  EXPECT_EQ(estimate.n, 5);
  EXPECT_EQ(estimate.missing.at("not_finite"), 2);
}

TEST(Bootstrap, RefusesListsOfDifferentLengthAndImpossibleLevels) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_FALSE(bootstrap_mean(values, std::vector<std::string>{"a"}).value.has_value());
  EXPECT_FALSE(bootstrap_ratio(values, std::vector<double>{1}).value.has_value());
  EXPECT_FALSE(bootstrap(3, std::vector<std::string>{"a"}, law_correlation).value.has_value());
  EXPECT_FALSE(bootstrap_mean(values, {}, {.level = 1}).ci.has_value());
  EXPECT_FALSE(bootstrap_mean(values, {}, {.level = kNaN}).ci.has_value());
  EXPECT_FALSE(bootstrap_mean(values, {}, {.draws = 0}).ci.has_value());
}

TEST(Bootstrap, OfARatioNeedsADenominator) {
  const std::vector<double> zeros = {0, 0, 0};
  EXPECT_EQ(bootstrap_ratio(std::vector<double>{1, 2, 3}, zeros).undefined, "the denominators sum to 0");
  // Tokens per answer: 60 / 6.
  const Estimate ratio = bootstrap_ratio(std::vector<double>{10, 20, 30}, std::vector<double>{2, 3, 1});
  EXPECT_NEAR(ratio.value.value(), 10, 1e-12);
  EXPECT_NEAR(ratio.ci.value().low, 5, 1.0);
  EXPECT_NEAR(ratio.ci.value().high, 30, 1e-9);
}

TEST(Bootstrap, IsBounded) {
  const auto zero = [](std::span<const std::size_t>) { return 0.0; };
  const Estimate estimate = bootstrap(3'000'000, {}, zero);
  EXPECT_EQ(estimate.undefined, "no interval: there is too much to resample");
}

// 200,000 exponential rows are drawn in groups. The mean's error is sd/√n = 1/√n, its skew 2: the BCa limits
// are mean ± z·se + (z² + 1)·skew·se/(6·√n), Efron 1987 (4.4 with 2.6), here moved by 6e-6.
TEST(Bootstrap, OfVeryManyRowsDrawsGroupsOfThem) {
  constexpr std::size_t kRows = 200'000;
  std::vector<double> values(kRows);
  for (std::size_t i = 0; i < kRows; ++i)
    values[i] = -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(kRows));
  const double half = 1.959964 / std::sqrt(static_cast<double>(kRows));
  const Estimate sorted = bootstrap_mean(values);
  EXPECT_NEAR(sorted.value.value(), 1, 1e-5);
  EXPECT_NEAR((sorted.ci->high - sorted.ci->low) / (2 * half), 1, 0.025);
  EXPECT_NEAR((sorted.ci->high + sorted.ci->low) / 2 - *sorted.value, 0, 0.03 * half);
  std::ranges::reverse(values);
  const Estimate reversed = bootstrap_mean(values);
  EXPECT_EQ(reversed.ci->low, sorted.ci->low) << "whatever the order of the rows";
}

// Few kinds of clusters are drawn by binomials: 10,000 yes/no rows.
TEST(Bootstrap, OfAShareIsBinomial) {
  std::vector<double> values(10'000);
  std::fill_n(values.begin(), 3'000, 1.0);
  const Estimate share = bootstrap_mean(values, {}, {.kind = BootstrapKind::percentile});
  EXPECT_NEAR(share.ci.value().low, 0.2910, 0.0006);  // qbinom(c(.025, .975), 10000, .3) = 2910, 3090
  EXPECT_NEAR(share.ci.value().high, 0.3090, 0.0006);
}

RC_GTEST_PROP(Bootstrap, OfAMeanDependsNeitherOnOrderNorOnNames,
              (const std::vector<std::pair<std::int8_t, std::uint8_t>>& rows, unsigned seed)) {
  auto shuffled = rows;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  const auto estimate = [](const auto& list, const char* prefix, int shift) {
    std::vector<double> values;
    std::vector<std::string> clusters;
    for (const auto& [value, cluster] : list) {
      values.push_back(value / 7.0);
      clusters.push_back(prefix + std::to_string((cluster % 8 + shift) % 8));
    }
    return bootstrap_mean(values, clusters, {.draws = 200});
  };
  const Estimate a = estimate(rows, "q", 0);
  const Estimate b = estimate(shuffled, "document ", 3);
  RC_ASSERT(a.value == b.value);
  RC_ASSERT(a.ci.has_value() == b.ci.has_value());
  RC_ASSERT(a.undefined == b.undefined);
  if (!a.ci) return;
  RC_ASSERT(a.ci->low == b.ci->low);
  RC_ASSERT(a.ci->high == b.ci->high);
}

RC_GTEST_PROP(Bootstrap, ScalesWithTheData, (const std::vector<std::int8_t>& numbers)) {
  std::vector<double> values(numbers.begin(), numbers.end());
  const Estimate plain = bootstrap_mean(values, {}, {.draws = 200});
  for (double& value : values) value *= 4;  // exact in binary
  const Estimate scaled = bootstrap_mean(values, {}, {.draws = 200});
  RC_ASSERT(plain.ci.has_value() == scaled.ci.has_value());
  if (!plain.ci) return;
  RC_ASSERT(scaled.ci->low == 4 * plain.ci->low);
  RC_ASSERT(scaled.ci->high == 4 * plain.ci->high);
  RC_ASSERT(plain.ci->low < plain.ci->high);
}

}  // namespace
}  // namespace assay
