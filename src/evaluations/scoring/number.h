// number: how near is a number to the expected one? Pure.
//
//   with d = |answer − expected|: 1 for d ≤ tolerance, 0 for d ≥ cutoff, on a straight line between;
//   without a cutoff 0 beyond the tolerance.
#pragma once

#include <optional>
#include <string>

#include "core/json/json.h"
#include "evaluations/scoring/rows.h"

namespace assay::scoring {

struct Nearness {
  double tolerance = 0;
  std::optional<double> cutoff;  // never below the tolerance
};

// A list of one and an object with one field (or the field `key` of the rule) stand for what they hold; text
// that is a number counts unless types are strict. Nothing if there is no number.
std::optional<double> number_in(const Json& value, const RowRule& rule);

double number_score(double expected, double answer, const Nearness& nearness);

}  // namespace assay::scoring
