// Every rate and mean also by the values of a slice field: "correct.rate.new.area=refund". At most the fifty
// most frequent values of a field. Differences by slice stand in the table only, to look at: so many are made
// that some will look large by chance, and nothing is claimed from them.
#pragma once

#include "evaluations/custom/figures/case_table.h"
#include "report/summary.h"

namespace assay::custom {

inline constexpr std::size_t kMostSliceValues = 50;

// Adds figures and a table `by_FIELD` for each field.
void add_slices(const CaseTable& table, Summary& summary);

}  // namespace assay::custom
