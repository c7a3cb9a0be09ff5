// experiment: which prompt condition gives better answers? A case is one query: every condition answers it,
// run after run; then judges who cannot know which condition wrote what compare and rate the answers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/evaluation.h"
#include "evaluations/experiment/design/blinding.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/design/queries.h"
#include "evaluations/experiment/design/responses.h"
#include "evaluations/experiment/judging/judged_query.h"
#include "evaluations/experiment/judging/judges.h"

namespace assay::experiment {

// How a condition gets its answers.
struct Answering {
  std::string prompt;  // system prompt; empty: none
  std::string model;
};

struct ExperimentPlan {
  Design design;
  std::vector<Answering> answering;  // by condition
  std::optional<double> temperature;
  std::optional<int> max_tokens;
  QueryList queries;
  std::vector<ResponseFile> existing;  // by condition, then run; empty: answers are generated
  int attempts = 3;
  std::map<std::string, std::string> prompts;  // fingerprints
};

// What answers a query under a condition; `run` and `attempt` count from 1.
ChatRequest answer_request(const ExperimentPlan& plan, std::size_t condition, const Query& query, int run,
                           int attempt);
// The whole work on one query; plan and judges must outlive it.
Task<Outcome> evaluate_query(const ExperimentPlan& plan, const Judges& judges, Query query,
                             std::int64_t index, CaseContext& context);

class ExperimentEvaluation final : public Evaluation {
 public:
  ExperimentEvaluation(ExperimentPlan plan, Judges judges);

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_queries(plan_.queries); }
  std::string data_path() const override { return plan_.queries.path; }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override;
  void estimate(const Case& input, CallEstimate& estimate) const override;
  std::vector<std::string> models() const override;
  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override;
  Json material(const Case& input, const FinishedCase* finished) const override;
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& run) const override;
  std::vector<std::string> metric_names() const override;
  std::vector<MeanFigure> mean_figures() const override;
  std::map<std::string, std::string> prompts() const override { return plan_.prompts; }
  Status prepare(const std::string& directory, const RunFacts& run) override;
  std::span<const HumanCheck> human() const override { return human_; }
  std::string unchecked() const override;
  std::unique_ptr<stress::Stressing> stressing() const override;
  void check_against(std::vector<HumanCheck> human) { human_ = std::move(human); }

  const ExperimentPlan& plan() const { return plan_; }
  const Judges& judges() const { return judges_; }
  // Settled by prepare().
  const BlindingKey& key() const { return key_.value(); }

 private:
  ExperimentPlan plan_;
  Judges judges_;
  std::optional<BlindingKey> key_;
  std::vector<ScoreNames> score_names_;  // by condition
  std::vector<HumanCheck> human_;
};

// The design that a config declares, as far as it is good.
Design design_of(const Config& config);

// The plan that a config declares, on these queries, and its judges; whatever is wrong becomes a problem.
ExperimentPlan read_plan(const Config& config, const PromptLibrary& prompts, Result<QueryList> queries,
                         std::vector<ConfigProblem>& problems);
Judges read_judges(const Config& config, const Design& design, const PromptLibrary& prompts,
                   std::vector<ConfigProblem>& problems);

Keys experiment_keys();
std::unique_ptr<Evaluation> make_experiment(const Config& config, std::vector<ConfigProblem>& problems);
// Whether the key is the one that was committed to, the blinded texts are the answers without their role
// marks, every judgement follows from a reply in the journal, and the analysis follows from the judgements.
Result<std::vector<RunCheck>> verify_experiment(const std::string& directory);

}  // namespace assay::experiment
