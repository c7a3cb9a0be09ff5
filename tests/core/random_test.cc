#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Sum over cells of (seen - expected)²/expected, cells with less than five expected joined.
double chi_square(const std::vector<double>& probabilities, const std::vector<std::int64_t>& seen,
                  double draws, int* freedom) {
  double sum = 0;
  double joined_expected = 0;
  double joined_seen = 0;
  int cells = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double expected = probabilities[i] * draws;
    if (expected < 5) {
      joined_expected += expected;
      joined_seen += static_cast<double>(seen[i]);
      continue;
    }
    ++cells;
    sum += std::pow(static_cast<double>(seen[i]) - expected, 2) / expected;
  }
  if (joined_expected > 1) {
    ++cells;
    sum += std::pow(joined_seen - joined_expected, 2) / joined_expected;
  }
  *freedom = cells - 1;
  return sum;
}

// An upper 1e-6 point of chi square by Wilson and Hilferty: the draws are fixed, so a pass stays a pass.
double chi_square_limit(int freedom) {
  const double k = freedom;
  return k * std::pow(1 - 2 / (9 * k) + 4.75 * std::sqrt(2 / (9 * k)), 3);
}

std::vector<double> binomial_probabilities(std::int64_t n, double p) {
  std::vector<double> probabilities;
  for (std::int64_t k = 0; k <= n; ++k) {
    const double a = static_cast<double>(n);
    const double b = static_cast<double>(k);
    probabilities.push_back(std::exp(std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1) +
                                     b * std::log(p) + (a - b) * std::log1p(-p)));
  }
  return probabilities;
}

// Known-answer vectors of the Random123 library 1.09, file tests/kat_vectors, "philox4x32 10".
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsTheSameForTheSameKeyAndDiffersForAnyOther) {
  std::set<std::uint64_t> first_numbers;
  const std::vector<Random> different = {Random::keyed(),           Random::keyed(0),
                                         Random::keyed(1),          Random::keyed(0, 0),
                                         Random::keyed(1, 2),       Random::keyed(2, 1),
                                         Random::keyed("1"),        Random::keyed(1, "a"),
                                         Random::keyed("a", 1),     Random::keyed("1", "a"),
                                         Random::keyed("ab", "c"),  Random::keyed("a", "bc"),
                                         Random::keyed("abc"),      Random::keyed(""),
                                         Random::keyed("", ""),     Random::keyed(std::string("a\0", 2)),
                                         Random::keyed("12345678"), Random::keyed("123456789")};
  for (Random random : different) first_numbers.insert(random.bits64());
  EXPECT_EQ(first_numbers.size(), different.size());

  Random one = Random::keyed(7, "run", "metric");
  Random same = Random::keyed(7U, std::string("run"), std::string_view("metric"));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.bits64(), same.bits64());
}

TEST(Random, KeepsItsNumbersFromReleaseToRelease) {
  // Recorded once: published intervals depend on them, so a change here changes users' results.
  Random random = Random::keyed(42, "golden");
  EXPECT_EQ(random.bits64(), 63987557985473814U);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.083338242053741296);
  EXPECT_EQ(random.below(1'000'000), 837066U);
  EXPECT_DOUBLE_EQ(random.normal(), -0.92708766359507544);
  EXPECT_EQ(random.binomial(100, 0.05), 5);
  EXPECT_EQ(random.binomial(1'000'000, 0.3), 299980);
}

TEST(Random, AddressesASequenceWhateverWasDrawnBefore) {
  Random used = Random::keyed("x");
  for (int i = 0; i < 7; ++i) used.bits32();
  Random fresh = Random::keyed("x").at(5);
  Random later = used.at(5);
  Random again = used.at(9).at(5);
  Random other = used.at(6);
  const std::uint64_t number = fresh.bits64();
  EXPECT_EQ(later.bits64(), number);
  EXPECT_EQ(again.bits64(), number);
  EXPECT_NE(other.bits64(), number);
  EXPECT_EQ(Random::keyed("x").at(0).bits64(), Random::keyed("x").bits64());
}

TEST(Random, UniformStaysBelowOneAndFillsTheRange) {
  Random random = Random::keyed("uniform");
  std::vector<std::int64_t> seen(100);
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++seen[static_cast<std::size_t>(u * 100)];
  }
  int freedom = 0;
  EXPECT_LT(chi_square(std::vector<double>(100, 0.01), seen, 100'000, &freedom), chi_square_limit(99));
  EXPECT_EQ(freedom, 99);
}

TEST(Random, BelowIsEvenForSizesThatDoNotDivideTheWord) {
  for (const std::uint64_t n : {1ULL, 3ULL, 7ULL, 1000ULL}) {
    Random random = Random::keyed("below", n);
    std::vector<std::int64_t> seen(n);
    for (int i = 0; i < 50'000; ++i) ++seen.at(random.below(n));
    int freedom = 0;
    const double sum =
        chi_square(std::vector<double>(n, 1.0 / static_cast<double>(n)), seen, 50'000, &freedom);
    if (n > 1) {
      EXPECT_LT(sum, chi_square_limit(freedom)) << n;
    }
  }
  // Three quarters of 2^32 and of 2^64: without rejection the halves of the range would not be alike.
  for (const std::uint64_t n : {0xC0000000ULL, 0xC000000000000000ULL}) {
    Random random = Random::keyed("below", n);
    int lower_third = 0;
    for (int i = 0; i < 30'000; ++i) lower_third += random.below(n) < n / 3 ? 1 : 0;
    EXPECT_NEAR(lower_third, 10'000, 400) << n;  // 5 standard deviations; a plain remainder gives 15,000
  }
  EXPECT_EQ(Random::keyed(1).below(0), 0U);
}

TEST(Random, NormalHasTheMomentsOfTheNormal) {
  Random random = Random::keyed("normal");
  constexpr int kDraws = 200'000;
  double sums[5] = {};
  int outside = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    for (int power = 1; power <= 4; ++power) sums[power] += std::pow(x, power) / kDraws;
    outside += std::fabs(x) > 1.959963984540054 ? 1 : 0;
  }
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(sums[1], 0, 5 / root);
  EXPECT_NEAR(sums[2], 1, 5 * std::sqrt(2) / root);
  EXPECT_NEAR(sums[3], 0, 5 * std::sqrt(15) / root);
  EXPECT_NEAR(sums[4], 3, 5 * std::sqrt(96) / root);
  EXPECT_NEAR(outside, 0.05 * kDraws, 5 * std::sqrt(0.05 * 0.95 * kDraws));
}

TEST(Random, BinomialFollowsItsExactProbabilities) {
  struct Setting {
    std::int64_t n;
    double p;
  };
  // Both methods, both sides of their border (n·p = 18), p above one half, and large n with rare successes.
  const Setting settings[] = {{1, 0.5},   {10, 0.1},  {20, 0.5},   {35, 0.5},    {37, 0.5},        {40, 0.9},
                              {100, 0.2}, {300, 0.3}, {1000, 0.5}, {5000, 0.97}, {100'000, 0.0001}};
  for (const Setting& setting : settings) {
    Random random = Random::keyed("binomial", setting.n, static_cast<int>(setting.p * 10'000));
    std::vector<std::int64_t> seen(static_cast<std::size_t>(setting.n) + 1);
    constexpr int kDraws = 50'000;
    for (int i = 0; i < kDraws; ++i)
      ++seen.at(static_cast<std::size_t>(random.binomial(setting.n, setting.p)));
    int freedom = 0;
    const double sum = chi_square(binomial_probabilities(setting.n, setting.p), seen, kDraws, &freedom);
    EXPECT_LT(sum, chi_square_limit(freedom)) << "n = " << setting.n << ", p = " << setting.p;
  }
}

TEST(Random, BinomialOfAMillionHasItsMeanAndVariance) {
  for (const double p : {0.000005, 0.00005, 0.001, 0.25}) {
    Random random = Random::keyed("million", static_cast<int>(p * 1e6));
    constexpr int kDraws = 50'000;
    const double mean = 1e6 * p;
    const double variance = mean * (1 - p);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double off = static_cast<double>(random.binomial(1'000'000, p)) - mean;
      sum += off / kDraws;
      squares += off * off / kDraws;
    }
    EXPECT_NEAR(sum, 0, 5 * std::sqrt(variance / kDraws)) << p;
    EXPECT_NEAR(squares / variance, 1, 5 * std::sqrt((2 + 1 / variance) / kDraws)) << p;
  }
}

TEST(Random, BinomialTakesAnyArgument) {
  Random random = Random::keyed("edge");
  EXPECT_EQ(random.binomial(0, 0.5), 0);
  EXPECT_EQ(random.binomial(-3, 0.5), 0);
  EXPECT_EQ(random.binomial(10, 0), 0);
  EXPECT_EQ(random.binomial(10, -1), 0);
  EXPECT_EQ(random.binomial(10, 1), 10);
  EXPECT_EQ(random.binomial(10, 2), 10);
  EXPECT_EQ(random.binomial(10, std::numeric_limits<double>::quiet_NaN()), 0);
  const std::int64_t many = random.binomial(1'000'000'000'000, 0.5);
  EXPECT_NEAR(static_cast<double>(many), 5e11, 5e6);  // ten standard deviations
  EXPECT_GE(random.binomial(1'000'000'000'000, 1e-12), 0);
}

}  // namespace
}  // namespace assay
