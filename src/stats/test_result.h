// What a test of a hypothesis found, and what tests share.
#pragma once

#include <optional>
#include <string>

#include "stats/estimate.h"

namespace assay {

// `p` is two-sided unless another alternative was asked for.
struct TestResult {
  std::optional<double> statistic;
  std::optional<double> df;
  std::optional<double> p;
  std::string method;     // which test, and exact or by which approximation
  std::string undefined;  // why there is no p; empty if there is one
};

// What the test is to show of the first group against the second (or of the differences against 0).
enum class Alternative { two_sided, less, greater };

// A comparison of two: the test and the size of what it tests, first minus second.
struct Contrast {
  TestResult test;
  Estimate difference;
};

// p of a statistic that is t-distributed with `df` degrees of freedom, or standard normal; undefined if the
// statistic is not finite.
TestResult t_result(double t, double df, Alternative alternative, std::string method);
TestResult z_result(double z, Alternative alternative, std::string method);
TestResult no_result(std::string reason, std::string method);
// Both parts say the same reason; what the estimate already holds (value, n, missing) stays.
Contrast undefined_contrast(Estimate difference, std::string reason, std::string method);

}  // namespace assay
