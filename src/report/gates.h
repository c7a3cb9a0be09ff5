// Gates: conditions on a summary that decide the exit code, written as "precision >= 0.8". A gate names a
// metric, an end of a metric's interval (precision.low, precision.high), a count of cases (cases.errored, or
// errored where no metric is called so) or a figure of the usage (usage.cost_usd). An undefined figure, and
// an interval that is not there, fail their gate. A metric whose own name ends in .low is that metric.
// Figures are compared with a tolerance of 1e-9, so that a mean of 0.9 does not fail `>= 0.9` by the last
// bit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "report/summary.h"

namespace assay {

enum class GateOperator { at_least, above, at_most, below, equal, not_equal };

struct Gate {
  std::string text;  // as written
  std::string name;
  GateOperator comparison = GateOperator::at_least;
  double threshold = 0;
};

Result<Gate> parse_gate(std::string_view text);

// Before the run: is this a name that the evaluation can report? A declared name that ends in a dot stands
// for a family whose names come from the data ("precision."). `.low` and `.high` of a declared name are
// known as well. The error (kind config) lists the nearest names.
Status check_gate(const Gate& gate, std::span<const std::string> metric_names);

// After the run. A name that the summary does not have is an error (kind config) that lists the nearest ones.
Result<GateResult> evaluate_gate(const Gate& gate, const Summary& summary);
// The same for all; an unknown name fails its gate, with the error as the note.
std::vector<GateResult> evaluate_gates(std::span<const Gate> gates, const Summary& summary);

// How the gate's figure is read: as its metric's, or as a count.
Metric::Form gate_form(const Gate& gate, const Summary& summary);

}  // namespace assay
