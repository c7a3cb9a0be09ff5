// Where does a function that rises cross 0? For boundaries and limits that have no formula.
#pragma once

#include <functional>

namespace assay {

// Between `low`, where the function lies below 0, and `high`, where it does not: on the far side of the
// crossing, to 44 bits. `low` if the function is not below 0 there, `high` if it is still not above 0 there.
double crossing(double low, double high, const std::function<double(double)>& function);

}  // namespace assay
