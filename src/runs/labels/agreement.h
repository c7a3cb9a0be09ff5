// What people's answers come to: how far people agree with each other and with the judge, what they say of
// the run, and the judge's figure corrected by it (evaluations/human_check.h). Pure.
//
// Answers become numbers: of a pair 1 if the first variant is preferred, ½ for a tie, 0; of a rubric yes is
// 1; a class is its place in the list; a rating is itself. The judge's score of a rating is taken to the
// sheet's scale and rounded to its steps. Kappa is Cohen's, with quadratic weights for ratings; alpha is
// Krippendorff's, of intervals for ratings and nominal else. Their intervals are bootstraps over cases, or
// over the clusters that they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/judges/annotator_test.h"
#include "report/compare/compare.h"
#include "runs/labels/given_answers.h"
#include "runs/labels/sheet.h"
#include "stats/estimate.h"

namespace assay::labels {

struct AgreementOfTwo {
  std::string a;
  std::string b;
  std::int64_t n = 0;       // cases that both have answered
  Estimate agreement = {};  // share of equal answers
  Estimate kappa = {};
};

struct CorrectedFigure {
  Estimate judge_only;
  Estimate human_only;
  Estimate corrected;
};

struct Agreement {
  std::vector<std::string> people;
  std::vector<AgreementOfTwo> pairs;  // every two people
  std::optional<Estimate> alpha;      // nothing with fewer than two people
  std::vector<AgreementOfTwo> judge;  // each person (a) with the judge (b)
  // The mean of what people say: the share of yes, the win rate of the first variant, the mean rating.
  std::optional<Estimate> human;
  std::optional<CorrectedFigure> corrected;
  // Of what the figure's judge and people said of the same cases; nothing with fewer than two people.
  std::optional<AnnotatorTest> annotator;
  std::vector<std::string> sentences;  // the deciding ones first
};

// `run`: the scores of all cases of the sheet's run; null if it has gone, and then nothing is corrected.
Agreement agreement_of(const Sheet& sheet, const GivenAnswers& answers, const RunScores* run);
Json to_json(const Agreement& agreement);

}  // namespace assay::labels
