// An evaluation whose cases are those of another run, each as it was, once more, and with one thing changed.
// They are judged as ever; the figures are about the judge. It stands around the evaluation itself, so that a
// stress run is a run like any other: durable, resumed, limited, verified.
//
//   {"id": "r3~authority", …the line as the evaluation has it…,
//    "stress": {"case": "r3", "change": "authority", "id": "r3", "grounds": ["reference"]}}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "evaluations/evaluation.h"
#include "evaluations/stress/stressing.h"

namespace assay::stress {

// `stress` of a config.
Key stress_key();

// The part of a scale beyond which a score has moved.
double moved_part(const Config& config);

// A line of a stress run from one of the evaluation's; `id` is what the line itself had for one, null for
// nothing.
struct ChangeNote {
  std::string of_case;
  std::string change;  // or kUnchanged, kAgain
  std::string cluster = {};
  Json id = nullptr;
  Grounds grounds = {};
};
JsonObject to_json(const ChangeNote& note);
// Nothing if the line has none.
std::optional<ChangeNote> change_of(const Json& line);

// The evaluation if the config has no `stress`. Null after a problem.
std::unique_ptr<Evaluation> under_stress(std::unique_ptr<Evaluation> evaluation, const Config& config,
                                         std::vector<ConfigProblem>& problems);

}  // namespace assay::stress
