#include "evaluations/guidelines/verdict.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::guidelines {

Verdict decide(std::string guideline, const std::vector<Vote>& votes) {
  Verdict verdict;
  verdict.guideline = std::move(guideline);
  std::size_t yes = 0;
  std::size_t no = 0;
  for (const Vote& vote : votes) {
    verdict.votes.push_back(vote.check ? std::optional(vote.check->applied) : std::nullopt);
    if (!vote.check) continue;
    ++(vote.check->applied ? yes : no);
  }
  if (yes + no == 0) {
    verdict.undetermined = votes.empty() ? "not judged" : votes.front().why;
    return verdict;
  }
  if (yes == no) {
    verdict.undetermined = "the votes are tied";
    return verdict;
  }
  verdict.applied = yes > no;
  verdict.confidence = static_cast<double>(std::max(yes, no)) / static_cast<double>(yes + no);
  const auto first = std::ranges::find_if(
      votes, [&](const Vote& vote) { return vote.check && vote.check->applied == *verdict.applied; });
  verdict.degree = first->check->degree;
  verdict.missing = first->check->missing;
  verdict.missing_rationale = first->check->missing_rationale;
  verdict.segments = first->check->segments;
  return verdict;
}

std::optional<double> agreement_of_votes(const Verdict& verdict) {
  double yes = 0;
  double no = 0;
  for (const auto& vote : verdict.votes) {
    if (vote) (*vote ? yes : no) += 1;
  }
  const double all = yes + no;
  if (all < 2) return std::nullopt;
  return (yes * (yes - 1) + no * (no - 1)) / (all * (all - 1));
}

Json to_json(const Verdict& verdict) {
  JsonObject json{{"guideline", verdict.guideline}};
  if (!verdict.skipped.empty()) {
    json["skipped"] = verdict.skipped;
    return json;
  }
  json["applied"] = verdict.applied ? Json(*verdict.applied) : Json(nullptr);
  JsonArray votes;
  for (const auto& vote : verdict.votes) votes.emplace_back(vote ? Json(*vote) : Json(nullptr));
  json["votes"] = std::move(votes);
  if (!verdict.applied) {
    json["undetermined"] = verdict.undetermined;
    return json;
  }
  json["confidence"] = verdict.confidence;
  json["guideline_applied_degree"] = verdict.degree;
  if (!verdict.missing.empty()) {
    json["is_missing_part_functional_or_behavioral"] = verdict.missing;
    json["is_missing_part_functional_or_behavioral_rationale"] = verdict.missing_rationale;
  }
  JsonArray segments;
  for (const Segment& segment : verdict.segments) segments.push_back(to_json(segment));
  json["guideline_applied_rationale"] = std::move(segments);
  return json;
}

Verdict verdict_from(const Json& json) {
  Verdict verdict;
  verdict.guideline = text_at(json, "guideline");
  verdict.skipped = text_at(json, "skipped");
  if (const Json* applied = find_member(json, "applied")) verdict.applied = as_boolean(*applied);
  verdict.undetermined = text_at(json, "undetermined");
  if (const Json* confidence = find_member(json, "confidence"))
    verdict.confidence = as_number(*confidence).value_or(0);
  verdict.degree = text_at(json, "guideline_applied_degree");
  verdict.missing = text_at(json, "is_missing_part_functional_or_behavioral");
  verdict.missing_rationale = text_at(json, "is_missing_part_functional_or_behavioral_rationale");
  for (const Json& segment : list_at(json, "guideline_applied_rationale"))
    verdict.segments.push_back(segment_from(segment));
  for (const Json& vote : list_at(json, "votes")) verdict.votes.push_back(as_boolean(vote));
  return verdict;
}

JsonObject outcome_json(const std::vector<Verdict>& verdicts) {
  JsonArray list;
  for (const Verdict& verdict : verdicts) list.push_back(to_json(verdict));
  return {{"verdicts", std::move(list)}};
}

std::vector<Verdict> verdicts_of(const Outcome& outcome) {
  std::vector<Verdict> verdicts;
  const Json* list = outcome.result.if_contains("verdicts");
  if (list == nullptr || !list->is_array()) return verdicts;
  for (const Json& json : list->get_array()) verdicts.push_back(verdict_from(json));
  return verdicts;
}

}  // namespace assay::guidelines
