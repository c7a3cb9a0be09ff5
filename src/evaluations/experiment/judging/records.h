// Judgements in their written forms: compactly in a case's outcome, and, under blinded names, in the files of
// the evaluators, from which the analysis can be made again. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

std::string_view to_string(Choice choice);  // "A", "B", "Tie"
std::optional<Choice> choice_from(std::string_view text);

// Puts a judge's answer, in the shape of its schema, into the judgement that it is about.
void take_answer(const Json& answer, PairVerdict& verdict);
void take_answer(const Json& answer, Rating& rating);
void take_answer(const Json& answer, RoleVerdict& verdict);

// A judgement that came, with how often its form was wrong before.
template <class Judgement>
struct Kept {
  Judgement judgement;
  int format_failures = 0;
};

// A judgement that never came.
struct Lost {
  int evaluator = 0;
  int format_failures = 0;
  std::string why;
};

// All of one query; the position of the query is not in them. An answer that is missing is no text.
struct QueryRecord {
  std::vector<std::optional<std::string>> responses;  // by condition, then run; with role marks
  std::vector<Kept<PairVerdict>> pairs;
  std::vector<Kept<Rating>> ratings;
  std::vector<Kept<RoleVerdict>> roles;
  std::vector<Lost> lost;
};

JsonObject to_json(const QueryRecord& record);
// Accepts what to_json wrote.
QueryRecord record_from(const JsonObject& json);

// Names instead of positions: a query's id, and the code of the file that an answer is in.
struct BlindedPlace {
  std::string query;
  std::string response_a;  // or the only one
  std::string response_b;
};
JsonObject blinded_row(const Kept<PairVerdict>& kept, const BlindedPlace& place);
JsonObject blinded_row(const Kept<Rating>& kept, const BlindedPlace& place);
JsonObject blinded_row(const Kept<RoleVerdict>& kept, const BlindedPlace& place);

// Back again, without the reasons; `place` is filled, positions and lengths are for the caller. Nothing if
// the row is not one.
std::optional<Kept<PairVerdict>> pair_from_row(const Json& row, BlindedPlace& place);
std::optional<Kept<Rating>> rating_from_row(const Json& row, BlindedPlace& place);
std::optional<Kept<RoleVerdict>> role_from_row(const Json& row, BlindedPlace& place);

}  // namespace assay::experiment
