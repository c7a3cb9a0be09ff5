#include "stats/comparisons/crossing.h"

#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>

#include "stats/quiet.h"

namespace assay {

double crossing(double low, double high, const std::function<double(double)>& function) {
  const double at_low = function(low);
  const double at_high = function(high);
  if (!(at_low < 0)) return low;
  if (!(at_high > 0)) return high;
  std::uintmax_t steps = 200;
  return boost::math::tools::toms748_solve(function, low, high, at_low, at_high,
                                           boost::math::tools::eps_tolerance<double>(44), steps, Quiet())
      .second;
}

}  // namespace assay
