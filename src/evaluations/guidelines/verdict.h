// What is decided about one guideline in one conversation: from the checks of one or several votes to a
// verdict that says how sure it is, or that there is none and why. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "engine/outcome.h"
#include "evaluations/guidelines/checks.h"

namespace assay::guidelines {

// One vote: a check, or why there is none.
struct Vote {
  std::optional<Check> check;
  std::string why;
};

struct Verdict {
  std::string guideline;        // its id
  std::string skipped;          // why it was not judged; everything below is then empty
  std::optional<bool> applied;  // nothing: undetermined
  std::string undetermined;     // why
  double confidence = 0;        // share of the votes with a verdict that agree with it
  std::string degree;
  std::string missing;
  std::string missing_rationale;
  std::vector<Segment> segments;  // of the first vote that agrees
  std::vector<std::optional<bool>> votes;
};

// The majority of the votes that gave a verdict; a tie is undetermined.
Verdict decide(std::string guideline, const std::vector<Vote>& votes);
// The share of pairs of votes that agree; nothing with fewer than two.
std::optional<double> agreement_of_votes(const Verdict& verdict);

Json to_json(const Verdict& verdict);
Verdict verdict_from(const Json& json);

// What a case's outcome holds, and back: a verdict for each guideline, none if the case never came to them.
JsonObject outcome_json(const std::vector<Verdict>& verdicts);
std::vector<Verdict> verdicts_of(const Outcome& outcome);

}  // namespace assay::guidelines
