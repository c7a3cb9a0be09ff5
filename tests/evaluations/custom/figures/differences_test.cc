// Differences that are the same in every case: a gate on the end of their interval must have an interval.
#include <gtest/gtest.h>

#include "evaluations/custom/figures/sentences.h"
#include "tests/evaluations/custom/figures/marked.h"

namespace assay::custom {
namespace {

std::vector<Marked> equal_cases(std::size_t count, double old_score, double new_score,
                                std::size_t cluster_size) {
  std::vector<Marked> cases;
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back({{{answered({given(old_score)})}, {answered({given(new_score)})}},
                     cluster_size > 1 ? std::to_string(i / cluster_size) : std::string()});
  }
  return cases;
}

TEST(AllEqual, no_case_that_differs_bounds_the_difference_by_about_three_in_n) {
  const Estimate difference = figure(summary_of(two_variants({yes_no("correct")}), equal_cases(100, 1, 1, 1)),
                                     "correct.difference.new");
  EXPECT_EQ(difference.value, 0);
  EXPECT_EQ(difference.method, "all_equal");
  // Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?": 1 − 0.05^(1/100) =
  // 0.0295.
  EXPECT_NEAR(difference.ci->high, 0.0295130, 1e-6);
  EXPECT_NEAR(difference.ci->low, -0.0295130, 1e-6);
}

TEST(AllEqual, clusters_are_the_units) {
  const Estimate difference = figure(summary_of(two_variants({yes_no("correct")}), equal_cases(100, 1, 1, 5)),
                                     "correct.difference.new");
  EXPECT_EQ(difference.method, "all_equal_clustered");
  EXPECT_NEAR(difference.ci->high, 0.1391083, 1e-6) << "1 − 0.05^(1/20)";
}

TEST(AllEqual, of_scores_in_their_scale) {
  const Estimate difference =
      figure(summary_of(two_variants({rating("tone")}), equal_cases(100, 4, 4, 1)), "tone.difference.new");
  EXPECT_NEAR(difference.ci->high, 4 * 0.0295130, 1e-5) << "from 1 to 5";
}

TEST(AllEqual, a_difference_that_is_the_same_everywhere_is_not_certain_either) {
  const Estimate difference =
      figure(summary_of(two_variants({rating("tone")}), equal_cases(100, 2, 4, 1)), "tone.difference.new");
  EXPECT_EQ(difference.value, 2);
  EXPECT_LT(difference.ci->low, 2);
  EXPECT_GT(difference.ci->high, 2);
}

TEST(DifferenceWords, TheLastBitsOfAMeanAreNoDifference) {
  EXPECT_EQ(difference_words(-6.94e-18, Metric::Form::number), difference_words(0, Metric::Form::number));
  EXPECT_EQ(difference_words(-6.94e-18, Metric::Form::share), "+0.0 points");
  EXPECT_EQ(difference_words(-1e-6, Metric::Form::number).substr(0, 3), "−");
}

}  // namespace
}  // namespace assay::custom
