// The tables of an experiment's summary, and what a design asks for at all.
#pragma once

#include "evaluations/experiment/analysis/analysis.h"
#include "report/summary.h"

namespace assay::experiment {

bool asks_pairs(const Analysis& analysis);
bool asks_ratings(const Analysis& analysis);
bool asks_tone(const Analysis& analysis);
bool queries_have_roles(const Analysis& analysis);
// Whether the design can show this bias at all.
bool concerns(const Analysis& analysis, const Bias& bias);

void add_tables(const Analysis& analysis, Summary& summary);
// Of them, those on the judging.
void add_judging_tables(const Analysis& analysis, Summary& summary);

}  // namespace assay::experiment
