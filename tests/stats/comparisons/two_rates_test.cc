#include "stats/comparisons/two_rates.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

// Newcombe 1998 (Statistics in Medicine 17, 873–890), table II, method 10.
TEST(TwoProportions, HaveNewcombesPublishedIntervals) {
  const struct {
    Share a;
    Share b;
    double low;
    double high;
  } rows[] = {{{56, 70}, {48, 80}, 0.0524, 0.3339},
              {{9, 10}, {3, 10}, 0.1705, 0.8090},
              {{5, 56}, {0, 29}, -0.0381, 0.1926},
              {{0, 10}, {0, 20}, -0.1611, 0.2775},
              {{10, 10}, {0, 20}, 0.6791, 1.0000}};
  for (const auto& row : rows) {
    const Contrast contrast = two_proportions(row.a, row.b);
    EXPECT_NEAR(contrast.difference.ci.value().low, row.low, 5.1e-5);
    EXPECT_NEAR(contrast.difference.ci.value().high, row.high, 5.1e-5);
    EXPECT_EQ(contrast.difference.method, "newcombe");
  }
}

TEST(TwoProportions, OfAllPassesClaimNoCertainty) {
  const Contrast contrast = two_proportions({12, 12}, {9, 9});
  EXPECT_EQ(contrast.difference.value, 0);
  EXPECT_LT(contrast.difference.ci.value().low, -0.2);
  EXPECT_GT(contrast.difference.ci.value().high, 0.2);
  EXPECT_FALSE(contrast.test.p.has_value());
  EXPECT_EQ(contrast.test.undefined, "every case of both groups had the same outcome");
}

TEST(TwoProportions, OfAnEmptyGroupOrAWrongCountAreUndefined) {
  EXPECT_EQ(two_proportions({0, 0}, {1, 2}).difference.undefined, "a group has no observations");
  EXPECT_EQ(two_proportions({3, 2}, {1, 2}).test.undefined, "a count lies outside 0 to n");
  EXPECT_FALSE(two_proportions({-1, 2}, {1, 2}).difference.value.has_value());
  EXPECT_FALSE(fisher_exact({0, 0}, {1, 2}).test.p.has_value());
  EXPECT_FALSE(fisher_exact({1, -2}, {1, 2}).odds_ratio.value.has_value());
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(fisher_exact({most / 2, most}, {1, most}).test.p.has_value());
  EXPECT_FALSE(two_proportions({1, 2}, {1, 2}, 1).difference.ci.has_value());
}

TEST(TwoRates, AgreeWithR) {
  for (const Json& row : values_from_r("rates").as_array()) {
    const std::vector<double> cells = numbers(row.at("cells"));
    const Share a{static_cast<std::int64_t>(cells[0]), static_cast<std::int64_t>(cells[1])};
    const Share b{static_cast<std::int64_t>(cells[2]), static_cast<std::int64_t>(cells[3])};
    const Contrast rates = two_proportions(a, b);
    EXPECT_NEAR(rates.difference.ci.value().low, number(row.at("newcombe").at(0)), 1e-7);
    EXPECT_NEAR(rates.difference.ci.value().high, number(row.at("newcombe").at(1)), 1e-7);
    if (has(row, "p")) EXPECT_NEAR(rates.test.p.value(), number(row.at("p")), 1e-10);
    const FisherExact fisher = fisher_exact(a, b);
    EXPECT_NEAR(fisher.test.p.value(), number(row.at("fisher_p")), 1e-10);
    ASSERT_EQ(fisher.odds_ratio.value.has_value(), has(row, "odds"));
    if (!fisher.odds_ratio.value) continue;
    const Json& odds = row.at("odds");
    const double high = number(odds.at("ci").at(1));
    EXPECT_NEAR(fisher.odds_ratio.value.value(), number(odds.at("value")), 1e-8 * high);
    EXPECT_NEAR(fisher.odds_ratio.ci.value().low, number(odds.at("ci").at(0)), 1e-8 * high);
    EXPECT_NEAR(fisher.odds_ratio.ci.value().high, high, 1e-8 * high);
  }
}

// Fisher's tea tasting, 3 of 4 against 1 of 4: p = (16 + 1)·2/70 = 34/70.
TEST(FisherExact, JudgesTheTeaTasting) {
  const FisherExact fisher = fisher_exact({3, 4}, {1, 4});
  EXPECT_NEAR(fisher.test.p.value(), 34.0 / 70, 1e-12);
  // Given the margins the estimate solves Σx·w_x·ψ^x = 3·Σw_x·ψ^x with w = 1, 16, 36, 16, 1, which is
  // ψ⁴ - 36ψ² - 32ψ - 3 = 0: ψ = 6.408319658.
  EXPECT_NEAR(fisher.odds_ratio.value.value(), 6.408319658, 1e-8);
}

// Fisher 1935: she would do as well or better by guessing in 17 of 70 cases; R gives 0.2429 (greater) and
// 0.9857 (less, 69 of 70). All four right: 1 of 70.
TEST(FisherExact, IsOneSidedOnRequest) {
  const auto p = [](Share a, Share b, Alternative alternative) {
    return fisher_exact(a, b, 0.95, alternative).test.p.value();
  };
  EXPECT_NEAR(p({3, 4}, {1, 4}, Alternative::greater), 17.0 / 70, 1e-12);
  EXPECT_NEAR(p({3, 4}, {1, 4}, Alternative::less), 69.0 / 70, 1e-12);
  EXPECT_NEAR(p({4, 4}, {0, 4}, Alternative::greater), 1.0 / 70, 1e-12);
  EXPECT_EQ(p({4, 4}, {0, 4}, Alternative::less), 1);
  EXPECT_EQ(p({5, 5}, {7, 7}, Alternative::greater), 1);  // one table only
  EXPECT_EQ(p({1, 1}, {1, 1}, Alternative::less), 1);
  EXPECT_FALSE(fisher_exact({0, 0}, {1, 2}, 0.95, Alternative::less).test.p.has_value());
  // The odds ratio and its interval stay two-sided.
  const FisherExact two = fisher_exact({3, 4}, {1, 4});
  const FisherExact one = fisher_exact({3, 4}, {1, 4}, 0.95, Alternative::greater);
  EXPECT_EQ(one.odds_ratio.value, two.odds_ratio.value);
  EXPECT_EQ(one.odds_ratio.ci->low, two.odds_ratio.ci->low);
  EXPECT_EQ(one.odds_ratio.ci->high, two.odds_ratio.ci->high);
}

RC_GTEST_PROP(FisherExact, HasOneSidesThatAreEachOthersMirror,
              (unsigned w, unsigned x, unsigned y, unsigned z)) {
  const Share a{w % 12, w % 12 + x % 12};
  const Share b{y % 12, y % 12 + z % 12};
  const auto up = fisher_exact(a, b, 0.95, Alternative::greater).test.p;
  const auto down = fisher_exact(a, b, 0.95, Alternative::less).test.p;
  RC_ASSERT(up.has_value() == down.has_value());
  if (!up) return;
  RC_ASSERT(*up + *down > 1 - 1e-12);  // the table seen is in both
  RC_ASSERT(std::fabs(*up - *fisher_exact(b, a, 0.95, Alternative::less).test.p) < 1e-9);
  const Share failed_a{a.n - a.count, a.n};
  const Share failed_b{b.n - b.count, b.n};
  RC_ASSERT(std::fabs(*up - *fisher_exact(failed_a, failed_b, 0.95, Alternative::less).test.p) < 1e-9);
}

TEST(FisherExact, SaysWhenTheOddsRatioIsNotFinite) {
  const FisherExact above = fisher_exact({10, 10}, {0, 8});
  EXPECT_FALSE(above.odds_ratio.value.has_value());
  EXPECT_NE(above.odds_ratio.undefined.find("no finite estimate"), std::string::npos);
  EXPECT_NEAR(above.test.p.value(), 1.0 / 43758, 1e-12);  // one table of C(18, 8)
  const FisherExact below = fisher_exact({0, 8}, {10, 10});
  EXPECT_EQ(below.odds_ratio.value, 0);
  EXPECT_GT(below.odds_ratio.ci.value().high, 0);
  const FisherExact all_pass = fisher_exact({5, 5}, {7, 7});
  EXPECT_EQ(all_pass.test.p, 1);
  EXPECT_FALSE(all_pass.odds_ratio.value.has_value());
  EXPECT_FALSE(all_pass.odds_ratio.ci.has_value());
}

TEST(FisherExact, TakesLargeTables) {
  const FisherExact fisher = fisher_exact({30'200, 60'000}, {29'500, 60'000});
  const Contrast normal = two_proportions({30'200, 60'000}, {29'500, 60'000});
  EXPECT_NEAR(fisher.test.p.value(), normal.test.p.value(), 2e-6);
}

RC_GTEST_PROP(TwoRates, TurnRoundWhenTheGroupsAreExchanged,
              (unsigned w, unsigned x, unsigned y, unsigned z)) {
  const Share a{w % 12, w % 12 + x % 12};
  const Share b{y % 12, y % 12 + z % 12};
  const FisherExact there = fisher_exact(a, b);
  const FisherExact back = fisher_exact(b, a);
  RC_ASSERT(there.test.p.has_value() == back.test.p.has_value());
  if (!there.test.p) return;
  RC_ASSERT(std::fabs(*there.test.p - *back.test.p) < 1e-9);
  if (there.odds_ratio.value && back.odds_ratio.value) {
    RC_ASSERT(std::fabs(*there.odds_ratio.value * *back.odds_ratio.value - 1) < 1e-9);
    RC_ASSERT(std::fabs(there.odds_ratio.ci->low * back.odds_ratio.ci->high - 1) < 1e-9);
    RC_ASSERT(there.odds_ratio.ci->low < *there.odds_ratio.value);
  }
  const Contrast rates = two_proportions(a, b);
  const Contrast rates_back = two_proportions(b, a);
  RC_ASSERT(std::fabs(rates.difference.ci->low + rates_back.difference.ci->high) < 1e-12);
  RC_ASSERT(rates.difference.ci->low >= -1 - 1e-12);
  RC_ASSERT(rates.difference.ci->low < rates.difference.ci->high);
}

}  // namespace
}  // namespace assay
