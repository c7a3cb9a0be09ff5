#include "stats/intervals/proportion.h"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/random.h"
#include "tests/stats/reference.h"

namespace assay {
namespace {

void expect_interval(const Estimate& estimate, double low, double high, double tolerance) {
  ASSERT_TRUE(estimate.ci.has_value()) << estimate.undefined;
  EXPECT_NEAR(estimate.ci->low, low, tolerance);
  EXPECT_NEAR(estimate.ci->high, high, tolerance);
}

// Newcombe, "Two-sided confidence intervals for the single proportion", Statist. Med. 17 (1998), table I:
// method 3 (score) and method 5 (exact), to four decimals.
TEST(Proportion, GivesNewcombesFourExamples) {
  expect_interval(wilson(81, 263), 0.2553, 0.3662, 5e-5);
  expect_interval(wilson(15, 148), 0.0624, 0.1605, 5e-5);
  expect_interval(wilson(0, 20), 0.0000, 0.1611, 5e-5);
  expect_interval(wilson(1, 29), 0.0061, 0.1718, 5e-5);
  expect_interval(clopper_pearson(81, 263), 0.2527, 0.3676, 5e-5);
  expect_interval(clopper_pearson(15, 148), 0.0578, 0.1617, 5e-5);
  expect_interval(clopper_pearson(0, 20), 0.0000, 0.1684, 5e-5);
  expect_interval(clopper_pearson(1, 29), 0.0009, 0.1776, 5e-5);
}

TEST(Proportion, ExactUpperLimitOfNoFailureIsTheRootOfTheTail) {
  // 1 - α^(1/n) is one-sided; two-sided at 90 % has the same 5 % above. 0/30: 0.09503.
  expect_interval(clopper_pearson(0, 30, 0.9), 0, 0.09503, 5e-6);
}

// 9 of 10: the textbook interval p ± z·sqrt(p(1-p)/n) would reach from 0.714 to an impossible 1.086.
TEST(Proportion, NeverLeavesTheScale) {
  const double half = 1.959964 * std::sqrt(0.9 * 0.1 / 10);
  EXPECT_NEAR(0.9 - half, 0.714, 5e-4);
  EXPECT_NEAR(0.9 + half, 1.086, 5e-4);
  expect_interval(wilson(9, 10), 0.5958, 0.9821, 5e-5);
}

TEST(Proportion, AgreesWithSciPy) {
  for (const Json& row : reference_values("proportions").as_array()) {
    const auto count = as_integer(row.at("count")).value();
    const auto n = as_integer(row.at("n")).value();
    const double level = number(row.at("level"));
    const auto check = [&](const char* method, const Estimate& estimate) {
      SCOPED_TRACE(std::string(method) + " " + to_text(row));
      expect_interval(estimate, number(row.at(method).at(0)), number(row.at(method).at(1)), 1e-12);
      EXPECT_EQ(estimate.method, method);
      EXPECT_EQ(estimate.level, level);
    };
    check("wilson", wilson(count, n, level));
    check("clopper_pearson", clopper_pearson(count, n, level));
    check("jeffreys", jeffreys(count, n, level));
  }
}

TEST(Proportion, CarriesItsCounts) {
  const Estimate rate = wilson(3, 5);
  EXPECT_DOUBLE_EQ(rate.value.value(), 0.6);
  EXPECT_EQ(rate.count, 3);
  EXPECT_EQ(rate.n, 5);
  EXPECT_EQ(rate.undefined, "");
}

TEST(Proportion, OfNothingIsUndefinedNotZero) {
  for (const Estimate& rate : {wilson(0, 0), clopper_pearson(0, 0), jeffreys(0, 0)}) {
    EXPECT_FALSE(rate.value.has_value());
    EXPECT_FALSE(rate.ci.has_value());
    EXPECT_EQ(rate.undefined, "no observations");
  }
}

TEST(Proportion, RefusesImpossibleCounts) {
  for (const Estimate& rate : {wilson(6, 5), wilson(-1, 5), wilson(1, -5), clopper_pearson(6, 5)}) {
    EXPECT_FALSE(rate.value.has_value());
    EXPECT_NE(rate.undefined, "");
  }
}

TEST(Proportion, KeepsTheRateWhenTheLevelIsNoLevel) {
  for (const double level : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    const Estimate rate = clopper_pearson(1, 2, level);
    EXPECT_DOUBLE_EQ(rate.value.value(), 0.5);
    EXPECT_FALSE(rate.ci.has_value());
    EXPECT_NE(rate.undefined, "");
  }
}

// Whatever the likeness of the decisions of one cluster, up to copies of each other: studies whose decisions
// are all equal seldom exclude the truth (at most as often as Wilson's interval of the clusters does: five of
// five and none of five at a rate of one half make 6.3 %), and over few clusters, where they are common, the
// interval holds its level. Likeness ρ: a decision repeats its cluster's own with probability √ρ.
TEST(WilsonClustered, HoldsItsLevelWhereDecisionsAreAllEqual) {
  constexpr int kStudies = 1000;
  for (const int clusters : {3, 5, 10}) {
    for (const double likeness : {0.0, 0.3, 0.7, 1.0}) {
      for (const double rate : {0.5, 0.7, 0.9, 0.95}) {
        Random random = Random::keyed("clustered rate", clusters, static_cast<int>(likeness * 10),
                                      static_cast<int>(rate * 100));
        int covered = 0;
        int misled = 0;  // all equal, and the truth outside
        for (int study = 0; study < kStudies; ++study) {
          ClusteredMoments decisions;
          for (int cluster = 0; cluster < clusters; ++cluster) {
            const bool own = random.uniform() < rate;
            for (int i = 0; i < 8; ++i) {
              const bool repeats = random.uniform() < std::sqrt(likeness);
              const bool fresh = random.uniform() < rate;
              decisions.add(std::to_string(cluster), (repeats ? own : fresh) ? 1 : 0);
            }
          }
          const Estimate estimate = wilson_clustered(decisions);
          const bool holds = estimate.ci->low <= rate && rate <= estimate.ci->high;
          covered += holds ? 1 : 0;
          misled += !holds && (estimate.value == 0 || estimate.value == 1) ? 1 : 0;
        }
        const std::string where = fmt::format("{} clusters, likeness {}, rate {}", clusters, likeness, rate);
        EXPECT_LE(misled, kStudies * 8 / 100) << where;
        if (rate >= 0.9 && clusters <= 5) EXPECT_GE(covered, kStudies * 93 / 100) << where;
      }
    }
  }
}

RC_GTEST_PROP(Proportion, IntervalsEncloseTheRateAndMirrorTheComplement, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(1, 100'000);
  const auto count = *rc::gen::inRange<std::int64_t>(0, n + 1);
  using Method = Estimate (*)(std::int64_t, std::int64_t, double);
  for (const Method method : {Method{wilson}, Method{clopper_pearson}, Method{jeffreys}}) {
    const Estimate rate = method(count, n, 0.95);
    const Estimate other = method(n - count, n, 0.95);
    RC_ASSERT(rate.ci->low >= 0 && rate.ci->high <= 1);
    RC_ASSERT(rate.ci->low <= *rate.value && *rate.value <= rate.ci->high);
    RC_ASSERT(rate.ci->low < rate.ci->high);
    RC_ASSERT(std::fabs(rate.ci->low - (1 - other.ci->high)) < 1e-9);
  }
}

TEST(WilsonClustered, OfSingleDecisionsIsWilson) {
  ClusteredMoments decisions;
  for (int i = 0; i < 20; ++i) decisions.add(std::to_string(i), i < 13 ? 1 : 0);
  const Estimate clustered = wilson_clustered(decisions);
  const Estimate plain = wilson(13, 20);
  EXPECT_EQ(clustered.method, "wilson");
  EXPECT_EQ(clustered.ci->low, plain.ci->low);
  EXPECT_EQ(clustered.count, 13);
}

TEST(WilsonClustered, WorkedExample) {
  // Four clusters with 3/3, 0/3, 2/3, 3/3: p = 8/12; deviations from 3p = 2 are 1, -2, 0, 1, so
  // SE² = (1/144)·(4/3)·6 = 0.055556; p(1-p)/n = 0.0185185; design effect 3, n_eff = 4; t with 3 degrees of
  // freedom is 3.182446.
  ClusteredMoments decisions;
  const int passed[] = {3, 0, 2, 3};
  for (int cluster = 0; cluster < 4; ++cluster) {
    for (int i = 0; i < 3; ++i) decisions.add(std::to_string(cluster), i < passed[cluster] ? 1 : 0);
  }
  const Estimate estimate = wilson_clustered(decisions);
  EXPECT_EQ(estimate.method, "wilson_clustered");
  EXPECT_EQ(estimate.n, 12);
  const double t = 3.182446;
  const double shrink = 1 + t * t / 4;
  const double centre = (2.0 / 3 + t * t / 8) / shrink;
  const double half = t * std::sqrt(2.0 / 9 / 4 + t * t / 64) / shrink;
  EXPECT_NEAR(estimate.ci->low, centre - half, 1e-6);
  EXPECT_NEAR(estimate.ci->high, centre + half, 1e-6);
}

TEST(WilsonClustered, OfEqualDecisionsCountsClustersAndOfOneClusterSaysNothing) {
  ClusteredMoments equal;
  for (int i = 0; i < 33; ++i) equal.add(std::to_string(i / 11), 1);
  const Estimate estimate = wilson_clustered(equal);
  // Three clusters, all right: as 3 of 3, 3/(3 + 1.96²). With t in the place of z it would be 13.9 %.
  EXPECT_NEAR(estimate.ci->low, 0.4385, 5e-5);
  EXPECT_EQ(estimate.ci->low, wilson(3, 3).ci->low);
  EXPECT_EQ(estimate.ci->high, 1);
  EXPECT_EQ(estimate.n, 33);
  ClusteredMoments one;
  for (int i = 0; i < 5; ++i) one.add("a", i % 2);
  EXPECT_FALSE(wilson_clustered(one).ci);
  EXPECT_NE(wilson_clustered(one).undefined, "");
  EXPECT_EQ(wilson_clustered(ClusteredMoments()).undefined, "no observations");
}

// Four cases with 3/3, 2/3, 3/3 and 1/3 answers that pass: p = 0.75, SE² = Σ(x − p)²/(3·4) = 0.02546296,
// n_eff = 0.1875/SE² = 7.363636 (of 12 decisions); Wilson's formula with t = 3.182446 by Python.
TEST(WilsonShares, WorkedExample) {
  ClusteredMoments shares;
  for (const double share : {1.0, 2.0 / 3, 1.0, 1.0 / 3}) shares.add(std::to_string(shares.all().n()), share);
  const Estimate estimate = wilson_shares(shares, 12);
  EXPECT_EQ(estimate.method, "wilson_shares");
  EXPECT_EQ(estimate.n, 4);
  EXPECT_DOUBLE_EQ(*estimate.value, 0.75);
  ASSERT_TRUE(estimate.ci);
  EXPECT_NEAR(estimate.ci->low, 0.2453565, 1e-6);
  EXPECT_NEAR(estimate.ci->high, 0.9651341, 1e-6);
  EXPECT_FALSE(wilson_shares(shares, 3).ci) << "fewer decisions than shares";
}

TEST(WilsonShares, OfEqualSharesCountsClustersAndWithOneDecisionEachIsWilsonClustered) {
  ClusteredMoments equal;
  for (int i = 0; i < 12; ++i) equal.add(std::to_string(i / 4), 1);
  EXPECT_EQ(wilson_shares(equal, 36).ci->low, wilson(3, 3).ci->low);
  ClusteredMoments decisions;
  for (int i = 0; i < 12; ++i) decisions.add(std::to_string(i / 3), i % 4 == 0 || i < 5 ? 1 : 0);
  EXPECT_DOUBLE_EQ(wilson_shares(decisions, 12).ci->low, wilson_clustered(decisions).ci->low);
  EXPECT_EQ(wilson_shares(decisions, 12).method, "wilson_shares_clustered");
  EXPECT_EQ(wilson_shares(ClusteredMoments(), 0).undefined, "no observations");
}

}  // namespace
}  // namespace assay
