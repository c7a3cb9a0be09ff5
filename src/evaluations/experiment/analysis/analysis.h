// What an experiment showed, and how sure that is: everything that analysis.json holds, made from de-blinded
// judgements by pure functions. The same data, seed and level give the same figures on every machine.
//
// A figure that cannot be computed has no value and says why. Intervals and headline tests are clustered by
// query; whatever treats judgements as independent is called naive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/experiment/analysis/agreement_figures.h"
#include "evaluations/experiment/analysis/bias_diagnostics.h"
#include "evaluations/experiment/analysis/condition_figures.h"
#include "evaluations/experiment/analysis/pair_figures.h"
#include "evaluations/experiment/analysis/power_figures.h"
#include "evaluations/experiment/analysis/score_contrasts.h"
#include "evaluations/experiment/analysis/spread_figures.h"
#include "evaluations/experiment/judging/judgements.h"
#include "report/summary.h"

namespace assay::experiment {

struct AnalysisOptions {
  std::uint64_t seed = 0;  // of every bootstrap
  double level = 0.95;
};

struct Analysis {
  double level = 0.95;
  std::vector<Query> queries;  // as judged; positions in all figures are positions here
  std::vector<Condition> conditions;
  // How many were asked: 0 if the design has none of the kind, or (in data made by hand) does not say.
  int raters = 0;
  int pair_judges = 0;
  int role_judges = 0;
  bool swap = false;
  std::int64_t pair_verdicts = 0;
  std::int64_t ratings = 0;
  std::int64_t role_verdicts = 0;
  std::vector<std::string> leaks;
  std::vector<ConditionFigures> by_condition;  // in the order of `conditions`
  std::vector<QueryFigures> by_query;
  std::vector<OtherRole> other_roles;
  std::int64_t tests = 0;  // that Holm's adjustment was made over
  std::vector<ScoreContrast> contrasts;
  std::vector<PairFigures> pairs;
  BradleyTerry ranking;
  AgreementFigures agreement;
  std::vector<Bias> biases;
  std::vector<PowerFigures> power;
  std::vector<SpreadFigures> spread;
};

// Judgements that name a query or condition that does not exist, or a score outside 1 to 5, are a bug of the
// caller. Without exactly one control everything that compares with control is undefined and says so.
Analysis analyse(const ExperimentData& data, const AnalysisOptions& options);

JsonObject to_json(const Analysis& analysis);

// Conclusions, metrics and tables of the run's summary.
void add_figures(const Analysis& analysis, Summary& summary);
// Every metric that add_figures may add; a name that ends in a dot stands for a family.
std::vector<std::string> figure_names();

// Plain sentences that follow from the figures and say no more than they do.
// The deciding ones, most important first: what was shown, on whatever criterion, what is missing and could
// change it, then what was not shown.
std::vector<std::string> conclusions(const Analysis& analysis);
// What limits them: few queries, one run, flagged biases, evaluators that disagree, and what would help.
std::vector<std::string> limits(const Analysis& analysis);

}  // namespace assay::experiment
