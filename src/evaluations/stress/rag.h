// What a stress test needs to know of rag_answers: what each metric sees, and which faults must cost it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/stress/stressing.h"

namespace assay::stress {

// Of one metric, with no name among a case's scores yet; nothing if there is no such metric.
std::optional<JudgedFigure> rag_judged_figure(std::string_view metric);

// `lacking`: why the answers are not there, "" if they are.
std::unique_ptr<Stressing> rag_stressing(std::vector<std::string> metrics, std::string lacking);

}  // namespace assay::stress
