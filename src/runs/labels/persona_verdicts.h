// The verdicts of a persona run. A request holds several, and people rate each by itself, so that they and
// not the cases are what a sheet is drawn from.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "runs/labels/judged_run.h"

namespace assay::labels {

// The two figures that people can rate verdicts for.
inline constexpr std::string_view kAgreementRate = "agreement_rate";
inline constexpr std::string_view kLikertMean = "likert.mean";

struct PersonaVerdict {
  std::string id;       // persona::verdict_id()
  std::string request;  // the case that it is part of
  std::string perspective;
  std::string classification;
  double score = 0;
};

// Of the figure agreement_rate (1 or 0) or likert.mean (1 to 5), in the order of the run; an error for any
// other figure.
Result<std::vector<PersonaVerdict>> persona_verdicts(const JudgedRun& run, const std::string& figure);
// What the judge saw of these, by the verdict's id.
Result<std::map<std::string, CaseTexts>> verdict_texts(const JudgedRun& run,
                                                       const std::vector<PersonaVerdict>& verdicts,
                                                       const std::set<std::string>& ids);

}  // namespace assay::labels
