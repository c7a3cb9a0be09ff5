// The deciding sentences of a run. What only an evaluation can say stands in the summary already; this puts
// around it what holds for every run: gates that failed and cases that ended in error first, since they say
// whether the rest may be believed; gates that passed last. Where an evaluation says nothing, its headline
// figures speak. Every report shows the same sentences in the same order.
#pragma once

#include <string>
#include <vector>

#include "report/summary.h"

namespace assay {

// Once, after metrics and gates are final.
void conclude(Summary& summary);

// "60.0% (95% interval 23.1% – 88.2%, n = 5)"; "n/a (why)" if undefined.
std::string figure_with_interval(const Metric& metric);
// "Accuracy is 60.0% (95% interval 23.1% – 88.2%, n = 5).": a figure as one sentence, and why it has no value
// or no interval.
std::string figure_sentence(const Metric& metric);

// Whose answers came from the simulator and what that means; "" if nobody's did.
std::string simulated_sentence(const std::vector<std::string>& simulated);

}  // namespace assay
