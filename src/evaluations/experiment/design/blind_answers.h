// The answers to a query as judges see them, and the roles that they were given in. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/design/role_marks.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

// Without their role marks, by condition, then run; nothing where there is none.
using BlindAnswers = std::vector<std::optional<Unmarked>>;
BlindAnswers blinded(const std::vector<std::optional<std::string>>& responses);

// The role that an answer was given in: what it said, else what it was told. Empty: none.
std::string role_of(const Condition& condition, const Query& query, const Unmarked& answer);

}  // namespace assay::experiment
