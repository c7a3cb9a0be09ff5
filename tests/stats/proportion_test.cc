#include "stats/proportion.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

}  // namespace
}  // namespace assay
