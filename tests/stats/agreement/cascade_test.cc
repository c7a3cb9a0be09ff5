#include "stats/agreement/cascade.h"

#include <cmath>

#include <boost/json/array.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/file.h"

namespace assay {
namespace {

std::vector<VotedLabel> labelled(int votes, int agreeing, int disagreeing) {
  std::vector<VotedLabel> list(static_cast<std::size_t>(agreeing), VotedLabel{votes, true});
  list.insert(list.end(), static_cast<std::size_t>(disagreeing), VotedLabel{votes, false});
  return list;
}

std::vector<VotedLabel> operator+(std::vector<VotedLabel> all, const std::vector<VotedLabel>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// All of n agree: error^(1/n). Of ten trials nine: the root of 10·p⁹·(1-p) + p¹⁰ = 0.05, which is 0.6058.
TEST(Cascade, TheLowerBoundIsClopperAndPearsons) {
  EXPECT_NEAR(exact_lower_bound(29, 29, 0.05), std::pow(0.05, 1.0 / 29), 1e-12);
  const double bound = exact_lower_bound(9, 10, 0.05);
  EXPECT_NEAR((10 * std::pow(bound, 9) * (1 - bound)) + std::pow(bound, 10), 0.05, 1e-12);
  EXPECT_NEAR(bound, 0.6058, 5e-5);
  EXPECT_EQ(exact_lower_bound(0, 10, 0.05), 0);
  EXPECT_EQ(exact_lower_bound(0, 0, 0.05), 0);
}

// 0.9²⁸ = 0.0523, 0.9²⁹ = 0.0471; 0.9³⁵ = 0.02503, 0.9³⁶ = 0.0225; 0.95⁵⁸ = 0.0510, 0.95⁵⁹ = 0.0485.
TEST(Cascade, FewestLabelsAreThoseWhosePowerFallsBelowTheError) {
  EXPECT_EQ(fewest_labels({0.9, 0.05}), 29);
  EXPECT_EQ(fewest_labels({0.9, 0.025}), 36);
  EXPECT_EQ(fewest_labels({0.95, 0.05}), 59);
  EXPECT_EQ(fewest_labels({0.5, 0.5}), 1);
  EXPECT_EQ(fewest_labels({0.5, 0.25}), 2);
}

// With one disagreement in n: n·0.9ⁿ⁻¹·0.1 + 0.9ⁿ <= 0.05 first at n = 46 (0.9⁴⁵·(0.9 + 4.6) = 0.04800; at 45
// 0.9⁴⁴·(0.9 + 4.5) = 0.05236).
TEST(Cascade, OneDisagreementNeedsMoreLabels) {
  EXPECT_FALSE(keeps_promise(44, 45, {0.9, 0.05}));
  EXPECT_TRUE(keeps_promise(45, 46, {0.9, 0.05}));
}

TEST(Cascade, TheSearchGoesDownUntilAThresholdDoesNotHold) {
  // Five of five: 60 of 60. Four of five: 89 of 90. Three of five: 100 of 130 = 0.77.
  const auto cases = labelled(5, 60, 0) + labelled(4, 29, 1) + labelled(3, 11, 29);
  const ThresholdSearch search = find_threshold(cases, 5, {0.9, 0.05});
  ASSERT_EQ(search.tests.size(), 3U);
  EXPECT_EQ(search.tests[0].cases, 60);
  EXPECT_EQ(search.tests[1].cases, 90);
  EXPECT_EQ(search.tests[1].agreed, 89);
  EXPECT_TRUE(search.tests[1].holds);
  EXPECT_EQ(search.tests[2].cases, 130);
  EXPECT_FALSE(search.tests[2].holds);
  ASSERT_TRUE(search.chosen());
  EXPECT_EQ(search.chosen()->votes, 4);
}

// Looser thresholds are not looked at where the strictest does not hold, however well they would do.
TEST(Cascade, TheSearchEndsWhereTheStrictestDoesNotHold) {
  const auto cases = labelled(3, 10, 0) + labelled(2, 200, 0);
  const ThresholdSearch search = find_threshold(cases, 3, {0.9, 0.05});
  ASSERT_EQ(search.tests.size(), 1U);
  EXPECT_FALSE(search.chosen());
}

TEST(Cascade, ThresholdsAreMajorities) {
  EXPECT_EQ(thresholds_of(1), 1);
  EXPECT_EQ(thresholds_of(2), 1);  // one of two is no majority
  EXPECT_EQ(thresholds_of(5), 3);
  EXPECT_EQ(find_threshold(labelled(2, 100, 0), 2, {}).tests.size(), 1U);
  EXPECT_FALSE(find_threshold({}, 5, {}).chosen());
}

TEST(Cascade, LabelsAtTheRateSoFarKeepThePromiseFirst) {
  const AgreementPromise promise{0.9, 0.05};
  const auto needed = labels_at_rate(57, 60, promise);  // 95 %
  ASSERT_TRUE(needed);
  EXPECT_TRUE(keeps_promise(57 * *needed / 60, *needed, promise));
  EXPECT_GT(*needed, 60);
  EXPECT_LT(*needed, 250);
  EXPECT_FALSE(labels_at_rate(54, 60, promise));  // 90 % is what is promised: no number of labels shows more
  EXPECT_EQ(labels_at_rate(0, 0, promise), 29);
}

// Two judges: half each; the second's half over the four that the first may come to (5, 4 or 3 votes, none).
TEST(Cascade, JudgesShareTheErrorOfAllPromises) {
  const std::vector<int> one{5};
  EXPECT_EQ(shared_errors(0.05, one), (std::vector<double>{0.05}));
  const std::vector<int> two{5, 1};
  const auto errors = shared_errors(0.05, two);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_DOUBLE_EQ(errors[0], 0.025);
  EXPECT_DOUBLE_EQ(errors[1], 0.00625);
}

// reference/fixed_sequence.py: binomial tails as fractions, in the order of "Learn then test".
TEST(Cascade, TheSearchIsThatOfExactArithmetic) {
  std::size_t chosen = 0;
  for (const Json& row : reference_file("fixed_sequence.json").as_array()) {
    std::vector<VotedLabel> cases;
    for (const Json& one : row.at("labelled").as_array())
      cases.push_back({static_cast<int>(as_integer(one.at(0)).value()), one.at(1).as_bool()});
    const AgreementPromise promise{as_number(row.at("agreement")).value(),
                                   as_number(row.at("error")).value()};
    const ThresholdSearch search =
        find_threshold(cases, static_cast<int>(as_integer(row.at("votes")).value()), promise);
    const JsonArray& expected = row.at("tests").as_array();
    ASSERT_EQ(search.tests.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const ThresholdTest& test = search.tests[i];
      EXPECT_EQ(test.votes, as_integer(expected[i].at("votes")).value());
      EXPECT_EQ(test.cases, as_integer(expected[i].at("cases")).value());
      EXPECT_EQ(test.agreed, as_integer(expected[i].at("agreed")).value());
      EXPECT_EQ(test.holds, expected[i].at("holds").as_bool());
      EXPECT_NEAR(test.lower, as_number(expected[i].at("lower")).value(), 1e-12);
    }
    chosen += search.chosen() ? 1 : 0;
  }
  EXPECT_GT(chosen, 3U) << "and some of them have a threshold";
}

RC_GTEST_PROP(Cascade, TheTestAndTheBoundSayTheSame, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(1, 400);
  const auto k = *rc::gen::inRange<std::int64_t>(0, n + 1);
  const AgreementPromise promise{*rc::gen::element(0.5, 0.8, 0.9, 0.99), *rc::gen::element(0.01, 0.05, 0.2)};
  const double lower = exact_lower_bound(k, n, promise.error);
  if (std::abs(lower - promise.agreement) < 1e-9) return;
  RC_ASSERT((lower > promise.agreement) == keeps_promise(k, n, promise));
}

}  // namespace
}  // namespace assay
