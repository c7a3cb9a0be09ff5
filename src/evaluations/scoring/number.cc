#include "evaluations/scoring/number.h"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::scoring {
namespace {

constexpr std::size_t kMostUnwrapped = 8;  // lists of one around a number

// What a list of one or an object with one field holds.
const Json& unwrapped(const Json& value, const std::string& key) {
  const Json* inner = &value;
  for (std::size_t i = 0; i < kMostUnwrapped; ++i) {
    const auto* list = inner->if_array();
    const auto* object = inner->if_object();
    if (list != nullptr && list->size() == 1) {
      inner = &list->front();
    } else if (object != nullptr && !key.empty() && object->contains(key)) {
      inner = &object->at(key);
    } else if (object != nullptr && key.empty() && object->size() == 1) {
      inner = &object->begin()->value();
    } else {
      break;
    }
  }
  return *inner;
}

}  // namespace

std::optional<double> number_in(const Json& value, const RowRule& rule) {
  return number_of(unwrapped(value, rule.key), rule.strict_types);
}

double number_score(double expected, double answer, const Nearness& nearness) {
  const double difference = std::fabs(answer - expected);
  if (within(expected, answer, nearness.tolerance)) return 1;
  if (nearness.cutoff && difference < *nearness.cutoff)
    return (*nearness.cutoff - difference) / (*nearness.cutoff - nearness.tolerance);
  return 0;
}

}  // namespace assay::scoring
