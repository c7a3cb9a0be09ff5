// Boost.Math that answers with NaN or infinity where it would throw: callers look at the value. For sources
// only.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace assay {

using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

}  // namespace assay
