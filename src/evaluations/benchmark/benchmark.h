// benchmark: systems that answer questions over data (PromptQL, a model with tools, the same with Python),
// put to the same tasks. A case is one sitting of one run of one variation; the run's output file is its
// state (run_state.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/run_state.h"
#include "evaluations/benchmark/scoring/scoring.h"
#include "evaluations/evaluation.h"

namespace assay::benchmark {

class BenchmarkEvaluation final : public Evaluation {
 public:
  BenchmarkEvaluation(BenchmarkPlan plan, std::optional<RubricJudge> judge,
                      std::map<std::string, std::string> prompts);

  Result<std::unique_ptr<CaseSource>> cases() const override;
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override;
  void estimate(const Case& input, CallEstimate& estimate) const override;
  int most_at_once() const override { return plan_.runs_at_once(); }
  std::vector<std::string> models() const override;
  std::vector<std::string> variables() const override;
  std::vector<std::pair<std::string, std::string>> not_found() const override;
  std::string data_path() const override { return plan_.input_dir; }
  bool goes_on() const override { return true; }
  void recall(const std::string& id, const Outcome& outcome) override;
  std::vector<std::string> remarks() const override;
  Status prepare(const std::string& directory, const RunFacts& run) override;
  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override;
  Json material(const Case& input, const FinishedCase* finished) const override;
  std::vector<std::string> columns() const override;
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& run) const override;
  std::vector<std::string> metric_names() const override;
  std::vector<MeanFigure> mean_figures() const override;
  std::map<std::string, std::string> prompts() const override { return prompts_; }
  std::span<const HumanCheck> human() const override { return human_; }
  void check_against(std::vector<HumanCheck> human) { human_ = std::move(human); }
  // The part of a scale beyond which a score has moved in a stress test.
  void moved_beyond(double part) { moved_ = part; }
  std::string unchecked() const override;
  std::unique_ptr<stress::Stressing> stressing() const override;

 private:
  BenchmarkPlan plan_;
  std::optional<RubricJudge> judge_;
  std::map<std::string, std::string> prompts_;
  std::vector<HumanCheck> human_;
  double moved_ = 0;
  std::vector<std::string> score_names_;            // of the contenders' figures, by place in the plan
  std::string directory_;                           // "" until prepare()
  std::map<std::string, EarlierSittings> earlier_;  // by id of the run
};

// Every figure that a run may report (Evaluation::metric_names).
std::vector<std::string> figure_names();
std::unique_ptr<Evaluation> make_benchmark(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::benchmark
