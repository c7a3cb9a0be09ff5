// A difference that sentences may speak of: one number a query, a test, and the same test with everything
// that is missing set against it, so that no winner is declared by absence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/test_result.h"

namespace assay::experiment {

struct Finding {
  Estimate figure;                       // n counts queries
  double neutral = 0;                    // the value that says that there is no difference
  TestResult test;                       // against it, over queries
  std::optional<double> standard_error;  // of the figure, over queries; absent without spread
  // The test of the same judgements, every missing one being as bad for what the figure says as the scale
  // allows. Equal to `test` if nothing is missing; p is 1 if the figure then says the opposite.
  TestResult worst;
  std::optional<double> p_holm;        // over all findings of the experiment
  std::optional<double> p_holm_worst;  // the same of `worst`
};

// Below that, means of marks and of wins differ only by the rounding of their sums.
inline constexpr double kRounding = 1e-12;
// The value; the neutral one if it differs from that by rounding only.
double without_rounding(double value, double neutral);

enum class Standing {
  unknown,  // it cannot be tested
  open,     // no difference was shown
  shaky,    // shown by what is there, but what is missing could change it
  shown,
};
Standing standing_of(const Finding& finding, double level);

Finding no_finding(const std::string& reason, double neutral = 0);

// Do the queries' means differ from `neutral`? t over queries; where they show no spread, sign flips.
TestResult query_test(const std::vector<double>& means, double neutral);
// Of the mean of the queries' means; absent if they show no spread.
std::optional<double> query_error(const std::vector<double>& means);

// Holm's adjustment over one family: everything that is said of an experiment.
void adjust(const std::vector<Finding*>& family);

}  // namespace assay::experiment
