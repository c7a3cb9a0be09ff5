// The deciding sentences of a run: which variant is better on what by how much, what cannot be told apart,
// what failed where, what an answer costs and how long it takes, and which to ship if the data say so. The
// same on every surface. Nothing is claimed that does not hold after Holm, and whatever is missing.
#pragma once

#include <string>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/figures/differences.h"
#include "evaluations/custom/figures/failures.h"
#include "report/summary.h"

namespace assay::custom {

// `summary` holds the final figures; a comparison's difference is read from there by its name.
std::vector<std::string> deciding_sentences(const Design& design, const Summary& summary,
                                            const std::vector<Comparison>& comparisons,
                                            const Failures& failures);

// A run that may stop at any case has no p-values: they would hold for a fixed number of cases only.
bool looked_while_running(const Summary& summary);
// The comparison with the figure as it stands in the summary, which may have got another interval since.
Comparison final_comparison(const Comparison& comparison, const Summary& summary);

// "+6.0 points", "−0.31"
std::string difference_words(double difference, Metric::Form form);
// "+2.1 to +9.9 points"
std::string difference_range(const Interval& interval, Metric::Form form);
// "820 ms", "1.9 s"
std::string milliseconds_words(double milliseconds);

}  // namespace assay::custom
