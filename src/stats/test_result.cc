#include "stats/test_result.h"

#include <cmath>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "stats/quiet.h"

namespace assay {
namespace {

using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using boost::math::cdf;

}  // namespace

TestResult t_result(double t, double df, Alternative alternative, std::string method) {
  TestResult result;
  result.method = std::move(method);
  if (!std::isfinite(t) || !(df > 0)) {
    result.undefined = "the t statistic is not a finite number";
    return result;
  }
  const StudentsT distribution(df);
  result.statistic = t;
  result.df = df;
  result.p = alternative == Alternative::two_sided ? 2 * cdf(distribution, -std::fabs(t))
             : alternative == Alternative::less    ? cdf(distribution, t)
                                                   : cdf(distribution, -t);
  return result;
}

TestResult z_result(double z, Alternative alternative, std::string method) {
  TestResult result;
  result.method = std::move(method);
  if (!std::isfinite(z)) {
    result.undefined = "the z statistic is not a finite number";
    return result;
  }
  result.statistic = z;
  result.p = alternative == Alternative::two_sided ? 2 * cdf(Normal(), -std::fabs(z))
             : alternative == Alternative::less    ? cdf(Normal(), z)
                                                   : cdf(Normal(), -z);
  return result;
}

TestResult no_result(std::string reason, std::string method) {
  TestResult result;
  result.method = std::move(method);
  result.undefined = std::move(reason);
  return result;
}

Contrast undefined_contrast(Estimate difference, std::string reason, std::string method) {
  difference.method = method;
  difference.undefined = reason;
  return {no_result(std::move(reason), std::move(method)), std::move(difference)};
}

}  // namespace assay
